/* The bench: all samplers at one point, in rounds.  Method and the figures behind it:
 * docs/measuring.md. */
#ifndef RH_MEASURE_BENCH_H
#define RH_MEASURE_BENCH_H

#include "bench_device.h"
#include "contender.h"

typedef struct rh_bench_spec {
  rh_bench_rules rules;
  rh_bench_scale scale;
  const rh_bench_data *data;
  rh_bench_device *range; /* for the throttle check; null: no check */
  rh_sampler *samplers;
  uint32_t n;
  /* of one run of each sampler; 0: not known.  What is too slow by far is not tried */
  const double *expected_s;
  uint64_t seed; /* of the order in a round */
  const rh_reporter *reporter;
  /* Before each turn of a sampler: a progress line, and the place to stop.  RH_E_CANCELLED ends the
   * bench. */
  rh_status (*on_turn)(void *user, const rh_sampler *sampler, rh_error *error);
  void *user;
} rh_bench_spec;

/* Fills in one row for each sampler: strategy, op, type, n, status and figures; the device's name
 * is the caller's.  RH_E_CANCELLED: rows that were not finished are `skipped'. */
rh_status rh_bench_point(const rh_bench_spec *spec, rh_row *rows, rh_error *error);

/* How many copies, and how far apart, make `n` elements of `size` bytes span `cold_bytes`.  align:
 * of a copy's first byte. */
void rh_bench_copies(rh_bench_data *data, uint64_t cold_bytes, uint64_t align);

#endif
