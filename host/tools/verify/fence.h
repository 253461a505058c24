/* Watches the edges of what a plugin asks its host for: alloc's memory lies between guard pages,
 * scratch memory between canaries. */
#ifndef RH_VERIFY_FENCE_H
#define RH_VERIFY_FENCE_H

#include "../../core/cl/session.h"
#include "guard.h"

enum { RH_MOST_FENCED = 24 }; /* of each kind; what is asked for beyond that is not watched */

typedef struct rh_fenced_memory {
  rh_guard guard;
  unsigned char *address;
  uint64_t bytes;
} rh_fenced_memory;

typedef struct rh_fenced_buffer {
  cl_mem whole, given; /* given: a part of the whole, or the whole itself */
  uint64_t origin, bytes, whole_bytes;
} rh_fenced_buffer;

typedef struct rh_fence {
  /* 1: scratch memory is a sub-buffer, so that what is written before it shows, too.  Raw OpenCL
   * cannot make sub-buffers of it then. */
  int in_front;
  rh_fenced_memory memory[RH_MOST_FENCED];
  rh_fenced_buffer buffers[RH_MOST_FENCED];
  uint32_t n_memory, n_buffers;
} rh_fence;

/* As the host's services of these names; null or RH_E_NOMEM where nothing more can be watched. */
void *rh_fence_alloc(rh_fence *fence, uint64_t bytes);
rh_status rh_fence_scratch(rh_fence *fence, rh_cl_session *session, uint64_t bytes, cl_mem *buffer,
                           rh_error *error);

/* RH_E_WRONG, with what was touched, where somebody went over an edge. */
rh_status rh_fence_check(rh_fence *fence, rh_cl_session *session, rh_error *error);
/* After teardown, and after rh_services_finish. */
void rh_fence_finish(rh_fence *fence);

#endif
