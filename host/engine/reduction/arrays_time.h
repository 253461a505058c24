/* The cost of an array's way through a ring. */
#pragma once

#include "../../core/run/context.h"

/* The time of `bytes` bytes in the host's memory to the device of *context, chunk by chunk as
 * rh_arrays_reduce() takes them, without the setup; 0: it failed. */
double rh_arrays_time(rh_context *context, const void *array, uint64_t bytes);
