/* Ends the process if something that cannot be interrupted takes too long. */
#ifndef RH_CLI_WATCHDOG_H
#define RH_CLI_WATCHDOG_H

#include "terminal.h"

#include <pthread.h>

/* Zero-initialised may be stopped. */
typedef struct rh_watchdog {
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  int runs, ends;
  double deadline; /* of rh_now() */
  rh_terminal *terminal;
  const char *sentence;
  int exit_status;
} rh_watchdog;

/* After so many seconds without rh_watchdog_stop() it says the sentence and ends the process.  Must
 * not be moved meanwhile.  A system without threads to spare has no watchdog. */
void rh_watchdog_start(rh_watchdog *dog, double seconds, rh_terminal *terminal,
                       const char *sentence, int exit_status);
void rh_watchdog_stop(rh_watchdog *dog);

#endif
