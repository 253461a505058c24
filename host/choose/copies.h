/* Copies of an array to the context's device as a sampler: as a whole, or chunk by chunk, as
 * rh_arrays_reduce() takes them. */
#pragma once

#include "../core/cl/input.h"
#include "../engine/reduction/arrays.h"
#include "measure/sampler.h"

/* Zero-initialised may be closed. */
typedef struct rh_copies {
  const void *array;
  uint64_t bytes;
  rh_cl_session *session; /* null: chunk by chunk, by: */
  rh_cl_input input;
  rh_worker device;
  rh_job_spec job;
  rh_staging staging;
  rh_source source;
  uint64_t chunk;
} rh_copies;

/* Room on the device.  *copies must not be moved. */
rh_status rh_copies_open(rh_copies *copies, rh_context *context, const void *array, uint64_t bytes,
                         int in_chunks, rh_error *error);
/* The sampler's; every sample is of one copy. */
rh_status rh_copies_take(void *copies, const rh_take *how, rh_taken *taken, rh_error *error);
void rh_copies_close(rh_copies *copies);
