/* V58: sets an alarm in setup that fires long after the run. */
#include "state.h"
#include <unistd.h>

IN_SETUP("sets_alarm", "sets an alarm in setup that fires long after the run") {
  alarm(1000);
}
