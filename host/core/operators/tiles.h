/* An operator's value in the canonical order (docs/bits.md), for operators that commute. */
#ifndef RH_OPERATORS_TILES_H
#define RH_OPERATORS_TILES_H

#include "operator.h"

/* *value = that of elements first .. first+n-1, whose first tile begins at `first`.  Struct
 * operators with expressions only; uses some 300 KiB of stack at most. */
void rh_operator_reduce_tiles(const rh_operator *self, const rh_arrays *arrays, uint64_t first,
                              uint64_t n, void *value);

#endif
