/* V58: makes standard output unbuffered in setup. */
#include "state.h"
#include <stdio.h>

IN_SETUP("rebuffers_output", "makes standard output unbuffered in setup") {
  setvbuf(stdout, NULL, _IONBF, 0);
}
