/* A context and an in-order queue on one device. */
#ifndef RH_CL_SESSION_H
#define RH_CL_SESSION_H

#include "cache.h"
#include "devices.h"

/* The profiler learns of every command that a strategy's run enqueues, and may have an event
 * for it: asking for one is not free, so that nobody asks who does not look. */
typedef struct rh_cl_tap {
  void *user;
  /* Where the event of the command that is about to be enqueued goes; null: none.  `stage` names
   * the command. */
  cl_event *(*on_command)(void *user, const char *stage);
} rh_cl_tap;

/* [one thread at a time] */
typedef struct rh_cl_session {
  const rh_cl_device *device;
  cl_context context;
  cl_command_queue queue; /* where services enqueue; measuring puts another one here, and back */
  const rh_cl_tap *tap;   /* null: no profiling */
  rh_cache *cache;
  const rh_reporter *reporter;
  uint64_t input_bytes; /* of the input that was put on the device last: for messages */
  /* The cost of builds so far. */
  uint32_t builds, builds_cached;
  double build_s;
} rh_cl_session;

/* Borrows device, cache and reporter. */
rh_status rh_cl_session_init(rh_cl_session *session, const rh_cl_device *device, rh_cache *cache,
                             const rh_reporter *reporter, rh_error *error);
/* Works in the queue's own context, and in the queue, which is on `device`; retains both. */
rh_status rh_cl_session_adopt(rh_cl_session *session, const rh_cl_device *device,
                              cl_command_queue queue, rh_cache *cache, const rh_reporter *reporter,
                              rh_error *error);
/* Where the event of the next command goes, or null. */
static inline cl_event *rh_cl_event_for(const rh_cl_session *session, const char *stage) {
  return session->tap ? session->tap->on_command(session->tap->user, stage) : NULL;
}
void rh_cl_session_finish(rh_cl_session *session); /* zero-initialised is fine */

/* Builds `prelude` followed by `source` for the session's device, or takes it from the cache.
 * `file` names the source in messages.  A source that does not compile is RH_E_BUILD; the
 * compiler's log goes to the reporter and to a file. */
rh_status rh_cl_program(rh_cl_session *session, const char *file, const char *prelude,
                        const char *source, const char *options, cl_program *program,
                        rh_error *error);

#endif
