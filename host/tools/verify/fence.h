/* Memory whose bounds are watched: between inaccessible pages, where an access crashes, or between
 * canaries. */
#pragma once

#include "../../core/cl/session.h"

typedef struct rh_guard {
  unsigned char *begin, *end; /* the accessible part: whole pages */
} rh_guard;

/* At least `bytes` of accessible, zeroed memory between inaccessible regions. */
rh_status rh_guard_map(rh_guard *guard, size_t bytes, rh_error *error);
void rh_guard_unmap(rh_guard *guard); /* zero-initialised is fine */

enum { RH_MOST_FENCED = 24 }; /* of each kind; further requests fail */

typedef struct rh_fenced_memory {
  rh_guard guard;
  unsigned char *address;
  uint64_t bytes;
} rh_fenced_memory;

typedef struct rh_fenced_buffer {
  cl_mem whole, given; /* given: what the plugin gets, a part of the whole or all of it */
  uint64_t origin, bytes, whole_bytes;
} rh_fenced_buffer;

typedef struct rh_fence {
  /* 1: scratch memory is a sub-buffer, so that writes before it are detected, too.  A plugin
   * cannot make sub-buffers of it then. */
  int in_front;
  rh_fenced_memory memory[RH_MOST_FENCED];
  rh_fenced_buffer buffers[RH_MOST_FENCED];
  uint32_t n_memory, n_buffers;
} rh_fence;

/* Like the host's services of these names; null or RH_E_NOMEM when nothing more can be watched. */
void *rh_fence_alloc(rh_fence *fence, uint64_t bytes);
rh_status rh_fence_scratch(rh_fence *fence, rh_cl_session *session, uint64_t bytes, cl_mem *buffer,
                           rh_error *error);

/* RH_E_WRONG, with the byte, if an access was out of bounds. */
rh_status rh_fence_check(rh_fence *fence, rh_cl_session *session, rh_error *error);
/* After teardown, and after rh_services_finish. */
void rh_fence_finish(rh_fence *fence);
