#include "moments.h"
#include "../base/error.h"

#include <math.h>
#include <string.h>

/* What is recognised.  Chan, Golub and LeVeque 1979. */
static const char *const lets[][2] = {{"n", "a.n + b.n"}, {"d", "b.mean - a.mean"}, {"r", "b.n/n"}};
enum { N, MEAN, M2, FIELDS };
static const char *const names[FIELDS] = {"n", "mean", "m2"};
static const char mean[] = "a.n == 0 ? b.mean : b.n == 0 ? a.mean : "
                           "d - d == 0 ? a.mean + d*r : a.mean*(1 - r) + b.mean*r";
static const char *const combined[FIELDS] = {
    "n", mean, "a.n == 0 ? b.m2 : b.n == 0 ? a.m2 : a.m2 + b.m2 + d*d*a.n*r"};

/* ---- Recognising it ---- */

static rh_status make_pattern(rh_exprs **made, rh_error *error) {
  static const rh_expr_variable variables[2 * FIELDS] = {
      {"a.n", RH_TYPE_f64}, {"a.mean", RH_TYPE_f64}, {"a.m2", RH_TYPE_f64},
      {"b.n", RH_TYPE_f64}, {"b.mean", RH_TYPE_f64}, {"b.m2", RH_TYPE_f64}};
  RH_TRY(rh_exprs_create(made, variables, 2 * FIELDS, NULL, 0, 0, error));
  for (size_t k = 0; k < sizeof lets / sizeof *lets; k++)
    RH_TRY(rh_exprs_let(*made, lets[k][0], lets[k][1], "moments", error));
  for (uint32_t k = 0; k < FIELDS; k++)
    RH_TRY(rh_exprs_output(*made, combined[k], RH_TYPE_f64, "moments", error));
  return RH_OK;
}

static int has_fields(const rh_operator *self) {
  if (!self->combine || self->n_fields != FIELDS) return 0;
  for (uint32_t k = 0; k < FIELDS; k++)
    if (self->fields[k].type != RH_TYPE_f64 || strcmp(self->fields[k].name, names[k]) != 0)
      return 0;
  return self->op.flags & RH_OP_COMMUTATIVE && rh_exprs_is_literal(self->load, N, 1) &&
         rh_exprs_is_literal(self->load, M2, 0);
}

int rh_moments_is(const rh_operator *self) {
  rh_exprs *pattern = NULL;
  int is_same = has_fields(self) && make_pattern(&pattern, NULL) == RH_OK &&
                rh_exprs_are_equal(self->combine, pattern);
  rh_exprs_destroy(pattern);
  return is_same;
}

/* ---- Combining ---- */

void rh_moments_combine(void *a, const void *b) {
  rh_moments left, right;
  memcpy(&left, a, sizeof left);
  memcpy(&right, b, sizeof right);
  if (left.n == 0) {
    memcpy(a, b, sizeof right);
    return;
  }
  if (right.n == 0) return;
  double n = left.n + right.n, d = right.mean - left.mean, r = right.n / n;
  left.mean = isfinite(d) ? left.mean + d * r : left.mean * (1 - r) + right.mean * r;
  left.m2 = left.m2 + right.m2 + d * d * left.n * r;
  left.n = n;
  memcpy(a, &left, sizeof left);
}
