/* Statistics of a sample of times: quantiles, the confidence interval of the median, outliers.
 * docs/measuring.md explains the method. */
#pragma once

#include "../records/records.h"

/* The statistics of n samples, which keep their order; n = 0 gives zeros.  `room` is a scratch
 * array of n. */
rh_spread rh_spread_of(const double *samples, uint32_t n, double *room);

/* The half width of the median's 95 % interval, and the interquartile range, as fractions of the
 * median; 0 if the median is 0. */
double rh_spread_precision(const rh_spread *spread);
double rh_spread_iqr(const rh_spread *spread);
