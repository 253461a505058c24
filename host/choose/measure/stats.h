/* Statistics of a sample of times, and the parts of a run.  docs/inside/measuring.md explains the
 * method. */
#pragma once

#include <stdint.h>

/* Statistics of a sample of times: quantiles, and the 95 % interval of the median by order
 * statistics. samples = 0 means that nothing was measured. */
typedef struct rh_spread {
  double median, ci_low, ci_high; /* s */
  double mean, min, max, q1, q3, mad;
  uint32_t samples, outliers; /* outliers: modified z > 5; counted, never dropped */
} rh_spread;

/* One command of one instrumented run.  Events on every command change the run, so these times
 * are never mixed with the main figures. */
typedef struct rh_part {
  char stage[48]; /* "tiles", "fill", "read" */
  double seconds; /* on the device */
} rh_part;
enum { RH_MAX_PARTS = 64 };

/* The statistics of n samples, which keep their order; n = 0 gives zeros.  `room` is a scratch
 * array of n. */
rh_spread rh_spread_of(const double *samples, uint32_t n, double *room);

/* The half width of the median's 95 % interval, and the interquartile range, as fractions of the
 * median; 0 if the median is 0. */
double rh_spread_precision(const rh_spread *spread);
double rh_spread_iqr(const rh_spread *spread);
