/* V36: its own thread still calls the host after teardown. */
#include "../right.h"
#include <pthread.h>
#include <unistd.h>

static void *talk(void *of) {
  const rh_host *host = of;
  usleep(100000);
  host->log(host, RH_LOG_DEBUG, "still here");
  return NULL;
}

static void teardown(void *instance) {
  pthread_t thread;
  right *self = instance;
  if (pthread_create(&thread, NULL, talk, (void *)(uintptr_t)self->host) == 0)
    pthread_detach(thread);
}

RIGHT_BUT("logs_afterwards", .summary = "logs after teardown", .teardown = teardown);
