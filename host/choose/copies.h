/* How long copies of an array to the context's device take: as a whole, or chunk by chunk, as
 * rh_arrays_reduce() takes them. */
#pragma once

#include "../core/run/context.h"

/* The shortest of some copies, since the first one also obtains the device's memory; 0: they
 * fail. */
double rh_copies_s(rh_context *context, const void *array, uint64_t bytes, int in_chunks);
