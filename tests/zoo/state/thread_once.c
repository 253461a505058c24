/* V58: the first run starts a thread that never ends. */
#include "state.h"
#include <pthread.h>
#include <unistd.h>

static void *wait_for_ever(void *nothing) {
  for (;;) pause();
  return nothing;
}

IN_RUN("thread_once", "the first run starts a thread that never ends") {
  static int is_started;
  pthread_t thread;
  if (!is_started && pthread_create(&thread, NULL, wait_for_ever, NULL) == 0)
    pthread_detach(thread);
  is_started = 1;
}
