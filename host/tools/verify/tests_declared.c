/* V29 and V55: what query and the parameters declare, with every parameter. */
#include "../../core/base/error.h"
#include "../../core/plug/plugin.h"
#include "../../core/run/params.h"
#include "imports.h"
#include "problems.h"

#include <string.h>

/* Counted by the host's services and by watching direct OpenCL calls. */
typedef struct amounts {
  uint32_t launches;
  uint64_t scratch_bytes, local_bytes;
} amounts;

static rh_outcome compare(rh_trial *trial, const rh_rig *rig, const amounts *used,
                          const char *where) {
  const rh_answer *said = &rig->answer;
  unsigned long long n = rig->max_n;
  if (used->launches != said->launches)
    return rh_trial_fail(trial, "n = %llu%s: %u launches, but query said %u", n, where,
                         used->launches, said->launches);
  if (!rig->session && !said->finishes_on_host)
    return rh_trial_fail(trial, "runs on the host, but declares that it finishes on the device");
  if (used->scratch_bytes > said->scratch_bytes)
    return rh_trial_fail(trial, "n = %llu%s: %llu B of device memory, but query said %llu", n,
                         where, (unsigned long long)used->scratch_bytes,
                         (unsigned long long)said->scratch_bytes);
  if (used->local_bytes > said->local_bytes)
    return rh_trial_fail(trial, "n = %llu%s: %llu B of local memory, but query said %llu", n, where,
                         (unsigned long long)used->local_bytes,
                         (unsigned long long)said->local_bytes);
  return RH_PASS;
}

/* A full run, then one over fewer elements, which may take fewer launches but uses the same
 * resources. */
static rh_status use_rig(rh_rig *rig, amounts *used, uint64_t seed) {
  rh_imports_take();
  RH_TRY(rh_rig_setup(rig));
  rh_imports_seen in_setup = rh_imports_take();
  RH_TRY(rh_rig_case(rig, "hash", seed, rig->max_n, 0));
  rh_imports_seen in_run = rh_imports_take();
  used->launches = rig->launches + in_run.launches;
  RH_TRY(rh_rig_case(rig, "hash", seed, rig->max_n / 3, 0));
  rh_imports_seen in_smaller = rh_imports_take();
  used->scratch_bytes = rig->services.scratch_bytes + in_setup.buffer_bytes + in_run.buffer_bytes +
                        in_smaller.buffer_bytes;
  used->local_bytes = rig->local_bytes;
  return RH_OK;
}

static rh_outcome forecast(rh_trial *trial, rh_pair pair, uint64_t n, uint32_t point,
                           int *accepted) {
  rh_rig rig;
  amounts used = {0};
  rh_text where = {0};
  rh_status status = rh_rig_init(&rig, trial, pair.op, pair.type, n);
  rh_point(trial, point, rig.params);
  if (status == RH_OK) status = use_rig(&rig, &used, trial->seed);
  *accepted = status != RH_DECLINED;
  rh_outcome outcome = status == RH_DECLINED ? RH_PASS : rh_rig_outcome(trial, &rig, status);
  rh_point_words(trial->strategy, rig.params, &where);
  if (outcome == RH_PASS && *accepted) outcome = compare(trial, &rig, &used, rh_text_get(&where));
  rh_text_finish(&where);
  rh_rig_finish(&rig);
  return outcome;
}

rh_outcome rh_v29_forecast(rh_trial *trial) {
  static const uint64_t at[] = {1003, 65537, 1, 1000003};
  rh_pair pairs[RH_MOST_PAIRS];
  uint32_t n = rh_served_pairs(trial, 1000003, pairs), points = rh_n_points(trial->strategy);
  rh_outcome outcome = n ? RH_PASS : RH_SKIP;
  int accepted;
  rh_imports_watch(trial->path);
  for (uint32_t k = 0; k < points + (trial->quick ? 0 : 10) && outcome == RH_PASS; k++) {
    if (k > 0 && trial->strategy->n_params == 0) break;
    for (size_t j = 0; j < (k == 0 ? 4u : trial->quick ? 1u : 3u) && outcome == RH_PASS; j++)
      outcome = forecast(trial, pairs[0], at[j], k, &accepted);
  }
  rh_imports_restore();
  return outcome;
}

/* ---- V55: parameters that change code are declared RH_PARAM_REBUILD ---- */

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
  uint64_t code = rig.code ^ rh_imports_take().code;
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
  if (at->trial->strategy->n_params == 1) return 0;
  for (uint32_t point = rh_n_points(at->trial->strategy) - 1; point > 0; point--) {
    if (point <= 2 * at->trial->strategy->n_params && (point - 1) / 2 == k) continue; /* alone */
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
  rh_imports_watch(trial->path);
  for (uint32_t k = 0; k < trial->strategy->n_params; k++) {
    const rh_param *param = rh_strategy_param(trial->strategy, k);
    int says = (param->flags & RH_PARAM_REBUILD) != 0;
    int does = changes_code(&here, kinds, n_kinds, k);
    if (does && !says)
      return rh_trial_fail(trial,
                           "%s changes the code that is built, but is not declared "
                           "RH_PARAM_REBUILD",
                           param->key);
    /* It may matter on one kind of device only, or beside others. */
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
