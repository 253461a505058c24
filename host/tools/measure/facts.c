#include "facts.h"
#include "../../core/base/clock.h"
#include "../../core/base/error.h"
#include "../../core/plug/plugin.h"

#include <stdio.h>
#include <string.h>

void rh_facts_note(rh_facts *facts, const rh_job *job) {
  facts->answer = job->answer;
  facts->params_from = job->params_from.from;
  snprintf(facts->params_note, sizeof facts->params_note, "%s", job->params_from.note);
  facts->n_params = job->strategy->n_params;
  for (uint32_t k = 0; k < facts->n_params; k++) {
    const rh_param *param = rh_strategy_param(job->strategy, k);
    rh_used_param *used = &facts->params[k];
    used->number = job->instance_spec.params[k];
    used->is_word = param->choices != NULL;
    snprintf(used->key, sizeof used->key, "%s", param->key);
    rh_param_format(param, used->number, used->text, sizeof used->text);
  }
}

rh_status rh_facts_ask(rh_facts *facts, rh_job *job, rh_error *error) {
  memset(facts, 0, sizeof *facts);
  RH_TRY(rh_job_ask(job, error));
  rh_facts_note(facts, job);
  return RH_OK;
}

rh_status rh_facts_run(rh_facts *facts, rh_job *job, rh_error *error) {
  double start = rh_now();
  RH_TRY(rh_job_value(job, facts->value, error));
  facts->first_s = rh_now() - start;
  const rh_cl_session *session = job->instance_spec.session;
  if (!session) return RH_OK;
  facts->on_device = 1;
  facts->builds = session->builds;
  facts->builds_cached = session->builds_cached;
  facts->build_s = session->build_s;
  facts->in_place = job->input.in_place;
  facts->upload_s = job->input.upload_s;
  return RH_OK;
}

rh_status rh_facts_measure(rh_facts *facts, rh_job *job, rh_error *error) {
  RH_TRY(rh_measure_quick(job, &facts->quick, error));
  facts->measured = 1;
  return RH_OK;
}
