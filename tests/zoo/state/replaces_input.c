/* V58: puts another file in place of standard input in setup. */
#include "state.h"
#include <fcntl.h>
#include <unistd.h>

IN_SETUP("replaces_input", "puts another file in place of standard input in setup") {
  int other = open("/dev/zero", O_RDONLY | O_CLOEXEC);
  dup2(other, 0);
  close(other);
}
