/* A plugin that has every strategy of its source: LISTED(variable) behind each of them, and
 * LISTED_PLUGIN(...) at the end, where a later field replaces an earlier one. */
#ifndef ZOO_LISTED_H
#define ZOO_LISTED_H

#include <redhost/plugin.h>

/* The linker puts them side by side. */
#define LISTED(variable)                                                                           \
  static const rh_strategy *const variable##_listed                                                \
      __attribute__((used, section("zoo_strategies"))) = &variable;                                \
  enum { variable##_number = __COUNTER__ }
extern const rh_strategy *const __start_zoo_strategies[] __attribute__((visibility("hidden")));

#define LISTED_PLUGIN(...)                                                                         \
  RH_EXPORT const rh_plugin redhost_plugin_v1 = {.magic = RH_MAGIC,                                \
                                                 .struct_size = sizeof(rh_plugin),                 \
                                                 .abi_major = RH_ABI_MAJOR,                        \
                                                 .n_strategies = __COUNTER__,                      \
                                                 .strategies = __start_zoo_strategies,             \
                                                 .build = "zoo",                                   \
                                                 __VA_ARGS__}

#endif
