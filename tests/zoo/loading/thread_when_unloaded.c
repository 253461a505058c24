/* V15: says that it can be unloaded, and leaves a thread that runs in its code. V13 sees the
 * thread too. */
#include "zoo.h"
#include <pthread.h>

ZOO_STRATEGY(thread_when_unloaded, "thread_when_unloaded", zoo_query);
static const rh_strategy *const strategies[] = {&thread_when_unloaded};
RH_EXPORT const rh_plugin redhost_plugin_v1 = {ZOO_HEAD, .n_strategies = 1,
                                               .flags = RH_PLUGIN_UNLOADABLE,
                                               .strategies = strategies, .build = "zoo"};

static volatile unsigned long ticks;

/* Never outside of its own code, so that nothing else wakes it too late. */
static void *tick(void *nothing) {
  for (;;) ticks++;
  return nothing;
}

ZOO_ON_LOAD {
  pthread_t thread;
  pthread_create(&thread, NULL, tick, NULL);
}
