/* A strategy in a process of its own as a job's remote: it is given data in parts, as in this
 * process, and each part is copied to where the process sees it. */
#pragma once

#include "../../core/run/job.h"
#include "peer.h"

#include <stdatomic.h>

typedef struct rh_isolated_worker rh_isolated_worker;

typedef struct rh_isolated_worker_spec {
  rh_context *context; /* borrowed, as all that follows */
  const rh_found *found;
  const rh_job_spec *job; /* its operator, settings and words for the data */
  const rh_cl_device *device;
  uint64_t most_n; /* elements of a part */
  double limit_s;
  int is_first;           /* of several workers, it alone reports progress */
  const atomic_int *stop; /* null, or 1 where it is to give up */
} rh_isolated_worker_spec;

/* Makes it, without the process, which starts when the strategy is first asked. */
rh_status rh_isolated_worker_open(rh_isolated_worker **made, const rh_isolated_worker_spec *spec,
                                  rh_error *error);
void rh_isolated_worker_close(rh_isolated_worker *worker); /* null is legal */

/* For rh_job_spec.remote. */
rh_remote *rh_isolated_worker_remote(rh_isolated_worker *worker);
/* What the strategy said when it was last set up. */
const rh_opened *rh_isolated_worker_opened(const rh_isolated_worker *worker);

/* Starts the process already, which ends with the thread that does. */
rh_status rh_isolated_worker_start(rh_isolated_worker *worker, rh_error *error);
/* Has the strategy torn down, until it is to run again.  Fails if that took the process down. */
rh_status rh_isolated_worker_rest(rh_isolated_worker *worker, rh_error *error);
