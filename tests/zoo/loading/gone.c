/* The library of missing_dependency. */
#include <redhost/plugin.h>

RH_EXPORT int zoo_of_gone(void);
int zoo_of_gone(void) { return 1; }
