/* V32: every run leaks memory. */
#include "../right.h"
#include <stdlib.h>
#include <string.h>

static rh_status run(void *instance, const rh_run *run) {
  enum { BYTES = 1 << 18 };
  char *volatile forgotten = malloc(BYTES);
  if (forgotten) memset(forgotten, 1, BYTES);
  return right_run(instance, run);
}

RIGHT_BUT("memory_per_run", .summary = "every run leaks memory", .run = run);
