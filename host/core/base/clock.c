#include "base.h"

double rh_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void rh_condition_init(pthread_cond_t *condition) {
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init(condition, &monotonic);
  pthread_condattr_destroy(&monotonic);
}

int rh_condition_wait(pthread_cond_t *condition, pthread_mutex_t *lock, double deadline) {
  struct timespec until = {.tv_sec = (time_t)deadline};
  until.tv_nsec = (long)(1e9 * (deadline - (double)until.tv_sec));
  return pthread_cond_timedwait(condition, lock, &until) == ETIMEDOUT;
}
