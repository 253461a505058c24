/* V33: frees its own memory in teardown, which is not called after a failed setup. */
#include "../right.h"
#include <stdlib.h>
#include <string.h>

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  void *memory = malloc(1 << 16);
  if (!memory) return host->fail(host, RH_E_NOMEM, 0, "no memory");
  memset(memory, 1, 1 << 16);
  RH_TRY(right_setup(host, problem, values, instance));
  ((right *)*instance)->own = memory;
  return RH_OK;
}

static void teardown(void *instance) {
  free(((right *)instance)->own);
}

RIGHT_BUT("leaks_on_failure", .summary = "a setup that fails leaks", .setup = setup,
          .teardown = teardown);
