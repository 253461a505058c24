/* V29 and V55: what query and the parameters declare, with every parameter. */
#include "internal.h"

/* With what the host's services have counted, and the watch on direct OpenCL calls. */
static rh_status compare(const rh_rig *rig, uint32_t launches, uint64_t bytes, const char *where) {
  const rh_answer *said = &rig->answer;
  const struct {
    const char *name;
    unsigned long long used, said;
  } memory[] = {{"device", rig->services.scratch_bytes + bytes, said->scratch_bytes},
                {"local", rig->local_bytes, said->local_bytes}};
  unsigned long long n = rig->max_n;
  if (launches != said->launches)
    return rh_trial_fail(rig->trial, "n = %llu%s: %u launches, but query said %u", n, where,
                         launches, said->launches);
  if (!rig->session && !said->finishes_on_host)
    return rh_trial_fail(rig->trial,
                         "runs on the host, but declares that it finishes on the device");
  for (size_t k = 0; k < RH_COUNT(memory); k++)
    if (memory[k].used > memory[k].said)
      return rh_trial_fail(rig->trial, "n = %llu%s: %llu B of %s memory, but query said %llu", n,
                           where, memory[k].used, memory[k].name, memory[k].said);
  return RH_OK;
}

/* A full run, then one over fewer elements, which may take fewer launches but uses the same
 * resources. */
static rh_status forecast(rh_trial *trial, rh_pair pair, uint64_t n, uint32_t point) {
  RH_FINISHED(rh_rig) rig;
  RH_FINISHED(rh_text) where = {0};
  uint32_t launches = 0;
  int64_t params[RH_MAX_PARAMS];
  rh_point(trial, point, params);
  rh_point_words(trial->strategy, params, &where);
  rh_imports_take();
  rh_status status = rh_rig_open(&rig, trial, pair, n, &(rh_rig_with){.params = params});
  uint64_t in_setup = rh_imports_take().buffer_bytes;
  if (status == RH_OK) status = rh_rig_case(&rig, "hash", trial->seed, n, 0);
  rh_imports_seen in_run = rh_imports_take();
  launches = rig.services.launches + in_run.launches;
  if (status == RH_OK) status = rh_rig_case(&rig, "hash", trial->seed, n / 3, 0);
  uint64_t bytes = in_setup + in_run.buffer_bytes + rh_imports_take().buffer_bytes;
  if (status == RH_OK) status = compare(&rig, launches, bytes, rh_text_get(&where));
  return rh_unless_declined(status);
}

RH_TEST(29, "query: launches, device and local memory as declared", RH_RUN_TEST(0.3, 0.5)) {
  static const uint64_t at[] = {1003, 65537, 1, 1000003};
  uint32_t points = rh_n_points(trial->strategy, trial->quick ? 0 : 10);
  rh_pairs pairs;
  RH_TRY(rh_served_pairs(trial, 1000003, 1, &pairs));
  rh_imports_watch(trial->path);
  for (uint32_t k = 0; k < points; k++)
    for (size_t j = 0; j < (k == 0 ? 4u : trial->quick ? 1u : 3u); j++)
      RH_TRY(forecast(trial, pairs.list[0], at[j], k));
  return RH_OK;
}

/* ---- V55: parameters that change code are declared RH_PARAM_REBUILD ---- */

/* The hash of the code that setup builds with these parameters for max_n elements; 0 if declined.
 * elsewhere: on the device, described as being of another kind.  Code for that need not build here;
 * what setup wants to build is enough. */
static uint64_t code_with(rh_trial *trial, int elsewhere, rh_pair pair, uint64_t max_n,
                          const int64_t *params) {
  RH_FINISHED(rh_rig) rig;
  rh_device other = *trial->device;
  rh_rig_with with = {.params = params, .has_no_place = 1};
  other.kind = other.kind == RH_DEVICE_CPU ? RH_DEVICE_GPU : RH_DEVICE_CPU;
  if (elsewhere && trial->session) with.device = &other;
  rh_status status = rh_rig_open(&rig, trial, pair, max_n, &with);
  uint64_t code = rig.code ^ rh_imports_take().code;
  return status == RH_OK || elsewhere ? code : 0;
}

/* 1: some legal value of the parameter, with the other parameters as at this point, changes the
 * code for any kind of problem, of few elements, or of enough for all groups of a GPU: a parameter
 * may matter at one size only. */
static int changes_code(rh_trial *trial, const rh_pairs *kinds, uint32_t k, uint32_t point,
                        int elsewhere) {
  const rh_param *param = rh_strategy_param(trial->strategy, k);
  const int64_t values[] = {param->min, param->max, param->min + param->step, 2, 4, 8, 64, 128};
  for (uint32_t problem = 0; problem < 2 * kinds->n; problem++) {
    const rh_pair pair = kinds->list[problem / 2];
    const uint64_t max_n = problem % 2 ? 1 << 24 : 1003;
    int64_t params[RH_MAX_PARAMS];
    rh_point(trial, point, params);
    uint64_t usual = code_with(trial, elsewhere, pair, max_n, params);
    for (size_t j = 0; usual && j < RH_COUNT(values); j++) {
      if (!rh_param_allows(param, values[j])) continue;
      params[k] = values[j];
      uint64_t code = code_with(trial, elsewhere, pair, max_n, params);
      if (code && code != usual) return 1;
    }
  }
  return 0;
}

/* It may matter on one kind of device only, or if another parameter is large: the others are at
 * their bounds in turn. */
static int changes_code_somewhere(rh_trial *trial, const rh_pairs *kinds, uint32_t k) {
  uint32_t points = trial->strategy->n_params > 1 ? rh_n_points(trial->strategy, 0) : 1;
  for (uint32_t at = 1; at < 2 * points; at++)
    if (changes_code(trial, kinds, k, at / 2 ? points - at / 2 : 0, at % 2)) return 1;
  return 0;
}

RH_TEST(55, "parameters that change code are declared", RH_RUN_TEST(0.5, 0.1)) {
  rh_pairs kinds;
  if (trial->strategy->n_params == 0) return rh_trial_skip(trial, "has no parameters");
  RH_TRY(rh_pair_kinds(trial, 1003, &kinds));
  rh_imports_watch(trial->path);
  for (uint32_t k = 0; k < trial->strategy->n_params; k++) {
    const rh_param *param = rh_strategy_param(trial->strategy, k);
    int says = (param->flags & RH_PARAM_REBUILD) != 0;
    int does = changes_code(trial, &kinds, k, 0, 0);
    if (does && !says)
      return rh_trial_fail(
          trial, "%s changes the code that is built, but is not declared RH_PARAM_REBUILD",
          param->key);
    if (says && !does && !changes_code_somewhere(trial, &kinds, k))
      return rh_trial_fail(
          trial, "%s is declared RH_PARAM_REBUILD, but does not change the code that is built",
          param->key);
  }
  return RH_OK;
}
