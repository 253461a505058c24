/* V16 to V21: the descriptor, which is data. */
#include "internal.h"

/* Loads the descriptor without the host's checks. */
static rh_status open_raw(rh_trial *trial, const rh_plugin **plugin) {
  rh_dl dl;
  const void *symbol;
  *plugin = NULL;
  rh_trial_phase(trial, "loading");
  if (rh_dl_open(&dl, trial->path, &trial->error) != RH_OK ||
      rh_dl_symbol(&dl, trial->path, RH_PLUGIN_SYMBOL, &symbol, &trial->error) != RH_OK)
    return rh_trial_skip(trial, "cannot be loaded: %s", trial->error.message);
  *plugin = symbol;
  return RH_OK;
}

RH_TEST(16, "descriptor: magic, sizes, versions, flags", RH_LOADING_TEST) {
  const rh_plugin *plugin;
  RH_TRY(open_raw(trial, &plugin));
  return rh_validate_version(plugin, &trial->error);
}

/* Skips if V16 fails: then the rest of the descriptor cannot be read safely. */
static rh_status open_versioned(rh_trial *trial, const rh_plugin **plugin) {
  RH_TRY(open_raw(trial, plugin));
  if (rh_validate_version(*plugin, &trial->error) == RH_OK) return RH_OK;
  return rh_trial_skip(trial, "see V16: %s", trial->error.message);
}

static rh_status judge_each(rh_trial *trial, rh_validate_strategy *judge) {
  const rh_plugin *plugin;
  RH_TRY(open_versioned(trial, &plugin));
  if (rh_validate_names(plugin, &trial->error) != RH_OK)
    return rh_trial_skip(trial, "see V17: %s", trial->error.message);
  return rh_validate_each(plugin, judge, &trial->error);
}

RH_TEST(17, "descriptor: names and texts", RH_LOADING_TEST) {
  const rh_plugin *plugin;
  RH_TRY(open_versioned(trial, &plugin));
  RH_TRY(rh_validate_names(plugin, &trial->error));
  return judge_each(trial, rh_validate_texts);
}

RH_TEST_IS(18, "descriptor: functions are present", judge_each(trial, rh_validate_functions),
           RH_LOADING_TEST)
RH_TEST_IS(19, "descriptor: parameters", judge_each(trial, rh_validate_params), RH_LOADING_TEST)

/* Promises must be known and consistent: host code cannot need sub-groups, and identical bits
 * everywhere need a known depth. */
static rh_status judge_promises(const rh_strategy *strategy, rh_error *error) {
  RH_TRY(rh_validate_promises(strategy, error));
  if (strategy->device_kinds == RH_DEVICE_HOST && strategy->needs & ~(uint64_t)RH_FP64)
    return rh_fail(error, RH_E_PLUGIN,
                   "needs features of OpenCL devices (0x%llx) but runs on the host alone",
                   (unsigned long long)strategy->needs);
  if (strategy->promises & RH_KEEPS_ORDER && strategy->determinism == RH_BITS_VARY)
    return rh_fail(error, RH_E_PLUGIN,
                   "keeps the order of elements, but its bits may change from run to run");
  return RH_OK;
}

RH_TEST_IS(20, "descriptor: promises are known and consistent", judge_each(trial, judge_promises),
           RH_LOADING_TEST)

/* ---- V21 ---- */

static uint64_t mix_text(uint64_t hash, const char *s) {
  return s ? rh_hash(hash, s, strlen(s) + 1) : rh_hash(hash, &s, sizeof s);
}

static uint64_t hash_strategy(uint64_t hash, const rh_strategy *strategy) {
  hash = rh_hash(hash, strategy, RH_SIZE_1_0(rh_strategy, extension));
  hash = mix_text(mix_text(mix_text(hash, strategy->name), strategy->summary), strategy->about);
  hash = mix_text(mix_text(mix_text(hash, strategy->version), strategy->author), strategy->license);
  for (uint32_t k = 0; k < strategy->n_params; k++) {
    const rh_param *param = rh_strategy_param(strategy, k);
    hash = rh_hash(hash, param, RH_SIZE_1_0(rh_param, reserved));
    hash = mix_text(mix_text(mix_text(hash, param->key), param->doc), param->choices);
  }
  return hash;
}

static uint64_t hash_plugin(const rh_plugin *plugin) {
  uint64_t hash = rh_hash(0, plugin, RH_SIZE_1_0(rh_plugin, build));
  for (uint32_t k = 0; k < plugin->n_strategies; k++)
    hash = hash_strategy(hash, plugin->strategies[k]);
  return mix_text(hash, plugin->build);
}

RH_TEST(21, "descriptor: unchanged after a whole run", RH_RUN_TEST(0.2, 0.1)) {
  uint64_t before = hash_plugin(trial->plugin);
  rh_status status = rh_try_any_problem(trial, 1003);
  if (hash_plugin(trial->plugin) != before)
    return rh_trial_fail(trial, "the descriptor changed; it must be constant");
  return status;
}
