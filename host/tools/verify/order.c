/* A value is a 32-bit word.  Combining mixes two words such that practically no other tree gives
 * the same result; 0 is the identity.  An element's highest bit makes loading it slow, and is not
 * part of its value. kernels/prelude/operators.cl has the device's version. */
#include "order.h"
#include "../../core/base/error.h"
#include "../../core/base/random.h"
#include "../../core/operation/ops.h"

#include <stdlib.h>
#include <string.h>

static const uint32_t identity = 0, slow = 0x80000000u, mixer = 0x2c1b3c6du;
enum { SPIN = 20000 }; /* as in operators.cl */

static void load(void *value, const void *input, uint64_t index) {
  uint32_t element = ((const uint32_t *)input)[index];
  if (element & slow)
    for (volatile uint32_t k = 0; k < SPIN;) k = k + 1;
  *(uint32_t *)value = element & ~slow;
}

static void group(void *accumulator, const void *value) {
  uint32_t *a = accumulator, b = *(const uint32_t *)value;
  *a = *a == 0 ? b : b == 0 ? *a : ((*a + b) * mixer) ^ (*a * b);
}

static void sided(void *accumulator, const void *value) {
  uint32_t *a = accumulator, b = *(const uint32_t *)value;
  *a = *a == 0 ? b : b == 0 ? *a : ((3 * *a + b) * mixer) ^ (*a * b);
}

static void fold_with(void (*combine)(void *, const void *), void *accumulator, const void *input,
                      uint64_t first, uint64_t n) {
  for (uint64_t k = first; k < first + n; k++) {
    uint32_t value;
    load(&value, input, k);
    combine(accumulator, &value);
  }
}

static void fold_group(void *accumulator, const void *input, uint64_t first, uint64_t n) {
  fold_with(group, accumulator, input, first, n);
}

static void fold_sided(void *accumulator, const void *input, uint64_t first, uint64_t n) {
  fold_with(sided, accumulator, input, first, n);
}

/* Declared as a commutative, inexact operator on u32, like a sum of floats. */
static rh_op row_of(const char *prelude, int sides) {
  return (rh_op){.struct_size = sizeof(rh_op),
                 .id = 0x10002,
                 .flags = RH_OP_COMMUTATIVE,
                 .element_size = sizeof(uint32_t),
                 .value_size = sizeof(uint32_t),
                 .name = sides ? "order" : "grouping",
                 .prelude = prelude,
                 .identity = &identity,
                 .load = load,
                 .combine = sides ? sided : group,
                 .fold = sides ? fold_sided : fold_group};
}

rh_status rh_order_setup(rh_rig *rig, rh_trial *trial, uint64_t n, const int64_t *params,
                         const rh_device *device, int sides) {
  RH_TRY(rh_rig_init(rig, trial, RH_OP_or, RH_TYPE_u32, n));
  free(rig->prelude);
  rig->prelude = rh_op_prelude_named(sides ? "order" : "grouping", RH_TYPE_u32);
  if (!rig->prelude) return rh_fail(&rig->error, RH_E_NOMEM, "no memory for a program's source");
  rig->row = row_of(rig->prelude, sides);
  if (params) memcpy(rig->params, params, sizeof rig->params);
  if (device) rig->device = device;
  return rh_rig_setup(rig);
}

rh_status rh_order_fill(rh_rig *rig, uint64_t n, uint64_t first, uint64_t round) {
  RH_TRY(rh_rig_fill(rig, "zeros", 1, n, first));
  uint32_t *elements = (uint32_t *)(void *)rig->place->memory + first;
  uint64_t state = round;
  for (uint64_t k = 0; k < n; k++) elements[k] = (uint32_t)rh_random_mix(k + 1) & ~slow;
  for (uint64_t k = rh_random_next(&state) % 16; round && n && k < 16; k++)
    elements[rh_random_next(&state) % n] |= slow;
  return rh_fixture_write(rig->place, &rig->error);
}
