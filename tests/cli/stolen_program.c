/* To be preloaded: a program that PoCL 3.1 is about to replace is gone, as another process leaves
 * it that builds the same one at the same moment.  Only the first time. */
#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

typedef int access_function(const char *path, int mode);

int access(const char *path, int mode) {
  static int asked;
  void *found = dlsym(RTLD_NEXT, "access");
  access_function *real;
  memcpy(&real, &found, sizeof real); /* C has no conversion from one to the other */
  const char *name = strrchr(path, '/');
  /* Asked first: is it there, so that nothing needs to be built?  Then: must it be removed? */
  if (name && strcmp(name, "/program.bc") == 0 && ++asked == 2) return 0;
  return real(path, mode);
}
