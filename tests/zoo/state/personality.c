/* V58: sets a flag of the personality in setup. */
#include "state.h"
#include <sys/personality.h>

IN_SETUP("personality", "sets a flag of the personality in setup") {
  personality(ADDR_NO_RANDOMIZE);
}
