/* V14 fail|refused: a shared object that is not a plugin. */
#include <redhost/plugin.h>

RH_EXPORT int zoo_something_else(void);
int zoo_something_else(void) { return 1; }
