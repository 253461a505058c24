/* host/operators/expr: expressions.  The input is a list of them, as --map takes it. */
#include "../../host/operators/expr/expr.h"
#include "fuzz.h"

enum { N = 5, VARIABLES = 6 };

static const rh_operand variables[VARIABLES] = {{"x", RH_TYPE_f32}, {"y", RH_TYPE_f64},
                                                {"k", RH_TYPE_i32}, {"m", RH_TYPE_u64},
                                                {"b", RH_TYPE_i8},  {"a.h", RH_TYPE_f16}};
static const rh_let constants[] = {{"t", {1, 0.5L}}, {"q", {0, -3}}};
static const float x[N] = {0, -1.5f, 1e38f, -0.0f, 3};
static const double y[N] = {-1e308, 2, 0, 1e-310, -7};
static const int32_t k[N] = {INT32_MIN, -1, 0, 7, INT32_MAX};
static const uint64_t m[N] = {0, UINT64_MAX, 1, 63, 1ull << 63};
static const int8_t b[N] = {-128, -1, 0, 1, 127};
static const uint16_t h[N] = {0x7c00, 0xfe00, 1, 0x8000, 0x3c00};

typedef struct evaluated {
  uint64_t of[RH_EXPR_MOST_OUTPUTS][N];
} evaluated;

static void evaluate(const rh_exprs *exprs, uint64_t first, uint64_t n, evaluated *to) {
  const void *from[VARIABLES] = {x + first, y + first, k + first, m + first, b + first, h + first};
  void *outputs[RH_EXPR_MOST_OUTPUTS];
  uint64_t bound[RH_EXPR_MOST_SLOTS];
  memset(to, 0, sizeof *to);
  RULE(rh_exprs_constants_size(exprs) <= sizeof bound);
  rh_exprs_bind(exprs, 1000, bound);
  for (uint32_t j = 0; j < RH_EXPR_MOST_OUTPUTS; j++) outputs[j] = to->of[j];
  rh_exprs_eval(exprs, from, first, n, bound, outputs);
}

/* An element's value does not depend on those that are evaluated with it. */
static void check_one_by_one(const rh_exprs *exprs) {
  evaluated all, one;
  evaluate(exprs, 0, N, &all);
  for (uint64_t at = 0; at < N; at++) {
    evaluate(exprs, at, 1, &one);
    for (uint32_t j = 0; j < rh_exprs_count(exprs); j++) {
      rh_type type = rh_exprs_type(exprs, j);
      size_t size = type == RH_TYPE_i32 || type == RH_TYPE_u32 || type == RH_TYPE_f32 ? 4 : 8;
      RULE(memcmp((char *)all.of[j] + at * size, one.of[j], size) == 0);
    }
  }
}

static double number_at(rh_type type, const void *from, uint64_t at) {
  switch (type) {
  case RH_TYPE_i32: return ((const int32_t *)from)[at];
  case RH_TYPE_u32: return ((const uint32_t *)from)[at];
  case RH_TYPE_i64: return (double)((const int64_t *)from)[at];
  case RH_TYPE_u64: return (double)((const uint64_t *)from)[at];
  case RH_TYPE_f32: return (double)((const float *)from)[at];
  default: return ((const double *)from)[at];
  }
}

/* What any device may compute, this host may, too. */
static void check_enclosed(const rh_exprs *exprs) {
  const void *from[VARIABLES] = {x, y, k, m, b, h};
  uint64_t bound[RH_EXPR_MOST_SLOTS];
  double low[N], high[N];
  evaluated all;
  evaluate(exprs, 0, N, &all);
  rh_exprs_bind(exprs, 1000, bound);
  for (uint32_t j = 0; j < rh_exprs_count(exprs); j++) {
    if (rh_exprs_enclose(exprs, j, from, 0, N, bound, low, high) != 0) continue;
    for (uint64_t at = 0; at < N; at++) {
      double value = number_at(rh_exprs_type(exprs, j), all.of[j], at);
      RULE((low[at] <= value && value <= high[at]) || !(low[at] <= high[at]));
    }
  }
}

static void check_written(const rh_exprs *exprs) {
  static const rh_expr_name names[VARIABLES] = {"x0", "x1", "x2", "x3", "x4", "x5"};
  rh_expr_name outputs[RH_EXPR_MOST_OUTPUTS];
  rh_text text = {0};
  rh_exprs_write(exprs, &text, names, "i", "constants", "p", outputs);
  RULE(!text.failed && text.length > 0);
  for (uint32_t j = 0; j < rh_exprs_count(exprs); j++)
    RULE(strstr(rh_text_get(&text), outputs[j]) != NULL);
  rh_text_finish(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  rh_exprs *exprs;
  rh_error error = {0};
  uint64_t points[VARIABLES] = {1, 2, 3, 4, 5, 6}, outputs[RH_EXPR_MOST_OUTPUTS];
  char *text = as_text(data, size);
  RULE(rh_exprs_create(&exprs, variables, VARIABLES, constants, 2, 1, &error) == RH_OK);
  rh_status status = rh_exprs_outputs(exprs, text, "map", &error);
  if (status == RH_OK) {
    RULE(rh_exprs_count(exprs) > 0);
    check_one_by_one(exprs);
    check_enclosed(exprs);
    check_written(exprs);
    rh_exprs_modular(exprs, points, outputs);
  } else {
    fuzz_check_refusal(status, &error, RH_E_USAGE);
  }
  rh_exprs_destroy(exprs);
  free(text);
  return 0;
}
