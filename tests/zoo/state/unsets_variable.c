/* V58: removes an environment variable in setup. */
#include "state.h"
#include <stdlib.h>

IN_SETUP("unsets_variable", "removes an environment variable in setup") {
  unsetenv("HOME");
}
