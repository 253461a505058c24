/* Lists OpenCL's devices in a child, so that a crashing driver takes down only the child. */
#pragma once

#include "../cl/cache.h"

/* RH_OK: the drivers start, or did in the same state (cl/drivers.h).  RH_E_DEVICE: one of them does
 * not, and this process must not ask for devices. */
rh_status rh_look_at_drivers(const rh_options *options, const rh_cache *cache, rh_error *error);

/* The child's side: `redhost --look` calls this and exits with its result. */
int rh_look_main(void);
