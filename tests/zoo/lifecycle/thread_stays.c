/* V36: leaves a thread behind. */
#include "../right.h"
#include <pthread.h>
#include <unistd.h>

static void *wait(void *nothing) {
  pause();
  return nothing;
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  pthread_t thread;
  RH_TRY(right_setup(host, problem, values, instance));
  if (pthread_create(&thread, NULL, wait, NULL)) return RH_E_INTERNAL;
  pthread_detach(thread);
  return RH_OK;
}

RIGHT_BUT("thread_stays", .summary = "leaves a thread behind", .setup = setup);
