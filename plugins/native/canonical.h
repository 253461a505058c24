/* The canonical order of docs/bits.md for any operator that commutes, by its own functions. */
#ifndef NATIVE_CANONICAL_H
#define NATIVE_CANONICAL_H

#include <redhost/plugin.h>

/* Elements of a tile. */
uint64_t rh_native_tile(const rh_op *op);

/* *value: that of n >= 1 elements of x from `first` on, where a tile begins. */
void rh_native_canonical(const rh_op *op, const void *x, uint64_t first, uint64_t n, void *value);

#endif
