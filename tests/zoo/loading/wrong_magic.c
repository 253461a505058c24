/* V16: an object that is not a descriptor under the right name. */
#include "zoo.h"

RH_EXPORT const rh_plugin redhost_plugin_v1 = {.magic = 0x12345678u};
