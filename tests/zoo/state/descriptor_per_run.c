/* V58: every run duplicates a descriptor. */
#include "state.h"
#include <unistd.h>

IN_RUN("descriptor_per_run", "every run duplicates a descriptor") {
  if (dup(0) < 0) return;
}
