/* host/core/data/kinds.c and generate.c: generated data. */
#include "../../host/core/data/data.h"
#include "../suite/suite.h"
#include "io_support.h"

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

/* Of all elements of every type, for several seeds and sizes, and of some of large arrays. */
static const struct {
  const char *kind;
  uint64_t checksum;
} pinned[] = {
    {"uniform", 0x629d3b5d552b4984},    {"equal", 0x358fc66dbbb3b21d},
    {"ramp", 0x7952021144b58500},       {"cancel", 0x8ce2c5d8184f3626},
    {"huge", 0xc0b279ec7c314d53},       {"subnormal", 0x5c97bd8e90de6205},
    {"nan", 0x130e87e7bcd5cb4f},        {"hash", 0x45ebc4437e089603},
    {"onehot", 0x5e3cefb742b6c08b},     {"units", 0x4337f991e7f370e4},
    {"swing", 0x4f4c564138b53627},      {"zeros", 0x41f556dd73f4dfe5},
    {"infs", 0xeecafcfee6794fa1},       {"descending", 0x6eaf5ea818565b98},
    {"loguniform", 0x5d8f057c41fd579a}, {"least", 0x633a9af2b58fc89d},
    {"greatest", 0xf00250afaf30f95d},   {"ends", 0xeb334c9c3c934600},
    {"two", 0xc6eb19e62a532594},
};
enum { KINDS = sizeof pinned / sizeof *pinned };

static uint64_t add_bytes(uint64_t checksum, const void *data, uint64_t n) {
  const unsigned char *at = data;
  for (uint64_t k = 0; k < n; k++) checksum = (checksum ^ at[k]) * 0x100000001b3;
  return checksum;
}

static uint64_t add_array(uint64_t checksum, const char *kind, uint64_t seed, rh_type type,
                          uint64_t n) {
  rh_array array;
  generate(&array, kind, seed, type, n);
  checksum = add_bytes(checksum, rh_array_data(&array), n * rh_type_size(type));
  rh_array_finish(&array);
  return checksum;
}

static uint64_t add_some(uint64_t checksum, const rh_kind *kind, rh_type type, uint64_t n) {
  rh_recipe recipe = rh_recipe_make(9, type, n);
  for (uint64_t i = 0; i < n; i += n / 100) {
    uint64_t integer = rh_type_is_float(type) ? 0 : kind->integer(&recipe, i);
    double real = rh_type_is_float(type) ? kind->real(&recipe, i) : 0;
    checksum = add_bytes(add_bytes(checksum, &integer, sizeof integer), &real, sizeof real);
  }
  return checksum;
}

/* A seed gives the same data in every version, on every machine. */
TEST_LOOP(data_never_change, 0, KINDS) {
  static const uint64_t sizes[] = {0, 1, 2, 3, 7, 64, 1001, 2500};
  uint64_t checksum = 0xcbf29ce484222325;
  const char *kind = pinned[_i].kind;
  for (rh_type type = 1; type <= RH_N_TYPES; type++) {
    for (uint64_t seed = 0; seed < 6; seed++)
      for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        checksum = add_array(checksum, kind, seed, type, sizes[k]);
    checksum = add_some(checksum, rh_kind_find(kind), type, (1u << 24) + 1);
    checksum = add_some(checksum, rh_kind_find(kind), type, (uint64_t)5 << 32);
  }
  ck_assert_msg(checksum == pinned[_i].checksum, "%s: 0x%016llx", kind,
                (unsigned long long)checksum);
}

TEST(each_kind_is_pinned) {
  const char *const *kinds = rh_array_kinds();
  for (int k = 0; k < KINDS; k++) ck_assert_str_eq(kinds[k], pinned[k].kind);
  ck_assert_ptr_null(kinds[KINDS]);
}

/* Each element depends only on its kind and index, whatever the number of threads. */
TEST(threads_agree_with_single_elements) {
  const uint64_t n = ((uint64_t)1 << 20) + 12345;
  FINISHED(rh_array) array = {0};
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
  must_refuse(rh_array_generate(&array, "q", 1, RH_TYPE_f32, 9, NULL, &error),
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
