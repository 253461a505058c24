/* Acts if something that cannot be interrupted takes too long. */
#pragma once

#include <pthread.h>

/* Zero-initialised may be stopped. */
typedef struct rh_watchdog {
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  int runs, ends;
  double deadline; /* of rh_now() */
  void (*act)(void *user);
  void *user;
} rh_watchdog;

/* After so many seconds without rh_watchdog_stop() a thread calls act(), which ends the process.
 * *dog must not be moved meanwhile.  A system without threads to spare has no watchdog. */
void rh_watchdog_start(rh_watchdog *dog, double seconds, void (*act)(void *user), void *user);
void rh_watchdog_stop(rh_watchdog *dog);
