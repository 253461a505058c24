/* V58: changes the time zone in run, and restores the variable only. */
#include "state.h"
#include <stdlib.h>
#include <time.h>

IN_RUN("time_zone", "changes the time zone in run, and restores the variable only") {
  setenv("TZ", "Asia/Tokyo", 1);
  tzset();
  unsetenv("TZ");
}
