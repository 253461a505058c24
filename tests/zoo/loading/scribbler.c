/* Writes into every descriptor that is open. */
#include "zoo.h"
#include <unistd.h>

ZOO_STRATEGY(scribbler, "scribbler", zoo_query);
ZOO_PLUGIN(scribbler);

ZOO_ON_LOAD {
  for (int fd = 3; fd < 1024; fd++)
    if (write(fd, "scribble\n", 9) < 0) continue;
}
