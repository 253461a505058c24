/* Memory for a result that the device writes and the host reads directly, without a read command.
 *
 * On an NVIDIA H200 a call whose last command reads 4 bytes back takes 14.7 us, one that only waits
 * for its kernel by clFinish 9.4, and one that watches the result's words arrive about 2.5 us less.
 * cl_nv_create_buffer gives buffers in the host's memory; kernels' writes arrive in their mapping.
 * OpenCL itself promises nothing about memory that is written while mapped, so it is tested before
 * it is used. */
#pragma once

#include "session.h"

enum { RH_CL_VISIBLE_BYTES = 64 }; /* of a result, at most */

/* Zero-initialised: there is none. */
typedef struct rh_cl_visible {
  cl_mem buffer;
  volatile uint32_t *words; /* where the host reads it */
  uint32_t n_words;
  /* Bit k: word k is watched.  0: only once the queue is finished does the result count. */
  uint32_t watched;
  uint32_t calls; /* since the queue was last finished */
} rh_cl_visible;

/* Leaves *visible unchanged if the device has no such memory, or if a trial shows that it does
 * not work.  bytes: of the result, at most
 * RH_CL_VISIBLE_BYTES, a multiple of 4.  written: bit k is set if a kernel
 * that writes the result surely writes its word k, and clear for padding. */
void rh_cl_visible_init(rh_cl_visible *visible, rh_cl_session *session, uint32_t bytes,
                        uint32_t written);
void rh_cl_visible_finish(rh_cl_visible *visible, rh_cl_session *session);

/* Call before the commands that write the result are enqueued. */
void rh_cl_visible_expect(rh_cl_visible *visible);

/* Waits until the commands enqueued since rh_cl_visible_expect() have written the result, and
 * copies it.  They may still be running then, but the result is final, because each word is written
 * once. */
rh_status rh_cl_visible_await(rh_cl_visible *visible, rh_cl_session *session, void *value,
                              rh_error *error);
