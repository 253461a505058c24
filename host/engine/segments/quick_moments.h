/* Mean and variance of short segments, against exact ones within a bound that is derived. */
#pragma once

#include "../../operators/custom/custom.h"

/* Is it an operator whose value is n, mean and m2, in expressions that this file knows? */
int rh_quick_moments_serves(const rh_operator *op);

/* As rh_quick_judge(): parts[k] of value k, at values + k * apart.  n: all elements. */
void rh_quick_moments(const rh_operator *op, const rh_arrays *arrays, const uint64_t *lengths,
                      uint64_t count, uint64_t n, uint64_t depth, const char *values,
                      double *parts);
