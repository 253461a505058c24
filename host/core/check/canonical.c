#include "check.h"

#include <redhost/canonical.h>

/* Numbers of 25 binary magnitudes for sums, which f16 has too; near 1 for products. */
static double number(uint32_t op, uint64_t bits) {
  double unit = (double)(bits >> 11) * 0x1p-53;
  double sign = bits & 1 ? -1 : 1;
  if (op == RH_OP_prod) return sign * (1 + (unit - 0.5) / 16);
  return sign * ldexp(1 + unit, (int)(rh_random_mix(bits) % 25) - 12);
}

void rh_canonical_data(uint32_t op, rh_type type, uint64_t seed, void *elements, uint64_t n) {
  for (uint64_t k = 0; k < n; k++) {
    double x = number(op, rh_random_mix(rh_random_mix(seed) + k));
    if (type == RH_TYPE_f16) ((uint16_t *)elements)[k] = rh_half_from_float((float)x);
    else if (type == RH_TYPE_f32) ((float *)elements)[k] = (float)x;
    else ((double *)elements)[k] = x;
  }
}

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

rh_status rh_canonical_trial_make(rh_canonical_trial *trial, uint32_t op, rh_type type,
                                  uint64_t most, int shared, rh_error *error) {
  *trial = (rh_canonical_trial){0};
  uint64_t tile = RH_CANONICAL_TILE_BYTES / rh_type_size(type);
  uint64_t n = 10 * tile + tile / 2 + tile / 8 + 1;
  if (n > most) n = most;
  RH_TRY(rh_array_reserve(&trial->array, type, n, shared, error));
  rh_canonical_data(op, type, 1, trial->array.region.address, n);
  rh_canonical_result(op, type, rh_array_data(&trial->array), n, &trial->expected);
  return RH_OK;
}

void rh_canonical_trial_finish(rh_canonical_trial *trial) { rh_array_finish(&trial->array); }

rh_status rh_canonical_trial_judge(const rh_canonical_trial *trial, uint32_t op, const char *name,
                                   const rh_result *result, rh_error *error) {
  const rh_array *array = &trial->array;
  if (rh_canonical_same(&trial->expected, result)) return RH_OK;
  return rh_fail(
      error, RH_E_WRONG,
      "strategy '%s' promises the canonical order and breaks it: %s of %llu elements of %s is %a "
      "instead of %a",
      name, rh_op_name(op), (unsigned long long)array->n, rh_type_name(array->type),
      result->value.f, trial->expected.value.f);
}
