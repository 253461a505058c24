/* Requires a later minor version of the ABI. */
#include "zoo.h"

ZOO_STRATEGY(needs_newer_host, "needs_newer_host", zoo_query);
static const rh_strategy *const strategies[] = {&needs_newer_host};
RH_EXPORT const rh_plugin redhost_plugin_v1 = {
    ZOO_HEAD,          .abi_minor = 205,         .min_host_minor = 200,
    .n_strategies = 1, .strategies = strategies, .build = "zoo"};
