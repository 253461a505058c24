/* V58: makes standard input non-blocking in setup. */
#include "state.h"
#include <fcntl.h>

IN_SETUP("unblocks_input", "makes standard input non-blocking in setup") {
  fcntl(0, F_SETFL, O_NONBLOCK);
}
