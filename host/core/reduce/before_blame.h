/* A second look at the data before a strategy is blamed for a wrong answer. */
#ifndef RH_REDUCE_BEFORE_BLAME_H
#define RH_REDUCE_BEFORE_BLAME_H

#include "job.h"

/* Call it where an answer was found to be wrong, while the data are still there.  RH_E_FILE if they
 * are not those that *reference was computed of, and others than the strategy may write to them.
 * Else *reference may know more than before, of a struct operator: the answer has to be judged
 * again. */
rh_status rh_before_blame(const rh_job_spec *spec, const rh_job_part *part, rh_reference *reference,
                          rh_error *error);

#endif
