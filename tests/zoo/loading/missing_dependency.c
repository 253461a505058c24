/* V10: linked to a library that the loader cannot find. */
#include "zoo.h"

extern int zoo_of_gone(void);
RH_EXPORT int zoo_own(void);
int zoo_own(void) { return zoo_of_gone(); }

ZOO(missing_dependency);
