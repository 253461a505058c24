/* V14: its teardown is exported under the name of a function of jansson, which redhost uses, so
 * that the loader replaces it by that. */
#include "zoo.h"

RH_EXPORT void json_object_clear(void *self);
void json_object_clear(void *self) {
  (void)self;
}

static const rh_strategy hijacked = {.struct_size = sizeof(rh_strategy),
                                     .device_kinds = RH_DEVICE_HOST,
                                     .name = "hijacked",
                                     ZOO_TEXTS,
                                     .promises = RH_KEEPS_ORDER,
                                     .determinism = RH_BITS_SAME_EVERYWHERE,
                                     .query = zoo_query,
                                     .setup = zoo_setup,
                                     .run = zoo_run,
                                     .teardown = json_object_clear};
ZOO_PLUGIN(hijacked);
