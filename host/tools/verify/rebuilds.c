/* V55: parameters that change code are declared RH_PARAM_REBUILD. */
#include "../../core/plug/plugin.h"
#include "../../core/run/params.h"
#include "points.h"
#include "problems.h"
#include "raw.h"

#include <string.h>

/* Where code is built: on the device, or on one that is described as being of another kind.  Code
 * for another kind need not build here; what setup wants to build is enough. */
typedef struct place {
  rh_trial *trial;
  int is_elsewhere;
} place;

static void describe_elsewhere(rh_rig *rig, rh_device *other) {
  *other = *rig->device;
  other->kind = other->kind == RH_DEVICE_CPU ? RH_DEVICE_GPU : RH_DEVICE_CPU;
  rig->device = other;
}

/* The hash of the code that setup builds with these parameters for max_n elements; 0 if
 * declined. */
static uint64_t code_with(const place *at, rh_pair pair, uint64_t max_n, const int64_t *params) {
  rh_rig rig;
  rh_device other;
  rh_status status = rh_rig_begin(&rig, at->trial, pair.op, pair.type, max_n);
  memcpy(rig.params, params, sizeof rig.params);
  if (at->is_elsewhere && rig.session) describe_elsewhere(&rig, &other);
  if (status == RH_OK) status = rh_rig_setup(&rig);
  uint64_t code = rig.code ^ rh_raw_take().code;
  if (status != RH_OK && !at->is_elsewhere) code = 0;
  rh_rig_finish(&rig);
  return code;
}

/* Few elements, and enough for all groups of a GPU: a parameter may matter at one size only. */
enum { BUILT_SIZES = 2 };
static const uint64_t built_for[BUILT_SIZES] = {1003, 1 << 24};

/* 1: some legal value of the parameter, with the other parameters as in `others`, changes the
 * code from `usual`. */
static int changes_code_at(const place *at, rh_pair pair, uint32_t k, uint64_t max_n,
                           const int64_t *others, uint64_t usual) {
  const rh_param *param = rh_strategy_param(at->trial->strategy, k);
  const int64_t values[] = {param->min, param->max, param->min + param->step, 2, 4, 8, 64, 128};
  int64_t params[RH_MAX_PARAMS];
  memcpy(params, others, sizeof params);
  for (size_t j = 0; usual && j < sizeof values / sizeof *values; j++) {
    if (!rh_param_allows(param, values[j], NULL, 0)) continue;
    params[k] = values[j];
    uint64_t code = code_with(at, pair, max_n, params);
    if (code && code != usual) return 1;
  }
  return 0;
}

/* 1: it does with the other parameters at their defaults, for any kind of problem. */
static int changes_code(const place *at, const rh_pair *kinds, uint32_t n_kinds, uint32_t k) {
  int64_t defaults[RH_MAX_PARAMS] = {0};
  rh_params_resolve(at->trial->strategy, NULL, 0, defaults, &at->trial->error);
  for (uint32_t kind = 0; kind < n_kinds; kind++)
    for (int j = 0; j < BUILT_SIZES; j++) {
      uint64_t usual = code_with(at, kinds[kind], built_for[j], defaults);
      if (changes_code_at(at, kinds[kind], k, built_for[j], defaults, usual)) return 1;
    }
  return 0;
}

/* Tries it with the other parameters at their bounds: one may matter only if another is large. */
static int changes_code_beside_others(const place *at, const rh_pair *kinds, uint32_t n_kinds,
                                      uint32_t k) {
  int64_t others[RH_MAX_PARAMS] = {0};
  for (uint32_t point = 0; point < rh_n_points(at->trial->strategy); point++) {
    rh_point(at->trial, point, others);
    for (uint32_t kind = 0; kind < n_kinds; kind++)
      for (int j = 0; j < BUILT_SIZES; j++) {
        uint64_t usual = code_with(at, kinds[kind], built_for[j], others);
        if (changes_code_at(at, kinds[kind], k, built_for[j], others, usual)) return 1;
      }
  }
  return 0;
}

rh_outcome rh_v55_rebuild(rh_trial *trial) {
  rh_pair kinds[RH_MOST_KINDS];
  const place here = {.trial = trial}, elsewhere = {.trial = trial, .is_elsewhere = 1};
  if (trial->strategy->n_params == 0) return rh_trial_skip(trial, "has no parameters");
  uint32_t n_kinds = rh_pair_kinds(trial, 1003, kinds);
  if (n_kinds == 0) return RH_SKIP;
  rh_raw_watch(trial->path);
  for (uint32_t k = 0; k < trial->strategy->n_params; k++) {
    const rh_param *param = rh_strategy_param(trial->strategy, k);
    int says = (param->flags & RH_PARAM_REBUILD) != 0;
    int does = changes_code(&here, kinds, n_kinds, k);
    if (does && !says)
      return rh_trial_fail(trial,
                           "%s changes the code that is built, but is not declared "
                           "RH_PARAM_REBUILD",
                           param->key);
    /* It may matter on one kind of device only. */
    if (says && !does && !changes_code(&elsewhere, kinds, n_kinds, k) &&
        !changes_code_beside_others(&here, kinds, n_kinds, k) &&
        !changes_code_beside_others(&elsewhere, kinds, n_kinds, k))
      return rh_trial_fail(trial,
                           "%s is declared RH_PARAM_REBUILD, but does not change the "
                           "code that is built",
                           param->key);
  }
  return RH_PASS;
}
