/* Measures the time of another process: wall-clock time minus the time that it waits for a busy
 * processor.  A limit therefore means the same on an idle machine and on a busy one. */
#pragma once

#include <sys/types.h>

typedef struct rh_stopwatch {
  pid_t pid;
  double looked;          /* rh_now() at the last reading */
  double ran_s, waited_s; /* of all its threads at the last reading */
  double passed_s;
} rh_stopwatch;

/* Watches the process and its children. */
void rh_stopwatch_start(rh_stopwatch *watch, pid_t pid);
/* Seconds since the start; wall-clock time if the system does not report waiting times. */
double rh_stopwatch_read(rh_stopwatch *watch);

/* Processor time in seconds that the process's children have used so far; 0 if the system does
 * not report it. */
double rh_busy_s(pid_t pid);
