/* A benchmark of one stage: every point, each with all samplers that are not in the results yet. */
#ifndef RH_BENCH_RUNNER_H
#define RH_BENCH_RUNNER_H

#include "pace.h"
#include "point.h"

typedef struct rh_bench_runner {
  rh_stage *stage;     /* calibrated */
  rh_records *results; /* rows that are there are not measured again; new ones are added */
  /* Before each turn of a sampler: a progress line, and the place to stop.  RH_E_CANCELLED ends the
   * benchmark. */
  rh_status (*on_turn)(void *user, const rh_bench_turn *turn, rh_error *error);
  /* A row as it was measured.  A failure ends the benchmark. */
  rh_status (*on_row)(void *user, const rh_row *row, rh_error *error);
  void *user;
  /* The runner's own. */
  rh_point point;
  rh_bench_pace pace;
} rh_bench_runner;

/* Whatever ends it, rows that were measured are in the results. */
rh_status rh_bench_run(rh_bench_runner *runner, rh_error *error);

/* Releases the point's memory, which the stage may use in place: the stage is closed first. */
void rh_bench_runner_finish(rh_bench_runner *runner); /* zero-initialised is fine */

#endif
