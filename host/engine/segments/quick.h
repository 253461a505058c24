/* A verdict without a reference: what short segments mostly get, because bins for an exact sum take
 * longer to clear than a short segment to add up. */
#pragma once

#include "../../core/run/job.h"

/* Can segments of this operator be judged so? */
int rh_quick_serves(const rh_operator *op);

/* 1: the value of n >= 1 elements is right, and *part is its error in parts of its bound; 0: that
 * takes a reference.  The arrays have the constants bound, if there are any. */
int rh_quick_is_right(const rh_operator *op, const rh_arrays *arrays, uint64_t n, uint64_t depth,
                      const void *value, double *part);
