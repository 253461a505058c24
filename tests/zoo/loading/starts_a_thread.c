/* V13: starts a thread when it is loaded. */
#include "zoo.h"
#include <pthread.h>
#include <unistd.h>

ZOO_STRATEGY(starts_a_thread, "starts_a_thread", zoo_query);
ZOO_PLUGIN(starts_a_thread);

static void *wait(void *nothing) {
  pause();
  return nothing;
}

ZOO_ON_LOAD {
  pthread_t thread;
  pthread_create(&thread, NULL, wait, NULL);
}
