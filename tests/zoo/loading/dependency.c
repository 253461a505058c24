/* The library of symbol_in_dependency.  It is a plugin itself, but not in a directory that is
 * searched. */
#include "zoo.h"

RH_EXPORT int zoo_of_dependency(void);
int zoo_of_dependency(void) { return 1; }

ZOO(dependency);
