#include "internal.h"

/* The formulas of Chan, Golub and LeVeque 1979 are recognised. */
enum { N, MEAN, M2, LARGE, MOST_FIELDS };
static const char *const names[MOST_FIELDS] = {"n", "mean", "m2", "large"};
static const char *const lets[MOST_FIELDS][2] = {
    {"n", "a.n + b.n"}, {"d", "b.mean - a.mean"}, {"r", "b.n/n"}, {"e", "d*0x1p-128"}};
static const char mean[] = "a.n == 0 ? b.mean : b.n == 0 ? a.mean : "
                           "d - d == 0 ? a.mean + d*r : a.mean*(1 - r) + b.mean*r";
static const char *const combined[MOST_FIELDS] = {
    "n", mean, "a.n == 0 ? b.m2 : b.n == 0 ? a.m2 : a.m2 + b.m2 + d*d*a.n*r",
    "a.n == 0 ? b.large : b.n == 0 ? a.large : a.large + b.large + e*e*a.n*r"};

static rh_status make_pattern(rh_exprs **made, uint32_t n_fields, rh_error *error) {
  static const char *const of[2][MOST_FIELDS] = {{"a.n", "a.mean", "a.m2", "a.large"},
                                                 {"b.n", "b.mean", "b.m2", "b.large"}};
  rh_expr_variable variables[2 * MOST_FIELDS];
  for (uint32_t k = 0; k < 2 * n_fields; k++)
    variables[k] = (rh_expr_variable){of[k / n_fields][k % n_fields], RH_TYPE_f64};
  RH_TRY(rh_exprs_create(made, variables, 2 * n_fields, NULL, 0, 0, error));
  for (uint32_t k = 0; k < n_fields; k++)
    RH_TRY(rh_exprs_let(*made, lets[k][0], lets[k][1], "moments", error));
  for (uint32_t k = 0; k < n_fields; k++)
    RH_TRY(rh_exprs_output(*made, combined[k], RH_TYPE_f64, "moments", error));
  return RH_OK;
}

static int has_fields(const rh_custom *self) {
  if (!self->combine || (self->n_fields != M2 + 1 && self->n_fields != MOST_FIELDS)) return 0;
  for (uint32_t k = 0; k < self->n_fields; k++)
    if (self->fields[k].type != RH_TYPE_f64 || strcmp(self->fields[k].name, names[k]) != 0)
      return 0;
  for (uint32_t k = M2; k < self->n_fields; k++)
    if (!rh_exprs_is_literal(self->load, k, 0)) return 0;
  return self->op.flags & RH_OP_COMMUTATIVE && rh_exprs_is_literal(self->load, N, 1);
}

int rh_moments_is(const rh_custom *self) {
  rh_exprs *pattern = NULL;
  int is_same = has_fields(self) && make_pattern(&pattern, self->n_fields, NULL) == RH_OK &&
                rh_exprs_are_equal(self->combine, pattern);
  rh_exprs_destroy(pattern);
  return is_same;
}

void rh_moments_combine(void *a, const void *b, size_t size) {
  rh_moments left = {0}, right = {0};
  memcpy(&left, a, size);
  memcpy(&right, b, size);
  if (right.n == 0) return;
  if (left.n > 0) right = rh_moments_of_both(left, right);
  memcpy(a, &right, size);
}
