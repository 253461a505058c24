/* V13: opens a file when it is loaded, and does not close it. */
#include "zoo.h"
#include <fcntl.h>

ZOO_STRATEGY(opens_a_file, "opens_a_file", zoo_query);
ZOO_PLUGIN(opens_a_file);

static int kept;

ZOO_ON_LOAD {
  kept = open("/dev/null", O_RDONLY);
}
