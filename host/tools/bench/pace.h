/* Progress of a device's benchmark, and the estimated time left. */
#pragma once

#include "stage.h"

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
