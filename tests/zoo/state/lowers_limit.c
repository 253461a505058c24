/* V58: lowers the limit of open files in setup. */
#include "state.h"
#include <sys/resource.h>

IN_SETUP("lowers_limit", "lowers the limit of open files in setup") {
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur--;
  setrlimit(RLIMIT_NOFILE, &limit);
}
