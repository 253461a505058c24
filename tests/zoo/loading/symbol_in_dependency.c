/* Has no descriptor of its own, but is linked to a library that has one: dlsym finds that. */
#include <redhost/plugin.h>

RH_EXPORT int zoo_own(void);
extern int zoo_of_dependency(void);
int zoo_own(void) {
  return zoo_of_dependency();
}
