/* Programs hold a context, behind a lock, and what the library keeps of their calls. */
#pragma once

#include "../core/run/context.h"
#include "../engine/ranks/agree.h"
#include "sized.h"

#include <pthread.h>

struct rh_redhost {
  rh_context *context; /* all but its options changes under the lock */
  /* of the public functions but prepared runs */
  pthread_mutex_t lock;
  struct rh_kept *kept;           /* problems that rh_reduce() keeps set up; null until the first */
  struct rh_segmented *segmented; /* the same of the latest segments, or null */
  uint32_t n_prepared;            /* prepared reductions that are not destroyed */
  /* The built-in operation that ranks were last asked for, and what they compare. */
  rh_operation agreed;
  rh_digest agreed_digest;
  int closed; /* rh_close() was called; the last prepared reduction releases everything */
};

/* Locks *redhost for a public function other than a prepared run.  RH_E_INVALID if this thread
 * already holds the lock, in a callback of the caller's; or if the context is lost, or locked by a
 * thread that a forked process does not have. */
rh_status rh_redhost_enter(rh_redhost *redhost, rh_error *error);
void rh_redhost_release(rh_redhost *redhost);
/* releases it if it is closed and nothing prepared is left */
void rh_redhost_leave(rh_redhost *redhost);
