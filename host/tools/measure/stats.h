/* What a sample of times says: quantiles, the interval of the median, outliers.  Method:
 * docs/measuring.md. */
#ifndef RH_MEASURE_STATS_H
#define RH_MEASURE_STATS_H

#include "../records/records.h"

/* The spread of n >= 1 samples, which stay in their order; n = 0 gives zeros.  `room` has n places
 * to sort in. */
rh_spread rh_spread_of(const double *samples, uint32_t n, double *room);

/* The half width of the median's 95 % interval, and the interquartile range, as fractions of the
 * median; 0 where that is 0. */
double rh_spread_precision(const rh_spread *spread);
double rh_spread_iqr(const rh_spread *spread);

#endif
