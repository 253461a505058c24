#include "check.h"

#include <float.h>

void rh_field_sum_of(rh_field_sum *to, const rh_exact_sum *exact, const rh_enclosed *enclosed) {
  rh_exact_sum finite = {.positive = exact->positive, .negative = exact->negative};
  *to = (rh_field_sum){
      .sum = rh_exact_sum_long(&finite),
      .positive = rh_fixed_long(&exact->positive, 1),
      .negative = rh_fixed_long(&exact->negative, 1),
      .n = exact->n,
      .nans = exact->nans,
      .plus_infinities = exact->plus_infinities,
      .minus_infinities = exact->minus_infinities,
      .has_others = exact->has_others,
      .enclosed = *enclosed,
  };
  to->lost = fabsl(to->sum) * LDBL_EPSILON;
}

void rh_field_sum_merge(rh_field_sum *to, const rh_field_sum *part) {
  to->sum += part->sum;
  to->positive = (to->positive + part->positive) * (1 + LDBL_EPSILON);
  to->negative = (to->negative + part->negative) * (1 + LDBL_EPSILON);
  to->lost += part->lost + fabsl(to->sum) * LDBL_EPSILON;
  to->n += part->n;
  to->nans |= part->nans;
  to->plus_infinities |= part->plus_infinities;
  to->minus_infinities |= part->minus_infinities;
  to->has_others |= part->has_others;
  rh_enclosed_merge(&to->enclosed, RH_OP_sum, &part->enclosed);
}

double rh_field_sum_rounded(const rh_field_sum *sum, rh_type type) {
  int up = sum->plus_infinities > 0, down = sum->minus_infinities > 0;
  if (sum->nans || (up && down)) return (double)NAN;
  if (up || down) return up ? (double)INFINITY : -(double)INFINITY;
  if (sum->sum == 0) return sum->n > 0 && !sum->has_others ? -0.0 : 0.0;
  return type == RH_TYPE_f64 ? (double)sum->sum : (double)(float)sum->sum;
}
