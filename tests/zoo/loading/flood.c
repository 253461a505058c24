/* Writes to every open descriptor without end. */
#include "zoo.h"
#include <unistd.h>

ZOO_STRATEGY(flood, "flood", zoo_query);
ZOO_PLUGIN(flood);

ZOO_ON_LOAD {
  static char much[1 << 16];
  memset(much, 'x', sizeof much);
  for (ssize_t wrote = 1; wrote > 0;) {
    wrote = 0;
    for (int fd = 3; fd < 1024; fd++)
      if (write(fd, much, sizeof much) > 0) wrote = 1;
  }
}
