#include "locate.h"
#include "../base/error.h"
#include "../base/log.h"
#include "../base/vocabulary.h"
#include "../operators/ops.h"
#include "../reduce/by_code.h"
#include "choose.h"

#include <string.h>

rh_status rh_locate(rh_redhost *redhost, const rh_job_spec *spec, rh_found *found,
                    rh_error *error) {
  const char *name = spec->strategy;
  redhost->chosen[0] = redhost->chose[0] = 0;
  redhost->device_failed = redhost->operator_failed = 0;
  *found = (rh_found){0};
  if (!rh_op_is_defined(spec->op, spec->type))
    return rh_fail(error, RH_E_USAGE, "operator %s is not defined for %s, only for %s",
                   rh_op_name(spec->op), rh_type_name(spec->type), rh_op_domain(spec->op));
  RH_TRY(rh_by_code_prepare(spec->custom, redhost, error));
  if (!name || strcmp(name, "auto") == 0) {
    const rh_entry *chosen;
    RH_TRY(rh_choose(redhost, spec, &chosen, error)); /* reports missing plugins */
    return rh_found_from_entry(found, chosen, error);
  }
  RH_TRY(rh_redhost_locate(redhost, name, found, error));
  if (found->missed[0]) rh_log(&redhost->options.reporter, RH_LOG_ERROR, "%s", found->missed);
  return RH_OK;
}

rh_status rh_locate_job(rh_job *job, rh_redhost *redhost, const rh_job_spec *spec,
                        rh_error *error) {
  rh_found found;
  rh_job_spec located = *spec;
  *job = (rh_job){.redhost = redhost, .spec = *spec};
  RH_TRY(rh_locate(redhost, spec, &found, error));
  located.strategy = found.name;
  located.plugin = found.path;
  rh_status status = rh_job_init(job, redhost, &located, error);
  job->spec.strategy = spec->strategy;
  job->spec.plugin = spec->plugin;
  rh_found_finish(&found);
  return status;
}
