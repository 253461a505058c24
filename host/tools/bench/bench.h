/* The benchmark of one point: takes samples of all samplers in rounds. docs/inside/measuring.md
 * explains the method and the constants. */
#pragma once

#include "../../choose/measure/bench_device.h"
#include "../../core/data/array.h"
#include "contender.h"

typedef struct rh_bench_spec {
  rh_bench_rules rules;
  rh_bench_scale scale;
  const rh_bench_data *data;
  /* The data's array, whose elements the check on exact data replaces at the end of the point; then
   * *is_overwritten becomes 1. */
  rh_array *array;
  int *is_overwritten;
  rh_bench_device *bench_device; /* for the throttle check; null: no check */
  rh_sampler *samplers;
  uint32_t n;
  /* of one run of each sampler; 0: unknown.  Samplers that would be far too slow are skipped */
  const double *expected_s;
  uint64_t seed; /* for the order in a round */
  const rh_reporter *reporter;
  /* Called before each turn of a sampler, for progress and cancellation.  RH_E_CANCELLED ends the
   * benchmark. */
  rh_status (*on_turn)(void *user, const rh_sampler *sampler, rh_error *error);
  void *user;
} rh_bench_spec;

/* Fills in one row for each sampler: strategy, op, type, n, status and figures.  The caller sets
 * the device's name.  RH_E_CANCELLED: unfinished rows are `skipped'. */
rh_status rh_bench_point(const rh_bench_spec *spec, rh_row *rows, rh_error *error);

/* Sets data->copies and data->stride so that the copies span `cold_bytes`. align: the alignment
 * of each copy's first byte. */
void rh_bench_copies(rh_bench_data *data, uint64_t cold_bytes, uint64_t align);
