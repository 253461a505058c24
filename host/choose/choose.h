/* `auto`: chooses the best strategy for a problem on the current device. */
#pragma once

#include "../core/run/job.h"

/* The strategy with the shortest estimated time of those that can serve the problem and, where the
 * order of combining decides the bits (rh_op_rounds), promise RH_CANONICAL_ORDER: the choice
 * changes no bit.  Each is estimated from the best data available: measured here or shipped with
 * redhost, for this operator and type or similar ones, at the nearest sizes.  Without any data, the
 * strategy with the highest score of its own.  Never a strategy whose result was wrong here.
 * *entry belongs to the registry; the reason for the choice is in context->chosen, and is logged as
 * information. */
rh_status rh_choose(rh_context *context, const rh_job_spec *spec, const rh_entry **entry,
                    rh_error *error);
