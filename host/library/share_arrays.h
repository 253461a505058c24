/* A part whose elements are in memory. */
#pragma once

#include "../engine/partial/partial.h"
#include "kept.h"
#include "request.h"

/* What a caller asks for, of its elements. */
typedef struct rh_share_request {
  rh_request request;
  rh_job_spec job;
  rh_custom *own; /* the user's operator, or null; to be destroyed */
  const void *data[RH_MOST_OPERANDS];
} rh_share_request;

/* Reads the request and judges it.  No elements are not refused. */
rh_status rh_share_ask(rh_share_request *asked, rh_redhost *redhost, const rh_request *request,
                       rh_error *error);

typedef struct rh_share_arrays {
  rh_redhost *redhost;
  const void *const *arrays; /* one for each operand, */
  uint64_t first_element;    /* from this element of the whole on */
  /* With the operator, and set up for rh_share_chunk() elements or a ring; null: there are no
   * tiles. */
  rh_kept_job *kept;
} rh_share_arrays;

/* The most elements of a chunk, in a part of that many. */
uint64_t rh_share_chunk(const rh_job_spec *job, uint64_t n);

/* Adds the values of n elements from `first` on, in whole tiles; only the last tile of the whole
 * may be short.  RH_E_WRONG for a wrong chunk. */
rh_status rh_share_reduce(rh_partial *partial, const rh_share_arrays *arrays, uint64_t first,
                          uint64_t n, rh_error *error);
