/* From a strategy's name, or "auto", to its file. */
#pragma once

#include "../core/run/job.h"

/* Finds spec->strategy, or the one that `auto` chooses.  Opens no plugin in this process. */
rh_status rh_locate(rh_context *context, const rh_job_spec *spec, rh_found *found, rh_error *error);

/* Locates as above, and calls rh_job_init() with what was found.  job->spec names what *spec
 * does. */
rh_status rh_locate_job(rh_job *job, rh_context *context, const rh_job_spec *spec, rh_error *error);
