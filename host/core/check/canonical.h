/* The canonical order of docs/inside/bits.md: data that tell it from every other order, and the
 * results that it gives. */
#pragma once

#include "../data/array.h"

/* Fills n elements of a float type with numbers whose sums (or products, for prod) round at nearly
 * every step, so that another order gives other bits, and that neither overflow nor vanish. */
void rh_canonical_data(uint32_t op, rh_type type, uint64_t seed, void *elements, uint64_t n);

/* The result of an operator that rounds (rh_op_rounds) in the canonical order. */
void rh_canonical_result(uint32_t op, rh_type type, const void *elements, uint64_t n,
                         rh_result *result);

/* Are the values' bits equal?  Two NaNs are. */
int rh_canonical_same(const rh_result *a, const rh_result *b);

/* A trial of the promise on few elements, whose tree has an odd number of nodes at several levels.
 * Zero-initialised is empty. */
typedef struct rh_canonical_trial {
  rh_array array;
  rh_result expected;
} rh_canonical_trial;

/* most: elements, at most; shared: another process can map the elements, too.  Finish it even after
 * a failure. */
rh_status rh_canonical_trial_make(rh_canonical_trial *trial, uint32_t op, rh_type type,
                                  uint64_t most, int shared, rh_error *error);
void rh_canonical_trial_finish(rh_canonical_trial *trial);
/* RH_OK, or RH_E_WRONG with both results' bits; `name`: the strategy's. */
rh_status rh_canonical_trial_judge(const rh_canonical_trial *trial, uint32_t op, const char *name,
                                   const rh_result *result, rh_error *error);
