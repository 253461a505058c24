#include "trial.h"
#include "../base/error.h"
#include "../base/text.h"
#include "../base/vocabulary.h"
#include "../measure/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- With settings ---- */

typedef struct trial {
  rh_sampler inner;
  rh_local_shared *shared;
  rh_tuned_setting words[RH_TUNED_MOST_SETTINGS];
  rh_setting settings[RH_TUNED_MOST_SETTINGS];
  uint32_t n;
} trial;

/* Settings are read while a point is opened, and never again. */
static rh_status open(void *self, const rh_bench_data *data, rh_opened *opened, rh_error *error) {
  trial *t = self;
  const rh_setting *settings = t->shared->settings;
  uint64_t n = t->shared->n_settings;
  t->shared->settings = t->settings;
  t->shared->n_settings = t->n;
  rh_status status = t->inner.open(t->inner.self, data, opened, error);
  t->shared->settings = settings;
  t->shared->n_settings = n;
  return status;
}

static rh_status take(void *self, const rh_take *how, rh_taken *taken, rh_error *error) {
  trial *t = self;
  return t->inner.take(t->inner.self, how, taken, error);
}

static void close_it(void *self) {
  trial *t = self;
  t->inner.close(t->inner.self);
}

static void finish(void *self) {
  trial *t = self;
  t->inner.finish(t->inner.self);
  free(t);
}

rh_status rh_trial_sampler(rh_sampler *sampler, rh_local_shared *shared, const rh_found *found,
                           const rh_tuned_setting *settings, uint32_t n, rh_error *error) {
  trial *t = calloc(1, sizeof *t);
  if (!t) return rh_fail(error, RH_E_NOMEM, "no memory for a sampler");
  rh_status status = rh_local_sampler(&t->inner, shared, found, error);
  if (status != RH_OK) {
    free(t);
    return status;
  }
  t->shared = shared;
  t->n = n;
  if (n) memcpy(t->words, settings, n * sizeof *settings);
  for (uint32_t k = 0; k < n; k++)
    t->settings[k] = (rh_setting){t->words[k].key, t->words[k].value};
  *sampler =
      (rh_sampler){.self = t, .open = open, .take = take, .close = close_it, .finish = finish};
  snprintf(sampler->name, sizeof sampler->name, "%s", found->name);
  return RH_OK;
}

/* ---- A quick look ---- */

static rh_status look(rh_contender *c, const rh_bench_data *data, const rh_bench_scale *scale,
                      double give_up_s, rh_error *error) {
  enum { ROUNDS = 2 };
  static const rh_bench_rules rules = {
      .precision = 0.01, .max_time_s = 0.1, .min_samples = 4, .max_samples = RH_MOST_SAMPLES};
  double room[2 * RH_SAMPLES_A_ROUND];
  RH_TRY(rh_contender_start(c, data, &rules, scale, error));
  for (int k = 0; k < ROUNDS && !c->done && c->about_s <= give_up_s; k++) {
    RH_TRY(rh_contender_round(c, &rules, scale, error));
    if (c->spent_s > rules.max_time_s) break;
  }
  if (c->done) return RH_OK;
  c->row->status = c->n_samples ? RH_ROW_ok : RH_ROW_skipped;
  if (c->n_samples) c->row->time = rh_spread_of(c->samples, c->n_samples, room);
  return RH_OK;
}

rh_status rh_trial_look(rh_sampler *sampler, const rh_bench_data *data, const rh_bench_scale *scale,
                        double give_up_s, rh_row *row, rh_error *error) {
  rh_contender *c = calloc(1, sizeof *c);
  *row = (rh_row){.op = data->op, .type = data->type, .n = data->n, .status = RH_ROW_skipped};
  snprintf(row->strategy, sizeof row->strategy, "%s", sampler->name);
  if (!c) return rh_fail(error, RH_E_NOMEM, "no memory for a sample");
  *c = (rh_contender){.sampler = sampler, .row = row};
  rh_status status = look(c, data, scale, give_up_s, error);
  if (!c->done && row->status == RH_ROW_skipped) row->time.median = c->about_s;
  rh_contender_close(c);
  free(c);
  return status;
}

/* ---- The verdict ---- */

static const double worth_it = 0.01;

/* Of few samples no interval has 95 %: all of them count, and of very few nothing does. */
enum { FEWEST = 3, INTERVAL = 6 };

static double least(const rh_spread *spread) {
  return spread->samples < INTERVAL ? spread->min : spread->ci_low;
}

static double most(const rh_spread *spread) {
  return spread->samples < INTERVAL ? spread->max : spread->ci_high;
}

static int is_better(const rh_spread *mine, const rh_spread *defaults) {
  return mine->samples >= FEWEST && defaults->samples >= FEWEST &&
         mine->median < (1 - worth_it) * defaults->median && most(mine) < least(defaults);
}

uint32_t rh_trial_decide(const rh_row *rows, const uint32_t *n_settings, uint32_t n) {
  uint32_t kept = 0;
  double best = INFINITY;
  for (uint32_t k = 0; k < n; k++)
    if (rh_row_is_timed(&rows[k])) best = fmin(best, rows[k].time.median);
  for (uint32_t k = 1; k < n; k++) {
    const rh_spread *mine = &rows[k].time;
    if (!rh_row_is_timed(&rows[k]) || mine->median > (1 + worth_it) * best) continue;
    int better = !rh_row_is_timed(&rows[0]) || is_better(mine, &rows[0].time);
    int simpler = kept == 0 || n_settings[k] < n_settings[kept] ||
                  (n_settings[k] == n_settings[kept] && mine->median < rows[kept].time.median);
    if (better && simpler) kept = k;
  }
  return kept;
}
