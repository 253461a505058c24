#include "tune.h"

static const rh_bench_rules quickly = {
    .precision = 0.01, .max_time_s = 0.1, .min_samples = 4, .max_samples = RH_MOST_SAMPLES};

static rh_status measure_quickly(rh_contender *c, double give_up_s, rh_error *error) {
  enum { ROUNDS = 2 };
  RH_TRY(rh_contender_start(c, error));
  for (int k = 0; k < ROUNDS && !c->done && c->about_s <= give_up_s; k++) {
    RH_TRY(rh_contender_round(c, error));
    if (c->spent_s > quickly.max_time_s) break;
  }
  if (c->done) return RH_OK;
  c->row->status = c->n_samples ? RH_ROW_ok : RH_ROW_skipped;
  if (c->n_samples) c->row->time = rh_spread_of(c->samples, c->n_samples);
  return RH_OK;
}

rh_status rh_tune_candidate_measure(rh_stage *stage, rh_point *point, rh_sampler *sampler,
                                    double give_up_s, rh_row *row, rh_error *error) {
  RH_FREED(rh_contender) c = NULL;
  *row = rh_bench_row(stage, point, sampler);
  RH_TRY(RH_NEW(&c, 1, "a sample", error));
  const rh_bench_spec spec = {.stage = stage, .point = point, .rules = &quickly};
  *c = (rh_contender){.sampler = sampler, .row = row, .spec = &spec};
  rh_status status = measure_quickly(c, give_up_s, error);
  if (!c->done && row->status == RH_ROW_skipped) row->time.median = c->about_s;
  rh_contender_close(c);
  return status;
}

static const double worth_it = 0.01;

/* Few samples give no 95 % interval: then the minimum and maximum are used, and with very few,
 * nothing. */
enum { FEWEST = 3, INTERVAL = 6 };

static double lower_bound(const rh_spread *spread) {
  return spread->samples < INTERVAL ? spread->min : spread->ci_low;
}

static double upper_bound(const rh_spread *spread) {
  return spread->samples < INTERVAL ? spread->max : spread->ci_high;
}

static int is_better(const rh_spread *mine, const rh_spread *defaults) {
  return mine->samples >= FEWEST && defaults->samples >= FEWEST &&
         mine->median < (1 - worth_it) * defaults->median &&
         upper_bound(mine) < lower_bound(defaults);
}

uint32_t rh_tune_candidate_decide(const rh_row *rows, const rh_tunedb_settings *settings,
                                  uint32_t n) {
  uint32_t kept = 0;
  double best = INFINITY;
  for (uint32_t k = 0; k < n; k++)
    if (rh_row_is_timed(&rows[k])) best = fmin(best, rows[k].time.median);
  for (uint32_t k = 1; k < n; k++) {
    const rh_spread *mine = &rows[k].time;
    if (!rh_row_is_timed(&rows[k]) || mine->median > (1 + worth_it) * best) continue;
    int better = !rh_row_is_timed(&rows[0]) || is_better(mine, &rows[0].time);
    int simpler = kept == 0 || settings[k].n < settings[kept].n ||
                  (settings[k].n == settings[kept].n && mine->median < rows[kept].time.median);
    if (better && simpler) kept = k;
  }
  return kept;
}
