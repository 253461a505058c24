/* The library behind symbol_in_dependency; a plugin itself, only not where plugins are looked for.
 */
#include "zoo.h"

RH_EXPORT int zoo_of_dependency(void);
int zoo_of_dependency(void) {
  return 1;
}

ZOO_STRATEGY(dependency, "dependency", zoo_query);
ZOO_PLUGIN(dependency);
