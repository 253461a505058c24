#include "outcome.h"
#include "../base/clock.h"
#include "../base/error.h"
#include "../plug/plugin.h"

#include <stdio.h>
#include <string.h>

rh_status rh_outcome_ask(rh_outcome *outcome, rh_job *job, rh_error *error) {
  memset(outcome, 0, sizeof *outcome);
  RH_TRY(rh_job_ask(job, error));
  outcome->answer = job->answer;
  outcome->n_params = job->strategy->n_params;
  for (uint32_t k = 0; k < outcome->n_params; k++) {
    const rh_param *param = rh_strategy_param(job->strategy, k);
    rh_used_param *used = &outcome->params[k];
    used->number = job->instance_spec.params[k];
    used->is_word = param->choices != NULL;
    snprintf(used->key, sizeof used->key, "%s", param->key);
    rh_param_format(param, used->number, used->text, sizeof used->text);
  }
  return RH_OK;
}

rh_status rh_outcome_run(rh_outcome *outcome, rh_job *job, rh_error *error) {
  double start = rh_now();
  RH_TRY(rh_job_value(job, outcome->value, error));
  outcome->first_s = rh_now() - start;
  const rh_cl_session *session = job->instance_spec.session;
  if (!session) return RH_OK;
  outcome->on_device = 1;
  outcome->builds = session->builds;
  outcome->builds_cached = session->builds_cached;
  outcome->build_s = session->build_s;
  outcome->in_place = job->input.in_place;
  outcome->upload_s = job->input.upload_s;
  return RH_OK;
}

rh_status rh_outcome_measure(rh_outcome *outcome, rh_job *job, rh_error *error) {
  RH_TRY(rh_measure_quick(job, &outcome->quick, error));
  outcome->measured = 1;
  return RH_OK;
}
