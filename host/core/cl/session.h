/* A context and an in-order queue on one device. */
#pragma once

#include "../base/text.h"
#include "cache.h"
#include "devices.h"

/* Profiling hook, called once for each command that a strategy's run enqueues.  Events cost time,
 * so it is installed only while measuring. */
typedef struct rh_cl_tap {
  void *user;
  /* Returns the place for the next command's event; null: none.  `stage` names the command. */
  cl_event *(*on_command)(void *user, const char *stage);
} rh_cl_tap;

/* [one thread at a time] */
typedef struct rh_cl_session {
  const rh_cl_device *device;
  cl_context context;
  cl_command_queue queue; /* where services enqueue; measuring replaces it temporarily */
  const rh_cl_tap *tap;   /* null: no profiling */
  rh_cache *cache;
  const rh_reporter *reporter;
  uint32_t compiled_only; /* 1: a program that is not in the cache is declined, not built */
  rh_text *build_log;     /* of builds that fail; null: it only goes to the reporter and a file */
  uint64_t input_bytes;   /* of the latest input on the device, for messages */
  /* The cost of builds so far. */
  uint32_t builds, builds_cached;
  double build_s;
} rh_cl_session;

/* Borrows device, cache and reporter. */
rh_status rh_cl_session_init(rh_cl_session *session, const rh_cl_device *device, rh_cache *cache,
                             const rh_reporter *reporter, rh_error *error);
/* Uses the queue, which is on `device`, and its context; retains both. */
rh_status rh_cl_session_adopt(rh_cl_session *session, const rh_cl_device *device,
                              cl_command_queue queue, rh_cache *cache, const rh_reporter *reporter,
                              rh_error *error);
/* The place for the next command's event, or null. */
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
