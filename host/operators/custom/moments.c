#include "internal.h"

/* The formulas of Chan, Golub and LeVeque 1979, as library/meanvar.json has them. */
static const struct {
  const char *name, *load, *let, *is, *combine;
} meanvar[] = {
    {"n", "1", "n", "a.n + b.n", "n"},
    {"mean", NULL, "d", "b.mean - a.mean",
     "a.n == 0 ? b.mean : b.n == 0 ? a.mean : d - d == 0 ? a.mean + d*r : a.mean*(1 - r) + "
     "b.mean*r"},
    {"m2", "0", "r", "b.n/n", "a.n == 0 ? b.m2 : b.n == 0 ? a.m2 : a.m2 + b.m2 + d*d*a.n*r"},
    {"large", "0", "e", "d*0x1p-128",
     "a.n == 0 ? b.large : b.n == 0 ? a.large : a.large + b.large + e*e*a.n*r"}};

int rh_moments_is(const rh_custom *self, const rh_definition *of) {
  int is = self->combine && self->op.flags & RH_OP_COMMUTATIVE && !of->where &&
           (of->n_fields == 3 || of->n_fields == 4) && of->n_lets == of->n_fields;
  for (uint32_t k = 0; is && k < of->n_fields; k++)
    is = self->fields[k].type == RH_TYPE_f64 &&
         strcmp(self->fields[k].name, meanvar[k].name) == 0 &&
         (!meanvar[k].load ||
          (of->fields[k].load && strcmp(of->fields[k].load, meanvar[k].load) == 0)) &&
         strcmp(of->lets[k].name, meanvar[k].let) == 0 &&
         strcmp(of->lets[k].text, meanvar[k].is) == 0 &&
         strcmp(of->fields[k].combine, meanvar[k].combine) == 0;
  return is;
}

void rh_moments_combine(void *a, const void *b, size_t size) {
  rh_moments left = {0}, right = {0};
  memcpy(&left, a, size);
  memcpy(&right, b, size);
  if (right.n == 0) return;
  if (left.n > 0) right = rh_moments_of_both(left, right);
  memcpy(a, &right, size);
}
