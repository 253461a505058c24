/* V58: changes the umask in its 57th run, and in no other. */
#include "state.h"
#include <sys/stat.h>

IN_RUN("late_umask", "changes the umask in its 57th run, and in no other") {
  static int runs;
  if (++runs == 57) umask(0);
}
