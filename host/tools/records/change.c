#include "records.h"

enum { LEAST_ROUNDS = 4, LEAST_SAMPLES = 4 }; /* quartiles of fewer are meaningless */
static const double widest = 0.02;
static const double miss = 0.05; /* the probability that any interval of a comparison misses */

/* ---- By rounds ---- */

static void take_quartiles(const rh_row *row, double *low, double *high) {
  rh_spread rounds = row->time;
  if (row->n_rounds >= LEAST_ROUNDS && row->n_rounds <= RH_MAX_ROUNDS)
    rounds = rh_spread_of(row->rounds, row->n_rounds);
  *low = rounds.q1;
  *high = rounds.q3;
}

static uint32_t judge_by_rounds(rh_change *c, double threshold) {
  double old_median = c->old_row->time.median, new_median = c->new_row->time.median;
  double difference = fabs(new_median - old_median);
  take_quartiles(c->old_row, &c->old_low, &c->old_high);
  take_quartiles(c->new_row, &c->new_low, &c->new_high);
  double of_clock_s = c->old_row->flags & RH_FLAG_host_timer ? 0 : RH_FLOOR_SECONDS;
  c->floor = RH_FLOOR_RELATIVE + of_clock_s / old_median;
  int beyond_floor = difference >= c->floor * old_median;
  if (c->new_low > c->old_high && c->new_low - c->old_high >= threshold * c->old_high)
    return beyond_floor ? RH_CHANGE_slow : RH_CHANGE_unclear;
  if (c->new_high < c->old_low && c->old_low - c->new_high >= threshold * c->new_high)
    return beyond_floor ? RH_CHANGE_fast : RH_CHANGE_unclear;
  int is_near = difference <= threshold * fmin(old_median, new_median);
  int is_steady = c->old_high - c->old_low <= widest * old_median &&
                  c->new_high - c->new_low <= widest * new_median;
  return is_near && is_steady ? RH_CHANGE_same : RH_CHANGE_unclear;
}

/* ---- By processes ---- */

int rh_change_is_by_processes(const rh_row *old_row, const rh_row *new_row) {
  return rh_row_is_timed(old_row) && rh_row_is_timed(new_row) &&
         old_row->n_processes >= RH_FEWEST_PROCESSES && new_row->n_processes >= RH_FEWEST_PROCESSES;
}

/* Ratios of times are differences of logarithms. */
static void take_logs(const rh_row *row, double *logs) {
  for (uint32_t k = 0; k < row->n_processes; k++) logs[k] = log(row->processes[k]);
}

static uint32_t judge_by_processes(rh_change *c, const rh_change_rule *rule) {
  const rh_row *old_row = c->old_row, *new_row = c->new_row;
  double old_logs[RH_MAX_PROCESSES], new_logs[RH_MAX_PROCESSES], least = log1p(rule->threshold);
  double by_medians = log(new_row->time.median / old_row->time.median);
  take_logs(old_row, old_logs);
  take_logs(new_row, new_logs);
  rh_estimate by = rh_student_difference(old_logs, old_row->n_processes, new_logs,
                                         new_row->n_processes, miss / fmax(1, rule->points));
  c->by_processes = 1;
  c->floor = 0;
  c->old_low = old_row->time.ci_low;
  c->old_high = old_row->time.ci_high;
  c->new_low = new_row->time.ci_low;
  c->new_high = new_row->time.ci_high;
  c->low = expm1(by.middle - by.half);
  c->high = expm1(by.middle + by.half);
  if (by.middle - by.half >= least && by_medians >= least) return RH_CHANGE_slow;
  if (by.middle + by.half <= -least && by_medians <= -least) return RH_CHANGE_fast;
  return fabs(by.middle) + by.half <= least ? RH_CHANGE_same : RH_CHANGE_unclear;
}

/* ---- Either ---- */

static int is_bad(const rh_row *row) {
  return row->status == RH_ROW_wrong || row->status == RH_ROW_failed;
}

static void judge_times(rh_change *c, const rh_change_rule *rule) {
  const rh_row *old_row = c->old_row, *new_row = c->new_row;
  c->change = (new_row->time.median - old_row->time.median) / old_row->time.median;
  c->clocks_differ = ((old_row->flags ^ new_row->flags) & RH_FLAG_host_timer) != 0;
  c->verdict = rh_change_is_by_processes(old_row, new_row) ? judge_by_processes(c, rule)
                                                           : judge_by_rounds(c, rule->threshold);
  if (c->clocks_differ || old_row->time.samples < LEAST_SAMPLES ||
      new_row->time.samples < LEAST_SAMPLES)
    c->verdict = RH_CHANGE_unclear;
}

rh_change rh_change_judge(const rh_row *old_row, const rh_row *new_row,
                          const rh_change_rule *rule) {
  rh_change c = {.old_row = old_row, .new_row = new_row, .change = NAN, .low = NAN, .high = NAN};
  if (rh_row_is_timed(old_row) && rh_row_is_timed(new_row)) judge_times(&c, rule);
  else if (old_row->status == RH_ROW_ok && is_bad(new_row)) c.verdict = RH_CHANGE_broken;
  else if (is_bad(old_row) && new_row->status == RH_ROW_ok) c.verdict = RH_CHANGE_mended;
  else c.verdict = RH_CHANGE_untimed;
  return c;
}

const char *rh_change_word(uint32_t verdict) {
#define RH_X(name, number, word) word,
  static const char *const words[] = {RH_CHANGE_LIST(RH_X)};
#undef RH_X
  return words[verdict];
}

const char *rh_change_name(uint32_t verdict) {
#define RH_X(name, ...) #name,
  static const char *const names[] = {RH_CHANGE_LIST(RH_X)};
#undef RH_X
  return names[verdict];
}
