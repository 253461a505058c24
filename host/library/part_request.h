/* A caller's request for a part whose elements are in memory. */
#pragma once

#include "handle.h"
#include "request.h"

typedef struct rh_part_request {
  rh_request request;
  rh_job_spec job;
  rh_custom *own; /* the user's operator, or null; to be destroyed */
  const void *data[RH_MOST_OPERANDS];
} rh_part_request;

/* Reads the request and judges it.  No elements are not refused. */
rh_status rh_part_request_read(rh_part_request *asked, rh_redhost *redhost,
                               const rh_request *request, rh_error *error);
