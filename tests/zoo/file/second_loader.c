/* V04: brings its own OpenCL loader, whose platforms the host's loader does not know. */
#include "../right.h"

int clGetPlatformIDs(unsigned most, void **platforms, unsigned *n);

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  unsigned n = 0;
  clGetPlatformIDs(0, NULL, &n); /* whichever of the two answers */
  return right_setup(host, problem, values, instance);
}

RIGHT_BUT(second_loader, .summary = "brings another OpenCL loader", .setup = setup);

RH_PLUGIN(&strategy_second_loader);
