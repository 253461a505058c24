/* The state that decides whether OpenCL's drivers start, found before any of them is loaded. */
#pragma once

#include "../base/text.h"
#include <stdint.h>

/* A hash of that state: the loader's list of drivers and their files, the environment, the resource
 * limits, user, processors, mounts, the boot.  If two calls return the same hash, drivers that
 * started the first time start again. */
uint64_t rh_cl_drivers_state(void);

/* Adds the unusually tight limits of this process, which may be why a driver did not start: "; the
 * address space is limited to 250000 KiB (ulimit -v)".  Adds nothing if there are none. */
void rh_cl_drivers_limits(rh_text *to);
