/* V15 crash: is declared unloadable, but registers a function with on_exit(), which, unlike
 * atexit(), is not undone when a library is unloaded. */
#include "zoo.h"
#include <stdlib.h>

ZOO(called_at_exit, .flags = RH_PLUGIN_UNLOADABLE);

static void at_exit(int status, void *nothing) {
  (void)status;
  (void)nothing;
}

ZOO_ON_LOAD { on_exit(at_exit, NULL); }
