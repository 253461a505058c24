/* V58: closes standard input in run. */
#include "state.h"
#include <unistd.h>

IN_RUN("closes_input", "closes standard input in run") {
  close(0);
}
