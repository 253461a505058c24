/* A benchmark of one stage: every point, with all samplers that have no row in the results yet. */
#pragma once

#include "point.h"

/* ---- Progress, and the estimated time left ---- */

/* Points differ by a factor of a thousand in cost, so each counts by its weight. */
typedef struct rh_bench_pace {
  uint32_t done, total;             /* points, once for each process */
  double weight_done, weight_total; /* s, roughly */
  double started;
  double read_peak, max_time_s;
} rh_bench_pace;

void rh_bench_pace_begin(rh_bench_pace *pace, const rh_stage *stage);
/* `strategies` points of `bytes` bytes each are done. */
void rh_bench_pace_step(rh_bench_pace *pace, uint64_t bytes, uint32_t strategies);
double rh_bench_left_s(const rh_bench_pace *pace);

/* ---- The benchmark ---- */

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

/* One row from those of a point's processes.  The rows, at least one, are in the order of their
 * processes, of which there should be `wanted`.  If one is not ok, the worst one (wrong, then
 * failed, then others) gives *merged, with the number of its process in the reason.  Otherwise
 * *merged has the median of each process, all samples, the median of the medians and the 95 %
 * interval of their mean by Student's t distribution; other facts are the first one's.
 *
 * If some were timed by the host's clock because the device's was found wrong, those timed by the
 * device's are left out.  *merged owns its own memory and is nothing to finish on failure, which is
 * RH_E_NOMEM. */
rh_status rh_merge_processes(const rh_row *const *rows, uint32_t n, uint32_t wanted, rh_row *merged,
                             rh_error *error);
