/* V13: changes the working directory when it is loaded. */
#include "zoo.h"
#include <unistd.h>

ZOO_STRATEGY(changes_directory, "changes_directory", zoo_query);
ZOO_PLUGIN(changes_directory);

ZOO_ON_LOAD {
  if (chdir("/proc/self")) return;
}
