/* V49, V50, V54 to V57: promises about order, bits, parameters and run. */
#include "../base/error.h"
#include "../base/vocabulary.h"
#include "../plug/plugin.h"
#include "../reduce/instance.h"
#include "imports.h"
#include "points.h"
#include "problems.h"
#include "raw.h"

#include <stdio.h>
#include <string.h>

/* ---- V49 ---- */

rh_outcome rh_v49_order(rh_trial *trial) {
  static const uint64_t at[] = {1, 2, 3, 17, 64, 65, 255, 257, 1003, 4097, 65537};
  rh_rig rig;
  if (!(trial->strategy->promises & RH_KEEPS_ORDER))
    return rh_trial_skip(trial,
                         "does not promise it: operators that do not commute are declined for it");
  rh_status status = rh_rig_init(&rig, trial, RH_OP_affine, RH_TYPE_u64, 65537);
  if (status == RH_OK) status = rh_rig_setup(&rig);
  for (size_t k = 0; k < sizeof at / sizeof *at && status == RH_OK; k++)
    for (uint64_t seed = 0; seed < 3 && status == RH_OK; seed++)
      status = rh_rig_case(&rig, "hash", trial->seed + seed, at[k], k % 5);
  rh_outcome outcome = rh_rig_outcome(trial, &rig, status);
  if (outcome == RH_FAIL)
    outcome = rh_trial_fail(trial, "promises to keep the order: %s", rig.error.message);
  rh_rig_finish(&rig);
  return outcome;
}

/* ---- V50 ---- */

enum { REPEATS = 50, BITS_N = 100003 };

/* One setup, `times` runs: all alike, and like *first where there is one already. */
static rh_status repeat(rh_trial *trial, rh_pair pair, const int64_t *params, int times,
                        unsigned char first[16], int *has_first, int *differs) {
  _Alignas(16) unsigned char value[16];
  rh_rig rig;
  rh_status status = rh_rig_init(&rig, trial, pair.op, pair.type, BITS_N);
  if (params) memcpy(rig.params, params, sizeof rig.params);
  if (status == RH_OK) status = rh_rig_setup(&rig);
  /* Of all magnitudes: on uniform data different orders often round to the same sum. */
  if (status == RH_OK) status = rh_rig_fill(&rig, "loguniform", trial->seed, BITS_N, 0);
  for (int k = 0; k < times && status == RH_OK && !*differs; k++) {
    status = rh_rig_run(&rig, value);
    if (status != RH_OK) break;
    if (!*has_first) memcpy(first, value, 16);
    *has_first = 1;
    *differs = !rh_rig_same(&rig, first, value);
  }
  trial->error = rig.error;
  rh_rig_finish(&rig);
  return status;
}

static rh_outcome same_run(rh_trial *trial, rh_pair pair) {
  _Alignas(16) unsigned char first[16];
  int has_first = 0, differs = 0;
  for (int k = 0; k < 2; k++) {
    rh_status status = repeat(trial, pair, NULL, REPEATS / 2, first, &has_first, &differs);
    if (status != RH_OK) return rh_trial_fail(trial, "%s", trial->error.message);
  }
  if (!differs) return RH_PASS;
  return rh_trial_fail(
      trial, "promises the same bits from run to run, and %s of %s over %d elements varies",
      rh_op_name(pair.op), rh_type_name(pair.type), BITS_N);
}

/* Each parameter at its ends. */
static rh_outcome same_launch(rh_trial *trial, rh_pair pair) {
  _Alignas(16) unsigned char first[16];
  int has_first = 0, differs = 0;
  rh_status status = repeat(trial, pair, NULL, 1, first, &has_first, &differs);
  for (uint32_t k = 0; k < trial->strategy->n_params && status == RH_OK; k++) {
    const rh_param *param = rh_strategy_param(trial->strategy, k);
    const int64_t ends[] = {param->min, param->max};
    for (int j = 0; j < 2 && !differs; j++) {
      int64_t params[RH_MAX_PARAMS];
      rh_params_resolve(trial->strategy, NULL, 0, params, &trial->error);
      params[k] = ends[j];
      status = repeat(trial, pair, params, 1, first, &has_first, &differs);
      if (status == RH_DECLINED) status = RH_OK;
      if (differs)
        return rh_trial_fail(
            trial,
            "promises the same bits whatever the parameters, and with %s=%lld they are others",
            param->key, (long long)ends[j]);
    }
  }
  return status == RH_OK ? RH_PASS : rh_trial_fail(trial, "%s", trial->error.message);
}

/* On another device, in a context of its own. */
static rh_status repeat_on(const rh_trial *trial, const rh_cl_device *device, rh_pair pair,
                           unsigned char first[16], int *has_first, int *differs, rh_error *error) {
  rh_trial other = *trial;
  rh_options options = trial->redhost->options;
  options.device = device->label;
  other.text = (rh_text){0};
  rh_status status = rh_open(&other.redhost, &options, error);
  if (status != RH_OK) return status;
  status = repeat(&other, pair, NULL, 1, first, has_first, differs);
  *error = other.error;
  rh_close(other.redhost);
  return status;
}

/* Every device of this machine that serves it; one that does not has promised nothing. */
static rh_outcome same_everywhere(rh_trial *trial, rh_pair pair) {
  _Alignas(16) unsigned char first[16];
  const rh_cl_devices *devices;
  int has_first = 0, differs = 0;
  rh_status status = repeat(trial, pair, NULL, 1, first, &has_first, &differs);
  if (status != RH_OK) return rh_trial_fail(trial, "%s", trial->error.message);
  if (rh_redhost_devices(trial->redhost, &devices, &trial->error) != RH_OK) return RH_PASS;
  for (uint32_t k = 0; k < devices->n; k++) {
    const rh_cl_device *device = &devices->list[k];
    if (device == trial->redhost->device) continue;
    status = repeat_on(trial, device, pair, first, &has_first, &differs, &trial->error);
    if (status != RH_OK && status != RH_DECLINED)
      return rh_trial_fail(trial, "on %s: %s", device->name, trial->error.message);
    if (differs)
      return rh_trial_fail(
          trial, "promises the same bits on every device, and on %s they are others", device->name);
  }
  return RH_PASS;
}

rh_outcome rh_v50_determinism(rh_trial *trial) {
  rh_pair pairs[RH_MOST_PAIRS];
  rh_outcome outcome = RH_PASS;
  uint32_t n = rh_served_pairs(trial, BITS_N, pairs), tried = 0;
  if (n == 0) return RH_SKIP;
  if (trial->strategy->determinism == RH_BITS_VARY)
    return rh_trial_skip(trial, "promises nothing about bits");
  for (uint32_t k = 0; k < n && outcome == RH_PASS; k++) {
    if (rh_op_flags(pairs[k].op, pairs[k].type) & RH_OP_EXACT || pairs[k].op == RH_OP_prod)
      continue;
    if (tried++ == 2) break;
    outcome = same_run(trial, pairs[k]);
    if (outcome == RH_PASS && trial->strategy->determinism >= RH_BITS_SAME_LAUNCH)
      outcome = same_launch(trial, pairs[k]);
    if (outcome == RH_PASS && trial->strategy->determinism == RH_BITS_SAME_EVERYWHERE &&
        !rh_strategy_is_host(trial->strategy))
      outcome = same_everywhere(trial, pairs[k]);
  }
  return tried || outcome != RH_PASS ? outcome : rh_trial_skip(trial, "serves nothing that rounds");
}

/* ---- V54 ---- */

static rh_outcome try_params(rh_trial *trial, rh_pair pair, const int64_t *params, int *accepted) {
  static const uint64_t at[] = {1, 257, 1003, 20011};
  rh_rig rig;
  rh_status status = rh_rig_init(&rig, trial, pair.op, pair.type, 20011);
  memcpy(rig.params, params, sizeof rig.params);
  if (status == RH_OK) status = rh_rig_setup(&rig);
  *accepted = status == RH_OK;
  for (size_t k = 0; k < sizeof at / sizeof *at && status == RH_OK; k++)
    status = rh_rig_case(&rig, "hash", trial->seed + k, at[k], 0);
  rh_outcome outcome = status == RH_DECLINED ? RH_PASS : rh_rig_outcome(trial, &rig, status);
  if (outcome == RH_FAIL) {
    rh_text words = {0};
    rh_point_words(trial->strategy, params, &words);
    outcome = rh_trial_fail(trial, "%s%s: %s", words.length ? "with" : "by default",
                            rh_text_get(&words), rig.error.message);
    rh_text_finish(&words);
  }
  rh_rig_finish(&rig);
  return outcome;
}

/* Each at its least, initial and greatest value; then so many random points that are accepted. */
rh_outcome rh_v54_params(rh_trial *trial) {
  rh_pair pairs[RH_MOST_PAIRS];
  int64_t params[RH_MAX_PARAMS] = {0};
  uint32_t ends = rh_n_points(trial->strategy), wanted = trial->quick ? 5 : 20;
  int accepted;
  if (trial->strategy->n_params == 0) return rh_trial_skip(trial, "has no parameters");
  if (rh_served_pairs(trial, 20011, pairs) == 0) return RH_SKIP;
  rh_outcome outcome = RH_PASS;
  for (uint32_t k = 0; k < ends + 20 * wanted && wanted > 0 && outcome == RH_PASS; k++) {
    rh_point(trial, k, params);
    outcome = try_params(trial, pairs[0], params, &accepted);
    if (k >= ends) wanted -= (uint32_t)accepted;
  }
  return outcome;
}

/* ---- V55 ---- */

/* The code that setup builds with these parameters; 0 where they are declined. */
static uint64_t code_with(rh_trial *trial, rh_pair pair, const int64_t *params) {
  rh_rig rig;
  rh_status status = rh_rig_init(&rig, trial, pair.op, pair.type, 1003);
  memcpy(rig.params, params, sizeof rig.params);
  if (status == RH_OK) status = rh_rig_setup(&rig);
  uint64_t code = rig.code ^ rh_raw_take().code;
  if (status != RH_OK) code = 0;
  rh_rig_finish(&rig);
  return code;
}

/* 1: some legal value of the parameter gives other code than its default. */
static int changes_code(rh_trial *trial, rh_pair pair, uint32_t k, uint64_t usual) {
  const rh_param *param = rh_strategy_param(trial->strategy, k);
  const int64_t values[] = {param->min, param->max, param->min + param->step, 2, 4, 8, 64, 128};
  int64_t params[RH_MAX_PARAMS];
  for (size_t j = 0; j < sizeof values / sizeof *values; j++) {
    if (!rh_param_allows(param, values[j], NULL, 0)) continue;
    rh_params_resolve(trial->strategy, NULL, 0, params, &trial->error);
    params[k] = values[j];
    uint64_t code = code_with(trial, pair, params);
    if (code && code != usual) return 1;
  }
  return 0;
}

rh_outcome rh_v55_rebuild(rh_trial *trial) {
  rh_pair pairs[RH_MOST_PAIRS];
  int64_t params[RH_MAX_PARAMS];
  if (trial->strategy->n_params == 0) return rh_trial_skip(trial, "has no parameters");
  if (rh_served_pairs(trial, 1003, pairs) == 0) return RH_SKIP;
  rh_params_resolve(trial->strategy, NULL, 0, params, &trial->error);
  rh_raw_watch(trial->path);
  uint64_t usual = code_with(trial, pairs[0], params);
  for (uint32_t k = 0; k < trial->strategy->n_params; k++) {
    const rh_param *param = rh_strategy_param(trial->strategy, k);
    int says = (param->flags & RH_PARAM_REBUILD) != 0,
        does = changes_code(trial, pairs[0], k, usual);
    if (does && !says)
      return rh_trial_fail(trial, "%s changes the code that is built, and has no RH_PARAM_REBUILD",
                           param->key);
    if (says && !does)
      return rh_trial_fail(trial, "%s says RH_PARAM_REBUILD, and changes nothing that is built",
                           param->key);
  }
  return RH_PASS;
}

/* ---- V56, V57 ---- */

rh_outcome rh_v56_enqueues(rh_trial *trial) {
  _Alignas(16) unsigned char value[16];
  rh_rig rig;
  rh_outcome outcome = rh_rig_ordinary(&rig, trial, 5003, RH_RIG_PLAIN);
  if (outcome == RH_PASS)
    outcome = rh_rig_outcome(trial, &rig, rh_rig_fill(&rig, "hash", trial->seed, 5003, 0));
  rh_imports_watch(trial->path);
  if (outcome == RH_PASS) outcome = rh_rig_outcome(trial, &rig, rh_rig_run(&rig, value));
  rh_imports_seen seen = rh_imports_take();
  int waits = rig.reads || seen.waits, may_wait = rig.answer.finishes_on_host || !rig.session;
  if (outcome == RH_PASS && seen.memory)
    outcome = rh_trial_fail(trial, "run asks for memory: %s", seen.last);
  else if (outcome == RH_PASS && waits && !may_wait)
    outcome = rh_trial_fail(trial, "run waits (%s), and says that it finishes on the device",
                            rig.reads ? "read()" : seen.last);
  rh_rig_finish(&rig);
  return outcome;
}

rh_outcome rh_v57_build_error(rh_trial *trial) {
  rh_pair pairs[RH_MOST_PAIRS];
  rh_rig rig;
  rh_outcome outcome = RH_PASS;
  if (rh_strategy_is_host(trial->strategy)) return rh_trial_skip(trial, "builds nothing");
  if (rh_served_pairs(trial, 1003, pairs) == 0) return RH_SKIP;
  rh_status status = rh_rig_init(&rig, trial, pairs[0].op, pairs[0].type, 1003);
  rig.broken_line = "#error a fault put in by redhost --verify";
  if (status == RH_OK) status = rh_rig_setup(&rig);
  if (status == RH_OK)
    outcome = rig.code
                  ? rh_trial_fail(trial, "a kernel did not build, and setup says nothing of it")
                  : rh_trial_skip(trial, "builds nothing with the host's build()");
  else if (!strstr(rig.error.message, ".cl"))
    outcome = rh_trial_fail(trial, "a kernel did not build, and the error does not say where: %s",
                            rig.error.message);
  rh_rig_finish(&rig);
  return outcome;
}
