/* Finds a strategy by its name and opens its plugin in this process. */
#ifndef RH_TEST_LOAD_STRATEGY_H
#define RH_TEST_LOAD_STRATEGY_H

#include "../../host/core/plug/plug.h"

/* *path is the caller's to free. */
static inline rh_status load_strategy(const rh_options *options, rh_describe *describe,
                                      const char *name, const rh_strategy **strategy, char **path,
                                      rh_error *failure) {
  rh_registry registry;
  rh_found found = {0};
  *strategy = NULL;
  *path = NULL;
  rh_status status = rh_registry_begin(&registry, options, NULL, describe, failure);
  if (status != RH_OK) return status;
  status = rh_registry_locate(&registry, name, &found, failure);
  rh_registry_finish(&registry);
  if (status == RH_OK) status = rh_registry_open(found.path, describe, name, strategy, failure);
  if (status == RH_OK) *path = found.path;
  else rh_found_finish(&found);
  return status;
}

#endif
