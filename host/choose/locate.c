#include "internal.h"

rh_status rh_locate(rh_context *context, const rh_job_spec *spec, rh_found *found,
                    rh_error *error) {
  const char *name = spec->strategy;
  context->chosen[0] = context->chose[0] = 0;
  context->device_failed = context->operator_failed = 0;
  *found = (rh_found){0};
  RH_TRY(rh_by_code_prepare(spec->operation.op, context, error));
  if (!name || strcmp(name, "auto") == 0) {
    const rh_entry *chosen;
    RH_TRY(rh_choose(context, spec, &chosen, error)); /* reports missing plugins */
    return rh_found_from_entry(found, chosen, error);
  }
  RH_TRY(rh_context_locate(context, name, found, error));
  if (found->missed[0]) rh_log(&context->options.reporter, RH_LOG_ERROR, "%s", found->missed);
  return RH_OK;
}

rh_status rh_locate_job(rh_job *job, rh_context *context, const rh_job_spec *spec,
                        rh_error *error) {
  RH_FINISHED(rh_found) found = {0};
  rh_job_spec located = *spec;
  *job = (rh_job){.context = context, .spec = *spec};
  RH_TRY(rh_locate(context, spec, &found, error));
  located.strategy = found.name;
  located.plugin = found.path;
  rh_status status = rh_job_init(job, context, &located, error);
  job->spec.strategy = spec->strategy;
  job->spec.plugin = spec->plugin;
  return status;
}
