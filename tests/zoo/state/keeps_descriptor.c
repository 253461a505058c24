/* V58: opens a file in the first setup and never closes it. */
#include "state.h"
#include <fcntl.h>

IN_SETUP("keeps_descriptor", "opens a file in the first setup and never closes it") {
  static int file = -1;
  if (file < 0) file = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
}
