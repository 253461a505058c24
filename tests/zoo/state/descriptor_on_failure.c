/* V58: leaves a file open after a failed setup. */
#include "../right.h"
#include <fcntl.h>
#include <unistd.h>

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  int file = open("/dev/null", O_RDONLY | O_CLOEXEC);
  RH_TRY(right_setup(host, problem, values, instance));
  close(file);
  return RH_OK;
}

RIGHT_BUT("descriptor_on_failure", .summary = "keeps a file open on failure", .setup = setup);
