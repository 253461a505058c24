/* A value is a 32-bit word, and 0 the identity, with which combining does not count, because adding
 * the identity does not round.  An element's highest bit makes loading it slow, and is not part of
 * its value.  kernels/prelude/operators.cl has the device's version. */
#include "internal.h"

static const uint32_t identity = 0, slow = 0x80000000u, mixer = 0x2c1b3c6du;
enum { SPIN = 20000 }; /* as in operators.cl */

static void load(void *value, const void *input, uint64_t index) {
  uint32_t element = ((const uint32_t *)input)[index];
  if (element & slow)
    for (volatile uint32_t k = 0; k < SPIN;) k = k + 1;
  *(uint32_t *)value = element & ~slow;
}

/* Combines b, which is not the identity, into *a, and folds elements. */
#define OPERATOR(name, combined)                                                                   \
  static void name(void *accumulator, const void *value) {                                         \
    uint32_t *to = accumulator, a = *to, b = *(const uint32_t *)value;                             \
    *to = a == 0 ? b : b == 0 ? a : (combined);                                                    \
  }                                                                                                \
  static void fold_##name(void *accumulator, const void *input, uint64_t first, uint64_t n) {      \
    for (uint64_t k = first; k < first + n; k++) {                                                 \
      uint32_t value;                                                                              \
      load(&value, input, k);                                                                      \
      name(accumulator, &value);                                                                   \
    }                                                                                              \
  }
OPERATOR(grouping, ((a + b) * mixer) ^ (a * b))
OPERATOR(order, ((3 * a + b) * mixer) ^ (a * b))
OPERATOR(depth, (a > b ? a : b) + 1)

static const struct {
  const char *name; /* in the prelude */
  void (*combine)(void *, const void *);
  void (*fold)(void *, const void *, uint64_t, uint64_t);
} trees[] = {
    [RH_TREE_GROUPED] = {"grouping", grouping, fold_grouping},
    [RH_TREE_SIDED] = {"order", order, fold_order},
    [RH_TREE_DEPTH] = {"depth", depth, fold_depth},
};

/* Declared as a commutative, inexact operator on u32, like a sum of floats. */
rh_status rh_tree_open(rh_rig *rig, rh_trial *trial, rh_tree tree, uint64_t n,
                       const int64_t *params, const rh_device *device) {
  char *prelude = rh_op_prelude_named(trees[tree].name, RH_TYPE_u32);
  const rh_op row = {.struct_size = sizeof(rh_op),
                     .id = 0x10001 + (uint32_t)tree,
                     .flags = RH_OP_COMMUTATIVE,
                     .element_size = sizeof(uint32_t),
                     .value_size = sizeof(uint32_t),
                     .name = trees[tree].name,
                     .prelude = prelude,
                     .identity = &identity,
                     .load = load,
                     .combine = trees[tree].combine,
                     .fold = trees[tree].fold};
  const rh_rig_with with = {.row = &row, .params = params, .device = device};
  rh_status status = rh_rig_open(rig, trial, (rh_pair){RH_OP_or, RH_TYPE_u32}, n, &with);
  free(prelude);
  return status;
}

rh_status rh_tree_fill(rh_rig *rig, uint64_t n, uint64_t first, uint64_t round) {
  RH_TRY(rh_rig_fill(rig, "zeros", 1, n, first));
  uint32_t *elements = (uint32_t *)(void *)rig->place->memory + first;
  uint64_t state = round;
  int counts = rig->row.combine == depth;
  for (uint64_t k = 0; k < n; k++)
    elements[k] = counts ? 1 : (uint32_t)rh_random_mix(k + 1) & ~slow;
  for (uint64_t k = rh_random_next(&state) % 16; round && n && k < 16; k++)
    elements[rh_random_next(&state) % n] |= slow;
  return rh_fixture_write(rig->place, rig->error);
}

/* ---- V52: no element exceeds the declared depth, with every parameter ---- */

/* The operator counts combinations, as the error bound does.  Rounding errors could only estimate
 * the depth; a counter is exact. */
static rh_status count(rh_rig *rig, uint64_t n, uint32_t *deepest, double *run_s) {
  _Alignas(16) unsigned char value[16] = {0};
  RH_TRY(rh_tree_fill(rig, n, 0, 0));
  double start = rh_now();
  RH_TRY(rh_rig_run(rig, value));
  *run_s = rh_now() - start;
  memcpy(deepest, value, sizeof *deepest);
  if (*deepest > 0) *deepest -= 1;
  return RH_OK;
}

static rh_status measure(rh_trial *trial, uint64_t n, uint32_t point, const rh_device *device,
                         const char *how, double *run_s) {
  int64_t params[RH_MAX_PARAMS];
  uint32_t deepest = 0;
  rh_rig rig;
  rh_point(trial, point, params);
  rh_status status = rh_tree_open(&rig, trial, RH_TREE_DEPTH, n, params, device);
  if (status == RH_OK) status = count(&rig, n, &deepest, run_s);
  uint64_t declared = rig.answer.depth;
  rh_rig_finish(&rig);
  /* A strategy may decline some parameters or devices and accept others. */
  if (device || point) status = device ? RH_OK : rh_unless_declined(status);
  if (status != RH_OK || !declared || deepest <= declared) return status;
  rh_text where = {0};
  rh_point_words(trial->strategy, params, &where);
  rh_trial_fail(
      trial, "n = %llu%s%s: an element passes through %u combinations, but query declared %llu",
      (unsigned long long)n, rh_text_get(&where), how, deepest, (unsigned long long)declared);
  rh_text_finish(&where);
  return RH_E_WRONG;
}

static rh_status at_points(rh_trial *trial) {
  static const uint64_t at[] = {20011, 1003, 3, 300007};
  uint32_t points = rh_n_points(trial->strategy) + (trial->quick ? 0 : 15);
  double run_s;
  if (trial->strategy->n_params == 0) return RH_OK;
  for (uint32_t k = 1; k < points; k++)
    for (size_t j = 0; j < (trial->quick ? 1u : 4u); j++)
      RH_TRY(measure(trial, at[j], k, NULL, "", &run_s));
  return RH_OK;
}

static rh_status on_other_devices(rh_trial *trial) {
  rh_device device;
  char how[160], where[200];
  double run_s;
  for (uint32_t k = 0; rh_other_device(trial->device, k, &device, how); k++) {
    if (trial->quick && k % 7 != 0) continue; /* one of each kind */
    snprintf(where, sizeof where, " on a device with %s", how);
    RH_TRY(measure(trial, 20011, 0, &device, where, &run_s));
  }
  return RH_OK;
}

/* Under contention for one address, time grows faster than the number of elements. */
#define MOST_RUN_S 0.2

rh_status rh_v52_depth(rh_trial *trial) {
  static const uint64_t at[] = {1, 2, 3, 33, 257, 1003, 4097, 65537, 1000003, 1u << 22};
  enum { N = sizeof at / sizeof *at };
  double run_s = 0;
  for (size_t k = 0; k < N - (trial->quick ? 1 : 0); k++) {
    if (at[k] > 65537 && run_s > MOST_RUN_S) break;
    RH_TRY(measure(trial, at[k], 0, NULL, "", &run_s));
  }
  RH_TRY(at_points(trial));
  return on_other_devices(trial);
}
