/* Exact sums of products of two floats.  A product of significands is an integer: there is nothing
 * to round and nothing that could overflow, not even between the smallest subnormals. */
#pragma once

#include "exact.h"

/* Gathers products before they are folded into a sum.  [one thread at a time] */
typedef struct rh_exact_dot rh_exact_dot;
rh_exact_dot *rh_exact_dot_create(rh_type type); /* f32 or f64; null if out of memory */
void rh_exact_dot_destroy(rh_exact_dot *dot);    /* null is legal */
/* x[j]*y[j], j < n.  Infinities and NaN count as their product in IEEE 754 does. */
void rh_exact_dot_add(rh_exact_dot *dot, const void *x, const void *y, uint64_t n);
/* Adds the products to *sum and forgets them. */
void rh_exact_dot_fold(rh_exact_dot *dot, rh_exact_sum *sum);
