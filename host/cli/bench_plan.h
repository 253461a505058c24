/* How much there is to measure, and how long that takes. */
#ifndef RH_CLI_BENCH_PLAN_H
#define RH_CLI_BENCH_PLAN_H

#include "bench_stage.h"

/* How far a device's bench is.  Points differ by a thousand times in what they cost, so that each counts by its weight. */
typedef struct rh_bench_pace {
  uint32_t done, total;             /* points */
  double weight_done, weight_total; /* s, roughly */
  double started;
  double read_peak, max_time_s;
} rh_bench_pace;

void rh_bench_pace_begin(rh_bench_pace *pace, const rh_stage *stage,
                         const rh_bench_settings *settings);
/* `strategies` points of so many bytes are done. */
void rh_bench_pace_step(rh_bench_pace *pace, uint64_t bytes, uint32_t strategies);
double rh_bench_left_s(const rh_bench_pace *pace);

/* --dry-run: a device's part, on standard output; or as one of the `plan` of docs/results.md. */
void rh_bench_plan_print(const rh_stage *stage, const rh_bench_settings *settings);
json_t *rh_bench_plan_json(const rh_stage *stage, const rh_bench_settings *settings);

#endif
