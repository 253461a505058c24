/* Answers that are rounded once: the exact reference's, which a strategy's answer checks. */
#pragma once

#include "../../core/run/job.h"
#include "../../operators/custom/custom.h"

/* From here on the spec, with its layout, asks for the exact answer, rounded once.  own: that of
 * spec->op, or null.  RH_DECLINED where redhost does not know it. */
rh_status rh_accuracy_ask(rh_job_spec *spec, rh_custom *own, rh_error *error);

/* RH_DECLINED where the answer would have to be the reference's, for calls without one. */
rh_status rh_accuracy_check_own(const rh_job *job, rh_error *error);

/* Puts the reference's answer into the result of a strategy that was found to be right, if the spec
 * asks for it. */
void rh_accuracy_take(const rh_job_spec *spec, const rh_reference *reference, rh_result *result);
