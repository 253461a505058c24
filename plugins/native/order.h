/* Operators that find an extreme: from extremes of bits to the host's keys, and back to an
 * element. */
#ifndef NATIVE_ORDER_H
#define NATIVE_ORDER_H

#include "lanes.h"

/* The key of min, max, amax or arg*, in the lower half for types below 64 bits. */
uint64_t rh_native_key(uint32_t op, rh_type type, const rh_native_range *range);

/* The index of the first of n elements with this key; one must have it. */
uint64_t rh_native_locate(const rh_native_lanes *lanes, uint32_t op, rh_type type,
                          const void *elements, uint64_t n, uint64_t key);

#endif
