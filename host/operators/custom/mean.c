/* The mean of elements whose exact sum is known. */
#include "../../core/check/fixed.h"
#include "refer.h"

#include <math.h>

/* x /= n.  The lowest place is 1 where something is left over, and far below any that a result
 * has, so that rounding knows of it. */
static void divide(rh_fixed *x, uint64_t n) {
  uint64_t rest = 0;
  for (int k = RH_FIXED_LIMBS - 1; k >= 0; k--) {
    rh_u128 part = (rh_u128)rest << 64 | x->limb[k];
    x->limb[k] = (uint64_t)(part / n);
    rest = (uint64_t)(part % n);
  }
  x->limb[0] |= rest != 0;
}

int rh_custom_mean(const rh_reference *reference, rh_type type, double *mean) {
  const rh_exact_sum *sum = &reference->sum;
  rh_fixed magnitude;
  if (reference->n == 0 || sum->nans || sum->plus_infinities || sum->minus_infinities) return 0;
  int is_below = rh_fixed_distance(&magnitude, &sum->positive, &sum->negative);
  divide(&magnitude, reference->n);
  *mean = type == RH_TYPE_f32 ? (double)rh_fixed_float(&magnitude) : rh_fixed_double(&magnitude);
  if (is_below || !sum->has_others) *mean = -*mean;
  return 1;
}
