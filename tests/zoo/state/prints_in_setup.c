/* V58: prints to standard error in the first setup. */
#include "state.h"
#include <stdio.h>

IN_SETUP("prints_in_setup", "prints to standard error in the first setup") {
  static int has_printed;
  if (!has_printed++) fputs("set up\n", stderr);
}
