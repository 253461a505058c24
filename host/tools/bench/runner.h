/* A benchmark of one stage: every point, with all samplers that have no row in the results yet. */
#pragma once

#include "pace.h"
#include "point.h"

typedef struct rh_bench_runner {
  rh_stage *stage;     /* calibrated */
  rh_records *results; /* existing rows are not measured again; new ones are added */
  /* Called before each turn of a sampler, for progress and cancellation.  RH_E_CANCELLED ends the
   * benchmark. */
  rh_status (*on_turn)(void *user, const rh_bench_turn *turn, rh_error *error);
  /* Receives each measured row.  A failure ends the benchmark. */
  rh_status (*on_row)(void *user, const rh_row *row, rh_error *error);
  void *user;
  /* The runner's own. */
  rh_point point;
  rh_bench_pace pace;
  uint32_t process; /* of several: the current one, from 1; otherwise 0 */
  rh_records parts; /* rows of single processes */
} rh_bench_runner;

/* However it ends, measured rows are in the results.  If it is interrupted, rows may be of fewer
 * processes than requested; on_row does not get those. */
rh_status rh_bench_run(rh_bench_runner *runner, rh_error *error);

/* Releases the point's memory, which the stage may use in place: the stage is closed first. */
void rh_bench_runner_finish(rh_bench_runner *runner); /* zero-initialised is fine */
