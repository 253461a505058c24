/* A caller's request for a part whose elements are in memory. */
#pragma once

#include "kept.h"
#include "request.h"

typedef struct rh_part_request {
  rh_request request;
  rh_job_spec job;
  rh_custom *own; /* the user's operator, or null; to be destroyed */
  const void *data[RH_MOST_OPERANDS];
} rh_part_request;

/* A call by a job that is set up for at least `most` elements, or streams all. */
rh_status rh_part_request_call(const rh_part_request *asked, rh_redhost *redhost, uint64_t most,
                               rh_kept_use *use, void *user, rh_error *error);

/* Reads the request and judges it.  No elements are not refused. */
rh_status rh_part_request_read(rh_part_request *asked, rh_redhost *redhost,
                               const rh_request *request, rh_error *error);
