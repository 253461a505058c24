/* A device's view of an array in host memory. */
#pragma once

#include "session.h"

typedef struct rh_cl_input {
  cl_mem buffer;
  uint64_t first;    /* the array's first element, counted in the buffer */
  uint32_t in_place; /* 1: the host's own memory, without a copy */
  double upload_s;   /* duration of the copy */
  uint64_t room;     /* bytes of the device's own buffer; 0: in place */
  /* In place: the host's memory that it covers. */
  uintptr_t view;
  uint64_t view_bytes;
} rh_cl_input;

/* RH_E_DEVICE, with both numbers, if `bytes` exceeds what the device can hold.  UINT64_MAX stands
 * for everything past 2^64. */
rh_status rh_cl_input_fits(const rh_cl_device *device, uint64_t bytes, const char *what,
                           rh_error *error);

/* `n` elements of `size` bytes that start `offset` bytes (a multiple of size) after the
 * page-aligned `region`.  If the device shares the host's memory, the buffer is the region itself,
 * which must outlive it. */
rh_status rh_cl_input_init(rh_cl_input *input, rh_cl_session *session, void *region,
                           uint64_t offset, uint64_t n, uint32_t size, rh_error *error);
/* A device buffer for up to `n` elements, to be filled later. */
rh_status rh_cl_input_reserve(rh_cl_input *input, rh_cl_session *session, uint64_t n, uint32_t size,
                              rh_error *error);
/* rh_cl_input_init() for consecutive arrays, which begin anywhere: a device buffer that is large
 * enough is reused, and so is one in place that covers the array; starts zero-initialised.  The
 * data must live until the queue is done with them. */
rh_status rh_cl_input_renew(rh_cl_input *input, rh_cl_session *session, const void *data,
                            uint64_t n, uint32_t size, rh_error *error);
/* Enqueues a copy of `bytes` from `data` to its beginning; `data` must live until the queue is done
 * with it. */
rh_status rh_cl_input_write(rh_cl_input *input, rh_cl_session *session, const void *data,
                            uint64_t bytes, rh_error *error);
void rh_cl_input_finish(rh_cl_input *input);
