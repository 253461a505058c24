/* V15: is declared unloadable, but holds a reference to itself. */
#include "zoo.h"
#include <dlfcn.h>

ZOO_STRATEGY(holds_itself, "holds_itself", zoo_query);
static const rh_strategy *const strategies[] = {&holds_itself};
RH_EXPORT const rh_plugin redhost_plugin_v1 = {ZOO_HEAD, .n_strategies = 1,
                                               .flags = RH_PLUGIN_UNLOADABLE,
                                               .strategies = strategies, .build = "zoo"};

ZOO_ON_LOAD {
  Dl_info self;
  if (dladdr(&redhost_plugin_v1, &self)) dlopen(self.dli_fname, RTLD_NOW);
}
