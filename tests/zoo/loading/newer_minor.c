/* Built for a later 1.x, with larger structs and appended fields, but compatible with this host.
 * Must load. */
#include "zoo.h"

typedef struct newer_param {
  rh_param of_1_0;
  int64_t appended[2];
} newer_param;

typedef struct newer_strategy {
  rh_strategy of_1_0;
  const char *appended[3];
} newer_strategy;

typedef struct newer_plugin {
  rh_plugin of_1_0;
  uint64_t appended[4];
} newer_plugin;

static const newer_param params[] = {
    {{.key = "tile",
      .doc = "elements",
      .min = 1,
      .max = 1024,
      .initial = 256,
      .step = 1,
      .flags = RH_PARAM_POWER_OF_TWO},
     {-1, -1}},
    {{.key = "where",
      .doc = "who finishes",
      .choices = "host|device",
      .max = 1,
      .initial = 1,
      .step = 1},
     {-1, -1}},
};

static const newer_strategy newer_minor = {{.struct_size = sizeof(newer_strategy),
                                            .device_kinds = RH_DEVICE_HOST,
                                            .name = "newer_minor",
                                            ZOO_TEXTS,
                                            .n_params = 2,
                                            .param_stride = sizeof(newer_param),
                                            .params = &params[0].of_1_0,
                                            .query = zoo_query,
                                            .setup = zoo_setup,
                                            .run = zoo_run},
                                           {"a", "b", "c"}};
static const rh_strategy *const strategies[] = {&newer_minor.of_1_0};

/* The symbol under which the header declares an rh_plugin. */
__asm__(".globl redhost_plugin_v1\n.type redhost_plugin_v1, @object\n"
        ".set redhost_plugin_v1, zoo_newer_plugin");
extern RH_EXPORT const newer_plugin zoo_newer_plugin;
const newer_plugin zoo_newer_plugin = {{.magic = RH_MAGIC,
                                        .struct_size = sizeof(newer_plugin),
                                        .abi_major = RH_ABI_MAJOR,
                                        .abi_minor = 7,
                                        .n_strategies = 1,
                                        .strategies = strategies,
                                        .build = "zoo"},
                                       {~0ull, ~0ull, ~0ull, ~0ull}};
