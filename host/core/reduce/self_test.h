/* One run of a strategy that was set up, on generated data and judged, before it runs unchecked. */
#ifndef RH_REDUCE_SELF_TEST_H
#define RH_REDUCE_SELF_TEST_H

#include "job.h"

/* A few thousand elements, or as many as the job was set up for, and then the odd end of them:
 * several work-groups, one that is not full, a range that does not start at the front.  Drivers
 * compile and load at the first launch, which is over with this.  RH_E_WRONG where an answer is
 * wrong. */
rh_status rh_job_self_test(rh_job *job, rh_error *error);

#endif
