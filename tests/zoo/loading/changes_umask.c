/* V13: changes the umask when it is loaded. */
#include "zoo.h"
#include <sys/stat.h>

ZOO_STRATEGY(changes_umask, "changes_umask", zoo_query);
ZOO_PLUGIN(changes_umask);

ZOO_ON_LOAD {
  umask(umask(0) ^ 0007);
}
