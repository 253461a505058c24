/* A quick estimate of a reduction's time: with the host's clock, within a fraction of a second. */
#pragma once

#include "sampler.h"

/* A median, and the half width of its 95 % interval by order statistics, as a fraction of it. */
typedef struct rh_median {
  double seconds, spread;
  uint32_t samples;
} rh_median;

typedef struct rh_quick {
  rh_median latency; /* one call until the value is on the host */
  /* of one of `batch` reductions enqueued back to back; the latency if it finishes on the host */
  rh_median time;
  uint32_t batch;
} rh_quick;

/* Samples of one kind: at most so many, and for so long. */
typedef struct rh_series {
  rh_take how;
  uint32_t most; /* at most RH_MOST_IN_A_SERIES */
  double budget_s;
} rh_series;

enum { RH_MOST_IN_A_SERIES = 21 };

/* Takes one sample of an open sampler at least. */
rh_status rh_measure_series(const rh_sampler *sampler, const rh_series *series,
                            const rh_reporter *reporter, rh_spread *spread, rh_error *error);

/* Takes samples of an open sampler for about half a second in all; at least one. */
rh_status rh_measure_quick(const rh_sampler *sampler, const rh_opened *opened,
                           const rh_reporter *reporter, rh_quick *quick, rh_error *error);
