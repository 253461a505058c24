#include "canonical.h"
#include "../base/half.h"
#include "../base/random.h"
#include "ops.h"

#include <math.h>
#include <redhost/canonical.h>

/* ---- Data ---- */

/* Of 25 binary magnitudes for sums, which f16 has too; near 1 for products. */
static double number(uint32_t op, uint64_t bits) {
  double unit = (double)(bits >> 11) * 0x1p-53;
  double sign = bits & 1 ? -1 : 1;
  if (op == RH_OP_prod) return sign * (1 + (unit - 0.5) / 16);
  return sign * ldexp(1 + unit, (int)(rh_random_mix(bits) % 25) - 12);
}

void rh_canonical_data(uint32_t op, rh_type type, uint64_t seed, void *elements, uint64_t n) {
  for (uint64_t k = 0; k < n; k++) {
    double x = number(op, rh_random_mix(rh_random_mix(seed) + k));
    if (type == RH_TYPE_f16)
      ((uint16_t *)elements)[k] = rh_half_from_float((float)x);
    else if (type == RH_TYPE_f32)
      ((float *)elements)[k] = (float)x;
    else
      ((double *)elements)[k] = x;
  }
}

/* ---- Results ---- */

void rh_canonical_result(uint32_t op, rh_type type, const void *elements, uint64_t n,
                         rh_result *result) {
  rh_canonical_value value;
  rh_canonical_fold(rh_op_find(op, type), elements, 0, n, &value);
  rh_op_result(op, type, &value, result);
}

int rh_canonical_same(const rh_result *a, const rh_result *b) {
  return a->type == b->type &&
         (a->value.u == b->value.u || (isnan(a->value.f) && isnan(b->value.f)));
}
