/* The process: a message for its crash, its signals, and its stack.
 *
 * A driver's compiler replaces the handlers of most signals by its own: those of LLVM swallow the
 * first SIGQUIT, and let an abort() end the process before our handler can say why.  So the program
 * has a sigaction() and a signal() of its own, which drivers find before the C library's. */
#pragma once

#include <signal.h>

#include "../core/run/run.h"

/* From here on a crash while `redhost` uses an OpenCL device gives a message and exit status 3,
 * because drivers abort if memory is short, also in their own threads.  Without a device it
 * remains a crash.  exit(), called by somebody else's code, gives a message and exit status 5.
 * null: the work is done. */
void rh_crash_watch(const rh_context *context);

/* For pthread_cleanup_push(), around the work: the same for pthread_exit(). */
void rh_crash_on_thread_end(void *unused);

/* From here on the crash of this rank of a job, or exit() called by somebody else's code, gives a
 * sentence that names it, and exit status 5.  MPI and drivers have handlers of their own, so this
 * is called after they have been opened; again if something has changed.  strategy: whose code runs
 * from here on, or null.  is_watched: another rank says how this one has ended. */
void rh_crash_watch_rank(uint32_t number, const char *host, const char *strategy, int is_watched);

/* The rank ends in order. */
void rh_crash_leave_rank(void);

/* For the program itself: as sigaction() of the C library. */
int rh_signal_action(int number, const struct sigaction *action, struct sigaction *old);
/* From here on nothing else that the process loads can change what the signal does. */
void rh_signal_hold(int number);

/* Other libraries use these for messages among processes: a job's. */
void rh_signals_release_user(void);

/* Calls main(argc, argv), in a thread of its own if this stack may not grow to a usual size; and
 * returns what it returns.  Threads that are started with the default size get that size, too:
 * those of drivers and plugins among them. */
int rh_with_stack(int (*main)(int argc, char **argv), int argc, char **argv);
