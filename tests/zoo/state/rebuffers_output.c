/* V58: takes the buffer of standard output away in setup. */
#include "state.h"
#include <stdio.h>

IN_SETUP("rebuffers_output", "takes the buffer of standard output away in setup") {
  setvbuf(stdout, NULL, _IONBF, 0);
}
