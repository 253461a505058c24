/* `auto`: the best strategy for a problem on the device at hand. */
#ifndef RH_REDUCE_AUTO_H
#define RH_REDUCE_AUTO_H

#include "job.h"

/* The strategy that is likely to take the shortest time of those that can serve the problem, each
 * by the best that is known of it: measured here, or what comes with redhost, of this operator and
 * type or of like ones, at the nearest sizes.  Where nothing is known of any, the one that promises
 * most by its own score.  Never one whose result was wrong here.  *entry is the registry's; why it
 * was chosen stands in redhost->chosen, and is reported as information. */
rh_status rh_choose(rh_redhost *redhost, const rh_job_spec *spec, const rh_entry **entry,
                    rh_error *error);

#endif
