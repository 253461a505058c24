/* V14 crash|fail: aborts when it finds another plugin in the process. */
#include "zoo.h"
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>

ZOO(alone);

static int look(struct dl_phdr_info *object, size_t size, void *found) {
  (void)size;
  void *handle = *object->dlpi_name ? dlopen(object->dlpi_name, RTLD_LAZY | RTLD_NOLOAD) : NULL;
  const void *theirs = handle ? dlsym(handle, "redhost_plugin_v1") : NULL;
  if (theirs && theirs != &redhost_plugin_v1) *(int *)found = 1;
  if (handle) dlclose(handle);
  return 0;
}

ZOO_ON_LOAD {
  int found = 0;
  dl_iterate_phdr(look, &found);
  if (found) abort();
}
