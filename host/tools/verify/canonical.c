/* V65: the bits of docs/inside/bits.md. */
#include "internal.h"

#include <redhost/canonical.h>

/* Sizes in rows of 512 bytes and elements: around a lane, rows, tiles, and trees of tiles that are
 * whole, lack one tile, and have one more. */
typedef struct rows_and {
  uint32_t rows;
  int more; /* elements */
} rows_and;
static const rows_and sizes[] = {
    {0, 1},  {0, 2},  {0, 33},  {1, -1},  {1, 0},    {1, 1},    {2, 0},     {2, 1},  {3, -1},
    {3, 0},  {3, 1},  {4, -1},  {4, 0},   {4, 1},    {5, 17},   {7, 3},     {8, 0},  {8, 1},
    {12, 0}, {12, 1}, {14, -3}, {20, 0},  {24, -1},  {28, 1},   {44, 0},    {60, 5}, {64, 0},
    {68, 1}, {84, 0}, {127, 9}, {252, 1}, {1020, 1}, {1028, 7}, {4095, 31},
};
enum { SIZES = sizeof sizes / sizeof *sizes, SIZES_QUICK = SIZES - 2, MOST_ROWS = 4096 };

static uint64_t elements_of(rows_and s, uint32_t element_size) {
  return (uint64_t)((int64_t)s.rows * (RH_CANONICAL_ROW_BYTES / element_size) + s.more);
}

static uint32_t count(const rh_trial *trial) { return trial->quick ? SIZES_QUICK : SIZES; }

/* ---- An operator that no other tree of combinations gives the same value ---- */

static rh_status try_grouping(rh_rig *rig, rh_trial *trial) {
  _Alignas(16) unsigned char value[16];
  rh_canonical_value expected;
  RH_TRY(rh_tree_open(rig, trial, RH_TREE_GROUPED,
                      elements_of((rows_and){MOST_ROWS, 0}, sizeof(uint32_t)), NULL, NULL));
  for (uint32_t k = 0; k < count(trial); k++) {
    uint64_t n = elements_of(sizes[k], sizeof(uint32_t));
    RH_TRY(rh_tree_fill(rig, n, k % 5, 0));
    RH_TRY(rh_rig_run(rig, value));
    rh_canonical_fold(&rig->row, rig->place->memory, rig->first, n, &expected);
    if (memcmp(value, &expected, rig->row.value_size) != 0)
      return rh_trial_fail(
          trial,
          "promises the canonical order (docs/inside/bits.md), and combines %llu elements of "
          "%u bytes, by an operator of a user's own, in another one",
          (unsigned long long)n, rig->row.element_size);
  }
  return RH_OK;
}

/* ---- Sums and products of floats ---- */

static rh_status compare(rh_rig *rig, const char *data) {
  _Alignas(16) unsigned char value[16];
  const char *start = (const char *)rig->place->memory + rig->first * rig->row.element_size;
  rh_result expected, got;
  RH_TRY(rh_rig_run(rig, value));
  rh_canonical_result(rig->op, rig->type, start, rig->n, &expected);
  rh_op_result(rig->op, rig->type, value, &got);
  if (rh_canonical_same(&expected, &got)) return RH_OK;
  return rh_trial_fail(
      rig->trial,
      "promises the canonical order (docs/inside/bits.md), and %s of %s over %llu elements%s is "
      "%a instead of %a",
      rh_op_name(rig->op), rh_type_name(rig->type), (unsigned long long)rig->n, data, got.value.f,
      expected.value.f);
}

/* Every combination of its data rounds. */
static rh_status try_rounding(rh_rig *rig, uint64_t n, uint64_t first, uint64_t seed) {
  RH_TRY(rh_rig_fill(rig, "zeros", 1, n, first));
  rh_canonical_data(rig->op, rig->type, seed, rig->place->memory + first * rig->row.element_size,
                    n);
  RH_TRY(rh_fixture_write(rig->place, rig->error));
  return compare(rig, "");
}

/* -0 is the sum of nothing but -0; where +0 stands for what is missing, it is +0. */
static rh_status try_minus_zero(rh_rig *rig, uint64_t n, uint64_t first) {
  uint32_t size = rig->row.element_size;
  RH_TRY(rh_rig_fill(rig, "equal", 1, n, first));
  unsigned char *range = rig->place->memory + first * size;
  memset(range, 0, n * size);
  for (uint64_t k = 1; k <= n; k++) range[k * size - 1] = 0x80;
  RH_TRY(rh_fixture_write(rig->place, rig->error));
  return compare(rig, ", all of them -0,");
}

static int rounds(rh_pair pair) { return rh_op_rounds(pair.op, pair.type); }

static rh_status try_floats(rh_rig *rig, uint64_t seed) {
  for (uint32_t k = 0; k < count(rig->trial); k++) {
    uint64_t n = elements_of(sizes[k], rig->row.element_size);
    RH_TRY(try_rounding(rig, n, k % 5, seed + k));
    if (sizes[k].rows < 100) RH_TRY(try_minus_zero(rig, n, k % 5));
  }
  return RH_OK;
}

/* ---- V65 ---- */

rh_status rh_v65_canonical(rh_trial *trial) {
  rh_rig rig;
  if (!(trial->strategy->promises & RH_CANONICAL_ORDER))
    return rh_trial_skip(trial, "does not promise it");
  RH_TRY(rh_unless_declined(rh_rig_close(&rig, try_grouping(&rig, trial))));
  return rh_try_pairs(trial, elements_of((rows_and){MOST_ROWS, 0}, 1), 9, rounds, NULL, try_floats);
}
