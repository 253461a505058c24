/* Time as another process has it: that of the clock, less what the process waits for a processor
 * that others use.  So a limit means the same on an idle machine and on a busy one. */
#ifndef RH_VERIFY_STOPWATCH_H
#define RH_VERIFY_STOPWATCH_H

#include <sys/types.h>

typedef struct rh_stopwatch {
  pid_t pid;
  double looked;          /* rh_now() of the last look */
  double ran_s, waited_s; /* of all its threads at the last look */
  double passed_s;
} rh_stopwatch;

/* Watches the process and its children. */
void rh_stopwatch_start(rh_stopwatch *watch, pid_t pid);
/* Seconds since the start.  Where the system does not tell who waits, those of the clock. */
double rh_stopwatch_read(rh_stopwatch *watch);

/* Seconds of the processors that the process's children have used so far; 0 where the system does
 * not tell. */
double rh_busy_s(pid_t pid);

#endif
