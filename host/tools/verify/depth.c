/* A value is 1 plus the number of combinations that its deepest element has been through. 0 is
 * the identity; combining with it does not count, because adding the identity does not round.
 * kernels/prelude/operators.cl has the device's version. */
#include "depth.h"
#include "../../core/base/clock.h"
#include "../../core/base/error.h"
#include "../../core/operation/ops.h"

#include <stdlib.h>
#include <string.h>

static const uint32_t identity = 0;

static void load(void *value, const void *input, uint64_t index) {
  *(uint32_t *)value = ((const uint32_t *)input)[index];
}

static void combine(void *accumulator, const void *value) {
  uint32_t *a = accumulator, b = *(const uint32_t *)value;
  *a = *a == 0 ? b : b == 0 ? *a : (*a > b ? *a : b) + 1;
}

static void fold(void *accumulator, const void *input, uint64_t first, uint64_t n) {
  for (uint64_t k = first; k < first + n; k++) combine(accumulator, (const uint32_t *)input + k);
}

/* Declared as a commutative, inexact operator on u32, like a sum of floats. */
static rh_op row_of(const char *prelude) {
  return (rh_op){.struct_size = sizeof(rh_op),
                 .id = 0x10001,
                 .flags = RH_OP_COMMUTATIVE,
                 .element_size = sizeof(uint32_t),
                 .value_size = sizeof(uint32_t),
                 .name = "depth",
                 .prelude = prelude,
                 .identity = &identity,
                 .load = load,
                 .combine = combine,
                 .fold = fold};
}

/* Every element is 1: a value that has not been combined. */
static rh_status fill_with_ones(rh_rig *rig, uint64_t n) {
  RH_TRY(rh_rig_fill(rig, "zeros", 1, n, 0));
  uint32_t *elements = (uint32_t *)(void *)rig->place->memory;
  for (uint64_t k = 0; k < n; k++) elements[k] = 1;
  return rh_fixture_write(rig->place, &rig->error);
}

static rh_status measure(rh_rig *rig, uint64_t n, uint32_t *deepest, double *run_s) {
  _Alignas(16) unsigned char value[16] = {0};
  RH_TRY(rh_rig_setup(rig));
  RH_TRY(fill_with_ones(rig, n));
  double start = rh_now();
  RH_TRY(rh_rig_run(rig, value));
  *run_s = rh_now() - start;
  memcpy(deepest, value, sizeof *deepest);
  if (*deepest > 0) *deepest -= 1;
  return RH_OK;
}

rh_status rh_depth_measure(rh_trial *trial, uint64_t n, const int64_t params[RH_MAX_PARAMS],
                           const rh_device *device, uint32_t *deepest, uint64_t *declared,
                           double *run_s, rh_error *error) {
  rh_rig rig;
  rh_status status = rh_rig_init(&rig, trial, RH_OP_or, RH_TYPE_u32, n);
  free(rig.prelude);
  rig.prelude = rh_op_prelude_named("depth", RH_TYPE_u32);
  rig.row = row_of(rig.prelude);
  memcpy(rig.params, params, sizeof rig.params);
  if (device) rig.device = device;
  if (status == RH_OK && !rig.prelude)
    status = rh_fail(&rig.error, RH_E_NOMEM, "no memory for a program's source");
  if (status == RH_OK) status = measure(&rig, n, deepest, run_s);
  *declared = rig.answer.depth;
  *error = rig.error;
  rh_rig_finish(&rig);
  return status;
}
