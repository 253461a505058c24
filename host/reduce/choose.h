/* `auto`: the best strategy for a problem on the device at hand. */
#ifndef RH_REDUCE_CHOOSE_H
#define RH_REDUCE_CHOOSE_H

#include "job.h"

/* By the first of these that knows any of the strategies that can serve the problem: what was measured here of this
 * operator and type; what comes with redhost of it; what was measured, and then what comes with redhost, of one like it;
 * the strategies' own scores.  Never one whose result was wrong here.  *name is the registry's; why it was chosen stands
 * in redhost->chosen, and is reported as information. */
rh_status rh_choose(rh_redhost *redhost, const rh_job_spec *spec, const char **name,
                    rh_error *error);

#endif
