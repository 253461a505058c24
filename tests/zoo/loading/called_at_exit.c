/* V15: says that it can be unloaded, and leaves a function that exit() is to call.  Of atexit() a
 * library's end takes care, of on_exit() nobody. */
#include "zoo.h"
#include <stdlib.h>

ZOO_STRATEGY(called_at_exit, "called_at_exit", zoo_query);
static const rh_strategy *const strategies[] = {&called_at_exit};
RH_EXPORT const rh_plugin redhost_plugin_v1 = {ZOO_HEAD, .n_strategies = 1,
                                               .flags = RH_PLUGIN_UNLOADABLE,
                                               .strategies = strategies, .build = "zoo"};

static void at_exit(int status, void *nothing) {
  (void)status;
  (void)nothing;
}

ZOO_ON_LOAD {
  on_exit(at_exit, NULL);
}
