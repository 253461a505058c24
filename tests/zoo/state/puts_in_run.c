/* V58: prints to standard output in run, through stdio's buffer. */
#include "state.h"
#include <stdio.h>

IN_RUN("puts_in_run", "prints to standard output in run") {
  fputs("a run\n", stdout);
}
