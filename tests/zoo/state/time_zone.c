/* V58: sets another time zone in run, and takes back the variable only. */
#include "state.h"
#include <stdlib.h>
#include <time.h>

IN_RUN("time_zone", "sets another time zone in run, and takes back the variable only") {
  setenv("TZ", "Asia/Tokyo", 1);
  tzset();
  unsetenv("TZ");
}
