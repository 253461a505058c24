#include "settings.h"
#include "../base/error.h"
#include "../base/log.h"
#include "../base/text.h"
#include "../plug/plugin.h"
#include "job.h"

#include <stdio.h>
#include <string.h>

const char *rh_params_from_name(uint32_t from) {
  static const char *const names[] = {
#define RH_X(name, number, word) word,
      RH_PARAMS_FROM_LIST(RH_X)
#undef RH_X
  };
  return names[from < RH_N_PARAMS_FROM ? from : 0];
}

rh_status rh_settings_check(const rh_setting *settings, uint64_t n, rh_error *error) {
  if (n && !settings)
    return rh_fail(error, RH_E_USAGE, "settings is null, and n_settings is %llu",
                   (unsigned long long)n);
  for (uint64_t k = 0; k < n; k++)
    if (!settings[k].key || !settings[k].value)
      return rh_fail(error, RH_E_USAGE, "settings[%llu]: its %s is null", (unsigned long long)k,
                     settings[k].key ? "value" : "key");
  return RH_OK;
}

/* Applies the caller's settings over the current values. */
static rh_status apply_settings(rh_job *job, rh_error *error) {
  const rh_job_spec *spec = &job->spec;
  for (uint64_t k = 0; k < spec->n_settings; k++) {
    const rh_setting *setting = &spec->settings[k];
    if (spec->others_too && rh_params_find(job->strategy, setting->key) < 0) continue;
    RH_TRY(rh_params_apply(job->strategy, setting, 1, job->instance_spec.params, error));
    job->params_from.from = RH_PARAMS_FROM_USER;
  }
  return RH_OK;
}

rh_status rh_settings_defaults(rh_job *job, rh_error *error) {
  job->params_from = (rh_origin){.from = RH_PARAMS_FROM_DEFAULT};
  RH_TRY(rh_params_resolve(job->strategy, NULL, 0, job->instance_spec.params, error));
  return apply_settings(job, error);
}

static int is_typed(const rh_job *job, const char *key) {
  for (uint64_t k = 0; k < job->spec.n_settings; k++)
    if (strcmp(job->spec.settings[k].key, key) == 0) return 1;
  return 0;
}

int rh_settings_use(rh_job *job, const char *key, const char *value) {
  const rh_reporter *reporter = &job->context->options.reporter;
  const char *name = job->strategy->name;
  char range[128];
  if (is_typed(job, key)) return 0;
  int k = rh_params_find(job->strategy, key);
  if (k < 0) {
    rh_log(reporter, RH_LOG_INFO, "tuned %s=%s is ignored: '%s' has no such parameter", key, value,
           name);
    return 0;
  }
  const rh_param *param = rh_strategy_param(job->strategy, (uint32_t)k);
  if (rh_param_parse(param, value, &job->instance_spec.params[k])) return 1;
  rh_param_range(param, range, sizeof range);
  rh_log(reporter, RH_LOG_INFO, "tuned %s=%s is ignored: '%s' takes %s", key, value, name, range);
  return 0;
}

void rh_settings_reset(rh_job *job, const char *why) {
  char said[1024];
  /* `why` may point into the answer, which is overwritten */
  snprintf(said, sizeof said, "%s", why);
  rh_log(&job->context->options.reporter, RH_LOG_INFO,
         "parameters of '%s' are reset to the defaults; it cannot run with the tuned ones: "
         "%s",
         job->strategy->name, said);
  rh_settings_defaults(job, NULL);
}
