/* The operator of a request: a built-in one by its name, or one of the
 * user's. */
#pragma once

#include "job.h"

/* Enters the operator into the spec.  context: where operator files are searched for and
 * remembered.  The caller has locked the rh_redhost.  *made: what
 * spec->op points to, to be destroyed by the caller, or null if the operator is built in. */
rh_status rh_asked_name(const rh_request *asked, rh_context *context, rh_job_spec *spec,
                        rh_custom **made, rh_error *error);

/* The values of `self` with those that the constants name changed. */
rh_status rh_asked_change(const rh_custom *self, const rh_constant *constants, uint64_t n,
                          rh_expr_value values[RH_MOST_CONSTANTS], rh_error *error);
