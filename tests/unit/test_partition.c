/* Where data that are split among devices are cut: shares as weights say, in few aligned nodes. */
#include "../../host/engine/reduction/reduction.h"
#include "../suite/suite.h"

enum { MOST = 64, ROUNDS = 3000 };

/* The nodes of units first .. end-1, which must be aligned and leave no gap. */
static uint32_t count_nodes(uint64_t first, uint64_t end, uint64_t units) {
  uint32_t n = 0;
  while (first < end) {
    uint32_t level = rh_partition_level(first, end, units);
    uint64_t length = UINT64_C(1) << level;
    ck_assert_uint_lt(level, 64);
    ck_assert_uint_eq(first % length, 0);
    if (end - first < length) ck_assert_uint_eq(end, units); /* only the last one is short */
    if (end - first < length) length = end - first;
    first += length;
    n++;
  }
  ck_assert_uint_eq(first, end);
  return n;
}

TEST(equal_parts_of_a_power_of_two_are_one_node_each) {
  const double weights[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  uint64_t starts[9];
  for (uint32_t n = 1; n <= 8; n *= 2)
    for (uint32_t level = 3; level < 60; level++) {
      uint64_t units = UINT64_C(1) << level;
      rh_partition(units, weights, n, starts);
      for (uint32_t k = 0; k < n; k++) {
        ck_assert_uint_eq(starts[k + 1] - starts[k], units / n);
        ck_assert_uint_eq(count_nodes(starts[k], starts[k + 1], units), 1);
      }
    }
}

/* One device has all in one node, whatever the number is. */
TEST(the_last_node_may_be_short) {
  for (uint64_t units = 1; units < 300; units++) {
    ck_assert_uint_eq(count_nodes(0, units, units), 1);
    ck_assert_uint_eq(count_nodes(0, units, units + 1), (uint32_t)__builtin_popcountll(units));
  }
}

static void check_split(uint64_t units, const double *weights, uint32_t n) {
  uint64_t starts[MOST + 1];
  double all = 0;
  rh_partition(units, weights, n, starts);
  ck_assert_uint_eq(starts[0], 0);
  ck_assert_uint_eq(starts[n], units);
  for (uint32_t k = 0; k < n; k++) all += weights[k];
  for (uint32_t k = 0; k < n; k++) {
    double wanted = (double)units * weights[k] / all;
    ck_assert_uint_le(starts[k], starts[k + 1]);
    double moved = fabs((double)(starts[k + 1] - starts[k]) - wanted);
    ck_assert_double_le(moved, 2 + wanted / 32);
    ck_assert_uint_le(count_nodes(starts[k], starts[k + 1], units), k + 1 < n ? 24 : 40);
  }
}

TEST(shares_are_as_weights) {
  uint64_t seed = 7;
  for (int round = 0; round < ROUNDS; round++) {
    double weights[MOST];
    uint32_t n = 1 + (uint32_t)(rh_random_next(&seed) % (round % 8 ? 4 : MOST));
    uint64_t units = rh_random_next(&seed) >> (24 + rh_random_next(&seed) % 40);
    for (uint32_t k = 0; k < n; k++)
      weights[k] = round % 2 ? 1 : 1 + (double)(rh_random_next(&seed) % 1000);
    check_split(units, weights, n);
  }
}
