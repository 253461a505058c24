/* V14: has no descriptor, but is linked to a library that has one, which dlsym finds. */
#include <redhost/plugin.h>

RH_EXPORT int zoo_own(void);
extern int zoo_of_dependency(void);
int zoo_own(void) { return zoo_of_dependency(); }
