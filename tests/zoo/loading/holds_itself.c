/* V15: is declared unloadable, but holds a reference to itself. */
#include "zoo.h"
#include <dlfcn.h>

ZOO(holds_itself, .flags = RH_PLUGIN_UNLOADABLE);

ZOO_ON_LOAD {
  Dl_info self;
  if (dladdr(&redhost_plugin_v1, &self)) dlopen(self.dli_fname, RTLD_NOW);
}
