/* Verdicts without references: what short segments mostly get, because bins for an exact sum take
 * longer to clear than a short segment to add up. */
#pragma once

#include "../../core/run/job.h"

enum {
  RH_QUICK_ELEMENTS = 1 << 14, /* looked at together; longer segments are worth a reference */
  RH_QUICK_SEGMENTS = 512
};

/* Can segments of this operator be judged so? */
int rh_quick_serves(const rh_operator *op);

/* Judges `count` segments, at most RH_QUICK_SEGMENTS, one behind the other from element 0 of the
 * arrays on, of lengths[k] elements, RH_QUICK_ELEMENTS in all at most.  parts[k] = the error of
 * value k in parts of its bound; -1: it is not known to be right, and takes a reference.  The
 * arrays have the constants bound, if there are any. */
void rh_quick_judge(const rh_operator *op, const rh_arrays *arrays, const uint64_t *lengths,
                    uint64_t count, uint64_t depth, const void *values, double *parts);

/* ---- Mean and variance, against exact ones within a bound that is derived ---- */

/* Is it an operator whose value is n, mean and m2, in expressions that this file knows? */
int rh_quick_moments_serves(const rh_operator *op);

/* As rh_quick_judge(): parts[k] of value k, at values + k * apart.  n: all elements. */
void rh_quick_moments(const rh_operator *op, const rh_arrays *arrays, const uint64_t *lengths,
                      uint64_t count, uint64_t n, uint64_t depth, const char *values,
                      double *parts);
