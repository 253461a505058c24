/* V17: a plugin without a strategy. */
#include <redhost/plugin.h>

static const rh_strategy *const none[1] = {0};
RH_EXPORT const rh_plugin redhost_plugin_v1 = {.magic = RH_MAGIC,
                                               .struct_size = sizeof(rh_plugin),
                                               .abi_major = RH_ABI_MAJOR,
                                               .strategies = none,
                                               .build = __VERSION__};
