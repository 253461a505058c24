/* Memory for a result that the device writes and the host reads directly, without a read command.
 *
 * On an NVIDIA H200 a call whose last command reads 4 bytes back takes 14.7 us, one that only waits
 * for its kernel 9.4.  cl_nv_create_buffer gives buffers in the host's memory; kernels' writes
 * arrive in their mapping.  OpenCL itself promises nothing about memory that is written while
 * mapped, so it is tested before it is used. */
#ifndef RH_CL_VISIBLE_H
#define RH_CL_VISIBLE_H

#include "session.h"

/* Zero-initialised: there is none. */
typedef struct rh_cl_visible {
  cl_mem buffer;
  const void *address; /* where the host reads it, once the queue is finished */
} rh_cl_visible;

/* Leaves *visible unchanged if the device has no such memory, or if a trial shows that it does
 * not work. */
void rh_cl_visible_init(rh_cl_visible *visible, rh_cl_session *session, size_t bytes);
void rh_cl_visible_finish(rh_cl_visible *visible, rh_cl_session *session);

#endif
