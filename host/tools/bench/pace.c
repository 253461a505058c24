#include "pace.h"
#include "../../core/base/clock.h"
#include "problem.h"

#include <math.h>

/* A point takes at least 20 samples of a millisecond and their overhead; a large one takes some
 * 30 runs at a rate well below the peak. */
static double weight(const rh_bench_pace *pace, uint64_t bytes) {
  double runs = pace->read_peak > 0 ? 30 * (double)bytes / (0.4 * pace->read_peak) : 0;
  return 0.06 + fmin(runs, pace->max_time_s);
}

static uint32_t ops_on(const rh_bench_settings *settings, uint32_t t) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < settings->ops.n; k++)
    n += rh_bench_is_defined(settings, t, settings->ops.list[k]) != 0;
  return n;
}

void rh_bench_pace_begin(rh_bench_pace *pace, const rh_stage *stage) {
  const rh_bench_settings *settings = stage->settings;
  *pace = (rh_bench_pace){.started = rh_now(),
                          .read_peak = stage->bench_device.calibration.read_peak,
                          .max_time_s = settings->rules.max_time_s};
  for (uint32_t t = 0; t < settings->types.n; t++) {
    uint32_t size = rh_bench_element_bytes(settings, t);
    uint32_t points = ops_on(settings, t) * rh_stage_contenders(stage) * settings->processes;
    for (uint32_t k = 0; k < settings->n_sizes[t]; k++) {
      uint32_t here = points * rh_bench_cuts(settings, settings->sizes[t][k]);
      pace->total += here;
      pace->weight_total += here * weight(pace, settings->sizes[t][k] * size);
    }
  }
}

void rh_bench_pace_step(rh_bench_pace *pace, uint64_t bytes, uint32_t strategies) {
  pace->done += strategies;
  pace->weight_done += strategies * weight(pace, bytes);
}

double rh_bench_left_s(const rh_bench_pace *pace) {
  double spent = rh_now() - pace->started, left = pace->weight_total - pace->weight_done;
  return pace->weight_done > 0 ? spent * left / pace->weight_done : pace->weight_total;
}
