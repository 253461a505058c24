/* The data of one operator, type and size on a stage's device, and the reference for results on
 * them. */
#pragma once

#include "../../core/data/array.h"
#include "bench.h"
#include "settings.h"
#include "stage.h"

typedef struct rh_point {
  rh_array array;
  int is_overwritten; /* by data of a check, see rh_bench_spec */
  uint64_t serial;
  rh_bench_data data;
  rh_job_spec problem; /* that the data are of */
  rh_reference reference;
  rh_lengths lengths;   /* of the segments; there may be none */
  rh_segments segments; /* to judge their values by */
  rh_bench_scale scale; /* points into this struct, which must not be moved */
} rh_point;

int rh_point_is_filled(const rh_point *point, const rh_job_spec *problem);

/* Sets the point's problem, and generates its elements or keeps existing ones. */
rh_status rh_point_fill(rh_point *point, const rh_stage *stage, const rh_job_spec *problem,
                        rh_error *error);

/* Cuts the elements into segments, or with kind 0 into none. */
rh_status rh_point_cut(rh_point *point, const rh_stage *stage, uint32_t kind, uint64_t length,
                       rh_error *error);

/* Computes it for the problem and elements that were set. */
rh_status rh_point_reference(rh_point *point, const rh_stage *stage, rh_error *error);

/* Before a strategy is blamed for a wrong result: rh_job_trust_on() the point's elements. */
rh_status rh_point_trust(const rh_point *point, const rh_stage *stage, rh_error *error);

/* The point's part of a measurement: data, scale, device, seed and reporter.  The caller adds the
 * rest. */
rh_bench_spec rh_point_spec(rh_point *point, rh_stage *stage);

void rh_point_finish(rh_point *point); /* zero-initialised is fine */
