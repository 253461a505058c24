/* Confidence intervals from a few independent measurements, by Student's t distribution. */
#pragma once

#include <stdint.h>

/* The t that a variable with `freedom` (more than 0) degrees of freedom exceeds in absolute value
 * with probability `both_tails`, from 1e-9 to below 1. */
double rh_student_t(double both_tails, double freedom);

/* The mean of n values, and the half width of its confidence interval, which misses the true mean
 * with probability `miss`: t * s / sqrt(n) with n - 1 degrees of freedom.  The half width of fewer
 * than 2 values is infinite. */
typedef struct rh_estimate {
  double middle, half;
} rh_estimate;
rh_estimate rh_student_mean(const double *values, uint32_t n, double miss);

/* The difference of two means, b's minus a's, likewise, without assuming equal variances: Welch,
 * The generalization of Student's problem, Biometrika 34 (1947).  At least 2 values of each. */
rh_estimate rh_student_difference(const double *a, uint32_t n_a, const double *b, uint32_t n_b,
                                  double miss);
