/* V14: its teardown is exported under the name of a function of jansson, which redhost uses, so
 * that the loader replaces it by that. */
#include "zoo.h"

RH_EXPORT void json_object_clear(void *self);
void json_object_clear(void *self) { (void)self; }

ZOO_STRATEGY_BUT(hijacked, "hijacked", .teardown = json_object_clear);
ZOO_PLUGIN;
