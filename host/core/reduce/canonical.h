/* The canonical order of docs/bits.md: data that tell it from every other order, and the results
 * that it gives. */
#ifndef RH_REDUCE_CANONICAL_H
#define RH_REDUCE_CANONICAL_H

#include <redhost/redhost.h>

/* Fills n elements of a float type with numbers whose sums (or products, for prod) round at nearly
 * every step, so that another order gives other bits, and that neither overflow nor vanish. */
void rh_canonical_data(uint32_t op, rh_type type, uint64_t seed, void *elements, uint64_t n);

/* The result of an operator that rounds (rh_op_rounds) in the canonical order. */
void rh_canonical_result(uint32_t op, rh_type type, const void *elements, uint64_t n,
                         rh_result *result);

/* Are the values' bits equal?  Two NaNs are. */
int rh_canonical_same(const rh_result *a, const rh_result *b);

#endif
