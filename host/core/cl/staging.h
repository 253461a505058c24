/* A large copy from memory that is not pinned: threads copy it into pinned pieces, from which the
 * device takes it several times as fast. */
#pragma once

#include "session.h"

/* Below so many bytes, pinning takes longer than is gained. */
enum { RH_CL_STAGED_BYTES = 256 << 20 };

/* Copies `bytes` from `data` to the beginning of `buffer`, through the session's queue, and waits
 * for it; reports progress as "upload", in this thread.  RH_DECLINED, with nothing done, if the
 * driver pins no memory or no thread can be started. */
rh_status rh_cl_stage(rh_cl_session *session, cl_mem buffer, const void *data, uint64_t bytes,
                      rh_error *error);
