/* For LD_PRELOAD: a program that PoCL 3.1 is about to replace is gone, as if another process built
 * the same program at the same moment.  Only the first time. */
#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

typedef int access_function(const char *path, int mode);

int access(const char *path, int mode) {
  static int asked;
  void *found = dlsym(RTLD_NEXT, "access");
  access_function *real;
  memcpy(&real, &found, sizeof real); /* C does not convert these pointers */
  const char *name = strrchr(path, '/');
  /* The first call asks whether it exists and need not be built; the second, whether it must be
   * removed. */
  if (name && strcmp(name, "/program.bc") == 0 && ++asked == 2) return 0;
  return real(path, mode);
}
