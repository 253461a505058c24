/* For LD_PRELOAD: a program that PoCL 3.1 is about to replace is gone, as if another process built
 * the same program at the same moment.  Only the first time. */
#include <unistd.h>

#include "../suite/real.h"

int access(const char *path, int mode) {
  static int asked;
  REAL(access);
  const char *name = strrchr(path, '/');
  /* The first call asks whether it exists and need not be built; the second, whether it must be
   * removed. */
  if (name && strcmp(name, "/program.bc") == 0 && ++asked == 2) return 0;
  return real(path, mode);
}
