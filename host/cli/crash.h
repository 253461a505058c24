/* An error message for a crash of this process. */
#pragma once

#include "../core/run/context.h"

/* From here on a crash while `redhost` uses an OpenCL device gives a message and exit status 3,
 * because drivers abort if memory is short, also in their own threads.  Without a device it
 * remains a crash.  exit(), called by somebody else's code, gives a message and exit status 5.
 * null: the work is done. */
void rh_crash_watch(const rh_context *context);

/* For pthread_cleanup_push(), around the work: the same for pthread_exit(). */
void rh_crash_on_thread_end(void *unused);

/* A rank of a job. */
typedef struct rh_crash_rank {
  uint32_t number;
  const char *host;
  const char *strategy; /* whose code runs from here on, or null */
  int is_watched;       /* another rank says how this one has ended */
} rh_crash_rank;

/* From here on the crash of this rank, or exit() called by somebody else's code, gives a sentence
 * that names it, and exit status 5.  MPI and drivers have handlers of their own, so this is called
 * after they have been opened; again if something of `rank` has changed. */
void rh_crash_watch_rank(const rh_crash_rank *rank);

/* The rank ends in order. */
void rh_crash_leave_rank(void);
