/* The way of an operand's host data to a device: in place where the device shares the host's
 * memory, or else through a buffer that is kept between calls. */
#pragma once

#include "../core/cl/input.h"

/* Zero-initialised, but for its size, is empty. */
typedef struct rh_transfer {
  uint32_t size; /* bytes of an element */
  /* For a device with its own memory: a buffer that the caller reserved.  Otherwise the last array,
   * in place. */
  rh_cl_input input;
  uintptr_t view; /* where `input` begins in host memory; 0: it is not a view */
  uint64_t view_bytes;
} rh_transfer;

/* Makes n > 0 elements visible in self->input.buffer, from element *first on.  `data` must live
 * until the queue is done with them. */
rh_status rh_transfer_bring(rh_transfer *self, rh_cl_session *session, const void *data, uint64_t n,
                            uint64_t *first, rh_error *error);

/* Forgets the array in place; a device's own buffer, too. */
void rh_transfer_drop(rh_transfer *self);
