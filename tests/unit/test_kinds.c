/* host/core/data/kinds.c and generate.c: generated data. */
#include "../../host/core/base/half.h"
#include "../../host/core/data/kinds.h"
#include "../suite/suite.h"
#include "io_support.h"

#include <float.h>

static void generate(rh_array *array, const char *kind, uint64_t seed, rh_type type, uint64_t n) {
  must(rh_array_generate(array, kind, seed, type, n, NULL, &error));
  ck_assert_uint_eq(array->n, n);
  ck_assert_uint_eq(array->type, type);
  ck_assert_uint_eq(array->dimensions, 1);
  ck_assert_uint_eq(array->offset_bytes, 0);
}

static double real_at(const rh_array *array, uint64_t i) {
  const void *data = rh_array_data(array);
  if (array->type == RH_TYPE_f16) return (double)rh_half_to_float(((const uint16_t *)data)[i]);
  if (array->type == RH_TYPE_f32) return (double)((const float *)data)[i];
  return ((const double *)data)[i];
}

static int64_t integer_at(const rh_array *array, uint64_t i) {
  const void *data = rh_array_data(array);
  switch (array->type) {
  case RH_TYPE_i8: return ((const int8_t *)data)[i];
  case RH_TYPE_u8: return ((const uint8_t *)data)[i];
  case RH_TYPE_i16: return ((const int16_t *)data)[i];
  case RH_TYPE_u16: return ((const uint16_t *)data)[i];
  case RH_TYPE_i32: return ((const int32_t *)data)[i];
  case RH_TYPE_u32: return ((const uint32_t *)data)[i];
  default: return ((const int64_t *)data)[i];
  }
}

TEST(every_kind_in_every_type_and_size) {
  static const uint64_t sizes[] = {0, 1, 2, 3, 1000};
  for (const char *const *kind = rh_array_kinds(); *kind; kind++)
    for (rh_type type = 1; type <= RH_N_TYPES; type++)
      for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        rh_array array, again;
        generate(&array, *kind, 7, type, sizes[k]);
        generate(&again, *kind, 7, type, sizes[k]);
        ck_assert_uint_gt(array.region.bytes, 0);
        size_t length = sizes[k] * rh_type_size(type);
        ck_assert_int_eq(memcmp(rh_array_data(&array), rh_array_data(&again), length), 0);
        rh_array_finish(&array);
        rh_array_finish(&again);
      }
}

TEST(kinds_are_the_promised_ones) {
  static const char *const expected[] = {
      "uniform",    "equal",  "ramp",     "cancel", "huge",  "subnormal", "nan",
      "hash",       "onehot", "units",    "swing",  "zeros", "infs",      "descending",
      "loguniform", "least",  "greatest", "ends",   "two",   NULL};
  const char *const *kinds = rh_array_kinds();
  for (size_t k = 0; expected[k]; k++) {
    int found = 0;
    for (size_t of = 0; kinds[of]; of++) found |= strcmp(kinds[of], expected[k]) == 0;
    ck_assert_msg(found, "%s", expected[k]);
  }
}

/* Pinned: a seed gives the same data in every version, on every machine. */
TEST(data_never_changes) {
  rh_array array;
  generate(&array, "hash", 1, RH_TYPE_u64, 3);
  ck_assert_uint_eq(((const uint64_t *)rh_array_data(&array))[0], 0x8e15a1e60d1e8efdu);
  ck_assert_uint_eq(((const uint64_t *)rh_array_data(&array))[2], 0xb6a358f11b7730c1u);
  rh_array_finish(&array);
  generate(&array, "uniform", 1, RH_TYPE_f32, 2);
  ck_assert_double_eq(real_at(&array, 0), 0x1.89c9ep-5);
  ck_assert_double_eq(real_at(&array, 1), 0x1.9055780p-3);
  rh_array_finish(&array);
}

/* Each element depends only on its kind and index, whatever the number of threads. */
TEST(threads_agree_with_single_elements) {
  const uint64_t n = ((uint64_t)1 << 20) + 12345;
  rh_array array;
  said heard = {0};
  rh_reporter reporter = reporter_to(&heard);
  ck_assert_int_eq(rh_array_generate(&array, "uniform", 3, RH_TYPE_f32, n, &reporter, NULL), RH_OK);
  ck_assert_int_ge(heard.reports, 1);
  ck_assert_str_eq(heard.phase, "generating");
  ck_assert_uint_eq(heard.last_total, n);
  const rh_kind *kind = rh_kind_find("uniform");
  rh_recipe recipe = rh_recipe_make(3, RH_TYPE_f32, n);
  for (uint64_t i = 0; i < n; i++)
    if (real_at(&array, i) != kind->real(&recipe, i)) ck_abort_msg("at %llu", (long long)i);
  rh_array_finish(&array);
}

TEST(generating_can_be_cancelled) {
  rh_array array;
  said heard = {.cancel = 1};
  rh_reporter reporter = reporter_to(&heard);
  rh_status status =
      rh_array_generate(&array, "uniform", 1, RH_TYPE_f64, 1u << 22, &reporter, &error);
  ck_assert_int_eq(status, RH_E_CANCELLED);
  ck_assert_ptr_null(array.region.address);
}

TEST(generating_is_refused) {
  rh_array array;
  ck_assert_int_eq(rh_array_generate(&array, "unifrom", 1, RH_TYPE_f32, 9, NULL, &error),
                   RH_E_USAGE);
  ck_assert_str_eq(error.message, "unknown kind of data 'unifrom'; did you mean 'uniform'?");
  must_fail(rh_array_generate(&array, "q", 1, RH_TYPE_f32, 9, NULL, &error), RH_E_USAGE,
            "'q'; known: uniform equal ramp cancel huge");
  ck_assert_int_eq(rh_array_generate(&array, "ramp", 1, 99, 9, NULL, &error), RH_E_USAGE);
  ck_assert_int_eq(
      rh_array_generate(&array, "ramp", 1, RH_TYPE_f64, (uint64_t)1 << 61, NULL, &error),
      RH_E_USAGE);
  ck_assert_str_eq(error.message, "2305843009213693952 elements of f64: their size in bytes "
                                  "overflows 64 bits");
  ck_assert_int_eq(
      rh_array_generate(&array, "ramp", 1, RH_TYPE_f64, (uint64_t)1 << 60, NULL, &error),
      RH_E_NOMEM);
  ck_assert_ptr_null(array.region.address);
}

TEST(seeds_differ) {
  static const char *const random_kinds[] = {"uniform", "hash", "cancel", "loguniform"};
  for (size_t k = 0; k < 4; k++)
    for (rh_type type = 1; type <= RH_N_TYPES; type++) {
      rh_array one, two;
      generate(&one, random_kinds[k], 1, type, 100);
      generate(&two, random_kinds[k], 2, type, 100);
      ck_assert_int_ne(memcmp(rh_array_data(&one), rh_array_data(&two), 100 * rh_type_size(type)),
                       0);
      rh_array_finish(&one);
      rh_array_finish(&two);
    }
}

TEST(uniform_fills_its_range) {
  const uint64_t n = 300000;
  for (int k = 0; k < N_FLOATS; k++) {
    rh_array array;
    double sum = 0, least = 1, most = 0;
    generate(&array, "uniform", 1, float_types[k], n);
    for (uint64_t i = 0; i < n; i++) {
      double x = real_at(&array, i);
      sum += x;
      least = fmin(least, x);
      most = fmax(most, x);
    }
    ck_assert(least >= 0 && least < 0.001 && most > 0.999 && most < 1);
    ck_assert_double_eq_tol(sum / (double)n, 0.5, 0.005);
    rh_array_finish(&array);
  }
  for (rh_type type = 1; type <= N_INTEGERS; type++) {
    rh_array array;
    int64_t any = 0, all = -1;
    generate(&array, "uniform", 1, type, 1000);
    for (uint64_t i = 0; i < 1000; i++) {
      any |= integer_at(&array, i);
      all &= integer_at(&array, i);
    }
    unsigned bits = rh_type_size(type) * 8;
    uint64_t every = UINT64_MAX >> (64 - bits);
    ck_assert_uint_eq((uint64_t)any & every, every); /* each bit is set somewhere ... */
    ck_assert_uint_eq((uint64_t)all & every, 0);     /* ... and clear somewhere */
    rh_array_finish(&array);
  }
}

TEST(equal_and_ramp_are_plain) {
  for (rh_type type = 1; type <= RH_N_TYPES; type++) {
    rh_array ones, ramp;
    generate(&ones, "equal", 1, type, 2500);
    generate(&ramp, "ramp", 1, type, 2500);
    for (uint64_t i = 0; i < 2500; i++) {
      uint64_t expected = i % 1000;
      if (rh_type_is_float(type)) {
        ck_assert_double_eq(real_at(&ones, i), 1);
        ck_assert_double_eq(real_at(&ramp, i), (double)expected);
        continue;
      }
      ck_assert_int_eq(integer_at(&ones, i), 1);
      if (type == RH_TYPE_u8) expected %= 256;
      if (type == RH_TYPE_i8)
        ck_assert_int_eq(integer_at(&ramp, i), (int64_t)((expected + 128) % 256) - 128);
      else
        ck_assert_int_eq(integer_at(&ramp, i), (int64_t)expected);
    }
    rh_array_finish(&ones);
    rh_array_finish(&ramp);
  }
}

TEST(cancel_cancels) {
  for (uint64_t n = 10000; n <= 10001; n++)
    for (int k = 0; k < N_FLOATS; k++) {
      rh_array array;
      double sum = 0, magnitudes = 0;
      generate(&array, "cancel", 1, float_types[k], n);
      for (uint64_t i = 0; i < n; i++) {
        double x = real_at(&array, i);
        sum += x;
        magnitudes += fabs(x);
        if (i < 10000) ck_assert(fabs(x) >= 999 && fabs(x) <= 2001);
      }
      ck_assert_double_gt(magnitudes, 1400.0 * (double)n);
      ck_assert_double_lt(fabs(sum), magnitudes * 1e-4);
      ck_assert_double_ne(sum, 0);
      rh_array_finish(&array);
    }
  for (rh_type type = 1; type <= N_INTEGERS; type++) {
    rh_array array;
    uint64_t sum = 0;
    generate(&array, "cancel", 1, type, 1000);
    for (uint64_t i = 0; i < 1000; i++) sum += (uint64_t)integer_at(&array, i);
    ck_assert_uint_eq(sum & UINT64_MAX >> (64 - 8 * rh_type_size(type)), 0);
    ck_assert_int_ne(integer_at(&array, 0), 0);
    rh_array_finish(&array);
  }
}

TEST(huge_stands_once) {
  uint64_t last_place = UINT64_MAX;
  int moved = 0;
  for (uint64_t seed = 0; seed < 8; seed++) {
    static const double largest[] = {65504, FLT_MAX, DBL_MAX};
    for (int k = 0; k < N_FLOATS; k++) {
      rh_array array;
      uint64_t count = 0, place = 0;
      generate(&array, "huge", seed, float_types[k], 1000);
      for (uint64_t i = 0; i < 1000; i++)
        if (real_at(&array, i) > largest[k] * 0.99) {
          count++;
          place = i;
        } else
          ck_assert(real_at(&array, i) < 1);
      ck_assert_uint_eq(count, 1);
      ck_assert(isfinite(real_at(&array, place)));
      moved += place != last_place;
      last_place = place;
      rh_array_finish(&array);
    }
  }
  ck_assert_int_gt(moved, 12);
  for (rh_type type = 1; type < N_INTEGERS; type++) { /* u64 does not fit integer_at */
    rh_array array;
    int64_t most = 0, least = 0;
    generate(&array, "huge", 1, type, 1000);
    for (uint64_t i = 0; i < 1000; i++) {
      int64_t x = integer_at(&array, i);
      most = x > most ? x : most;
      least = x < least ? x : least;
    }
    int64_t top =
        (int64_t)(UINT64_MAX >> (64 - 8 * rh_type_size(type) + (unsigned)rh_type_is_signed(type)));
    ck_assert(most <= top && most >= top - 7);
    ck_assert_int_eq(least, 0);
    rh_array_finish(&array);
  }
}

TEST(subnormal_is_nothing_else) {
  static const double smallest_normal[] = {0x1p-14, (double)FLT_MIN, DBL_MIN};
  for (int k = 0; k < N_FLOATS; k++) {
    rh_array array;
    int negative = 0, positive = 0;
    generate(&array, "subnormal", 1, float_types[k], 10000);
    for (uint64_t i = 0; i < 10000; i++) {
      double x = real_at(&array, i);
      ck_assert(x != 0 && fabs(x) < smallest_normal[k]);
      if (x < 0)
        negative++;
      else
        positive++;
    }
    ck_assert(negative > 4000 && positive > 4000);
    rh_array_finish(&array);
  }
  rh_array array;
  int64_t ones = 0;
  generate(&array, "subnormal", 1, RH_TYPE_i32, 1000);
  for (uint64_t i = 0; i < 1000; i++) {
    ck_assert(integer_at(&array, i) == 0 || integer_at(&array, i) == 1);
    ones += integer_at(&array, i);
  }
  ck_assert(ones > 300 && ones < 700);
  rh_array_finish(&array);
}

TEST(nan_visits_the_edges) {
  int first = 0, middle = 0, last = 0, elsewhere = 0;
  for (uint64_t seed = 0; seed < 64; seed++) {
    rh_array array;
    int count = 0;
    generate(&array, "nan", seed, float_types[seed % 3], 1001);
    for (uint64_t i = 0; i < 1001; i++) {
      if (!isnan(real_at(&array, i))) continue;
      count++;
      if (i == 0)
        first++;
      else if (i == 500)
        middle++;
      else if (i == 1000)
        last++;
      else
        elsewhere++;
    }
    ck_assert(count >= 1 && count <= 4);
    rh_array_finish(&array);
  }
  ck_assert(first > 8 && middle > 8 && last > 8 && elsewhere > 8);
  ck_assert(first < 64 && middle < 64 && last < 64 && elsewhere < 64);
}

/* The promise of "hash": forwards and backwards, every partial sum in f32 is exact. */
TEST(hash_sums_exactly) {
  const uint64_t n = 1u << 20;
  for (int k = 0; k < 2; k++) { /* f16 is summed in f32 */
    rh_array array;
    float forwards = 0, backwards = 0;
    double exact = 0, magnitudes = 0, unit = 1e9;
    generate(&array, "hash", 5, float_types[k], n);
    for (uint64_t i = 0; i < n; i++) {
      double x = real_at(&array, i), y = real_at(&array, n - 1 - i);
      forwards += (float)x;
      backwards += (float)y;
      exact += x;
      magnitudes += fabs(x);
      if (x != 0) unit = fmin(unit, fabs(x));
    }
    ck_assert_double_eq((double)forwards, exact);
    ck_assert_double_eq((double)backwards, exact);
    ck_assert_double_gt(magnitudes / unit, (double)n * 4);
    ck_assert_double_le(magnitudes / unit, 0x1p24);
    rh_array_finish(&array);
  }
}

/* With more elements than exact sums allow, most are 0, but every stretch has some that are not. */
/* One array for several sizes and types: in its memory while that is enough. */
TEST(memory_is_used_again) {
  static const struct {
    rh_type type;
    uint64_t n;
  } steps[] = {
      {RH_TYPE_f32, 1000}, {RH_TYPE_f64, 0}, {RH_TYPE_u8, 1 << 16}, {RH_TYPE_f64, 1 << 17}};
  rh_array array = {0}, fresh;
  const void *first = NULL;
  for (int k = 0; k < 4; k++) {
    uint64_t n = steps[k].n, length = n * rh_type_size(steps[k].type);
    must(rh_array_reuse(&array, steps[k].type, n, 1 << 18, &error));
    must(rh_array_fill(&array, "hash", 7, NULL, &error));
    must(rh_array_generate(&fresh, "hash", 7, steps[k].type, n, NULL, &error));
    ck_assert_uint_eq(array.n, n);
    if (n) ck_assert_mem_eq(rh_array_data(&array), rh_array_data(&fresh), length);
    if (k == 0) first = rh_array_data(&array);
    if (k < 3) ck_assert_ptr_eq(rh_array_data(&array), first);
    rh_array_finish(&fresh);
  }
  ck_assert_int_ne(rh_array_reuse(&array, RH_TYPE_f64, UINT64_MAX / 16, 0, &error), RH_OK);
  ck_assert_ptr_null(array.region.address);
}

TEST(hash_thins_out) {
  static const uint64_t sizes[] = {(1u << 21) + 1, (1u << 24) + 1};
  const rh_kind *hash = rh_kind_find("hash");
  for (size_t k = 0; k < 2; k++) {
    rh_recipe recipe = rh_recipe_make(9, RH_TYPE_f32, sizes[k]);
    double magnitudes = 0, unit = 1e9;
    uint64_t gap = 0;
    for (uint64_t i = 0; i < sizes[k]; i++) {
      double x = fabs(hash->real(&recipe, i));
      gap = x != 0 ? 0 : gap + 1;
      if (gap > 8) ck_abort_msg("no element between %llu and %llu", (long long)i - 8, (long long)i);
      magnitudes += x;
      if (x != 0 && x < unit) unit = x;
    }
    ck_assert_double_le(magnitudes / unit, 0x1p24);
    ck_assert_double_gt(magnitudes / unit, (double)(1u << 21));
  }
  rh_recipe beyond = rh_recipe_make(9, RH_TYPE_f32, (uint64_t)5 << 32);
  int not_0 = 0;
  for (uint64_t i = 0; i < 10240; i++) not_0 += hash->real(&beyond, ((uint64_t)5 << 31) + i) != 0;
  ck_assert_int_eq(not_0, 5); /* one in 2048 */
}

TEST(onehot_has_one) {
  for (rh_type type = 1; type <= RH_N_TYPES; type++) {
    rh_array array;
    int ones = 0, zeros = 0;
    generate(&array, "onehot", 4, type, 999);
    for (uint64_t i = 0; i < 999; i++) {
      double x = rh_type_is_float(type) ? real_at(&array, i) : (double)integer_at(&array, i);
      ones += x == 1;
      zeros += x == 0 && !signbit(x);
    }
    ck_assert_int_eq(ones, 1);
    ck_assert_int_eq(zeros, 998);
    rh_array_finish(&array);
  }
}

/* Any subset's product must be a normal number, so there are few twos and few halves. */
TEST(units_multiply_exactly) {
  static const uint64_t sizes[] = {7, 64, 1001, 1u << 18};
  for (size_t s = 0; s < 4; s++)
    for (int k = 0; k < N_FLOATS; k++) {
      rh_array array;
      int twos = 0, halves = 0, negative = 0;
      generate(&array, "units", 2, float_types[k], sizes[s]);
      for (uint64_t i = 0; i < sizes[s]; i++) {
        double x = fabs(real_at(&array, i));
        negative += real_at(&array, i) < 0;
        twos += x == 2;
        halves += x == 0.5;
        ck_assert(x == 1 || x == 2 || x == 0.5);
        if (x != 1) ck_assert_double_eq(fabs(real_at(&array, i ^ 1)), 1 / x);
      }
      ck_assert_int_eq(twos, halves);
      ck_assert_int_le(twos, 64);
      if (sizes[s] > 100) ck_assert_int_gt(twos, 8);
      if (sizes[s] > 100) ck_assert(negative > 20 && (uint64_t)negative < sizes[s] - 20);
      rh_array_finish(&array);
    }
  rh_array array;
  generate(&array, "units", 2, RH_TYPE_i16, 100);
  for (uint64_t i = 0; i < 100; i++)
    ck_assert(integer_at(&array, i) == 1 || integer_at(&array, i) == -1);
  rh_array_finish(&array);
}

TEST(swings_leave_the_range_and_come_back) {
  static const uint64_t sizes[] = {1, 2, 7, 64, 1001};
  for (size_t s = 0; s < 5; s++)
    for (int k = 0; k < N_FLOATS; k++) {
      rh_array array;
      int negative = 0, at = 0, highest = 0;
      int limit = (int[]){15, 127, 1023}[k];
      generate(&array, "swing", 2, float_types[k], sizes[s]);
      for (uint64_t i = 0; i < sizes[s]; i++) {
        double x = real_at(&array, i);
        ck_assert_double_eq(fabs(x) * fabs(real_at(&array, sizes[s] - 1 - i)), 1);
        ck_assert(ldexp(1, ilogb(x)) == fabs(x) && abs(ilogb(x)) < limit);
        at += ilogb(x);
        highest = at > highest ? at : highest;
        negative += x < 0;
      }
      ck_assert_int_eq(at, 0);
      if (sizes[s] > 60) ck_assert(highest > 10 * limit);
      if (sizes[s] > 100) ck_assert(negative > 20 && (uint64_t)negative < sizes[s] - 20);
      rh_array_finish(&array);
    }
}

TEST(zeros_have_both_signs) {
  for (int k = 0; k < N_FLOATS; k++) {
    rh_array array;
    int negative = 0;
    generate(&array, "zeros", 1, float_types[k], 100);
    for (uint64_t i = 0; i < 100; i++) {
      ck_assert(real_at(&array, i) == 0);
      negative += signbit(real_at(&array, i)) != 0;
    }
    ck_assert(negative > 20 && negative < 80);
    rh_array_finish(&array);
  }
}

TEST(infs_come_alone_or_in_pairs) {
  int with_negative = 0;
  for (uint64_t seed = 0; seed < 64; seed++) {
    rh_array array;
    int positive = 0, negative = 0;
    generate(&array, "infs", seed, float_types[seed % 3], 100);
    for (uint64_t i = 0; i < 100; i++) {
      double x = real_at(&array, i);
      if (isinf(x) && x > 0)
        positive++;
      else if (isinf(x))
        negative++;
      else
        ck_assert(x >= 0 && x < 1);
    }
    ck_assert_int_eq(positive, 1);
    ck_assert_int_le(negative, 1);
    with_negative += negative;
    rh_array_finish(&array);
  }
  ck_assert(with_negative > 16 && with_negative < 48);
}

TEST(descending_descends) {
  static const uint64_t sizes[] = {1, 2, 100, 5000, 300000};
  for (rh_type type = 1; type <= RH_N_TYPES; type++)
    for (size_t s = 0; s < 5; s++) {
      rh_array array;
      double before = INFINITY;
      generate(&array, "descending", 1, type, sizes[s]);
      for (uint64_t i = 0; i < sizes[s]; i++) {
        double x = rh_type_is_float(type) ? real_at(&array, i) : (double)integer_at(&array, i);
        ck_assert(x >= 0 && x <= before);
        before = x;
      }
      ck_assert_double_eq(before, 0);
      rh_array_finish(&array);
    }
}

TEST(loguniform_spans_magnitudes) {
  for (int k = 0; k < N_FLOATS; k++) {
    rh_array array;
    double least = INFINITY, most = 0, span = k == 0 ? 12 : 20;
    int negative = 0, below_1 = 0;
    generate(&array, "loguniform", 1, float_types[k], 10000);
    for (uint64_t i = 0; i < 10000; i++) {
      double x = real_at(&array, i), magnitude = fabs(x);
      least = fmin(least, magnitude);
      most = fmax(most, magnitude);
      negative += x < 0;
      below_1 += magnitude < 1;
    }
    ck_assert(least >= exp2(-span) && least < exp2(1 - span));
    ck_assert(most <= exp2(span) && most > exp2(span - 1));
    ck_assert(negative > 4500 && negative < 5500 && below_1 > 4500 && below_1 < 5500);
    rh_array_finish(&array);
  }
  rh_array array;
  int widths = 0;
  generate(&array, "loguniform", 1, RH_TYPE_i16, 1000);
  for (uint64_t i = 0; i < 1000; i++) {
    int64_t x = integer_at(&array, i);
    ck_assert_int_ne(x, 0);
    widths |= 1 << (31 - __builtin_clz((unsigned)(x < 0 ? -x : x)));
  }
  ck_assert_int_eq(widths, 0x7fff);
  rh_array_finish(&array);
}

TEST(ends_are_the_types_own) {
  static const char *const of[] = {"least", "greatest", "ends", "two"};
  for (rh_type type = 1; type <= RH_N_TYPES; type++)
    for (int kind = 0; kind < 4; kind++) {
      rh_array array;
      int is_float = rh_type_is_float(type), bits = (int)rh_type_size(type) * 8, first = 0;
      double largest = type == RH_TYPE_f16   ? 65504
                       : type == RH_TYPE_f32 ? (double)FLT_MAX
                       : is_float            ? DBL_MAX
                                             : ldexp(1, bits - rh_type_is_signed(type));
      double least = is_float ? -largest : rh_type_is_signed(type) ? -largest : 0, a = 0, b = 0;
      generate(&array, of[kind], 3, type, 1000);
      for (uint64_t i = 0; i < 1000; i++) {
        double x = is_float ? real_at(&array, i) : (double)integer_at(&array, i);
        if (!is_float && !rh_type_is_signed(type)) x = (double)(uint64_t)integer_at(&array, i);
        if (i == 0) a = b = x;
        if (x != a && b == a) b = x;
        ck_assert_msg(x == a || x == b, "%s %s", of[kind], rh_type_name(type));
        first += x == a;
      }
      ck_assert_msg(kind < 2 ? first == 1000 : first > 300 && first < 700, "%s %s: %d", of[kind],
                    rh_type_name(type), first);
      /* A double holds no more than 53 bits of the largest integer. */
      double top = is_float ? largest : bits == 64 ? largest : largest - 1;
      if (kind == 0) ck_assert_double_eq(a, least);
      if (kind == 1) ck_assert_double_eq(a, top);
      if (kind == 2) ck_assert(fmin(a, b) == least && fmax(a, b) == top);
      rh_array_finish(&array);
    }
}
