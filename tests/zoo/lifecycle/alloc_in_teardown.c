/* V35: calls alloc() in teardown. */
#include "../right.h"

static void teardown(void *instance) {
  const right *self = instance;
  self->host->alloc(self->host, 64);
}

RIGHT_BUT("alloc_in_teardown", .summary = "calls alloc() in teardown", .teardown = teardown);
