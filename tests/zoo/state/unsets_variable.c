/* V58: removes a variable of the environment in setup. */
#include "state.h"
#include <stdlib.h>

IN_SETUP("unsets_variable", "removes a variable of the environment in setup") {
  unsetenv("HOME");
}
