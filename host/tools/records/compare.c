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

static int is_by_processes(const rh_row *old_row, const rh_row *new_row) {
  return rh_row_is_timed(old_row) && rh_row_is_timed(new_row) &&
         old_row->n_processes >= RH_FEWEST_PROCESSES && new_row->n_processes >= RH_FEWEST_PROCESSES;
}

/* Ratios of times are differences of logarithms. */
static void take_logs(const rh_row *row, double *logs) {
  for (uint32_t k = 0; k < row->n_processes; k++) logs[k] = log(row->processes[k]);
}

static uint32_t judge_by_processes(rh_change *c, double threshold, uint32_t points) {
  const rh_row *old_row = c->old_row, *new_row = c->new_row;
  double old_logs[RH_MAX_PROCESSES], new_logs[RH_MAX_PROCESSES], least = log1p(threshold);
  double by_medians = log(new_row->time.median / old_row->time.median);
  take_logs(old_row, old_logs);
  take_logs(new_row, new_logs);
  rh_estimate by = rh_student_difference(old_logs, old_row->n_processes, new_logs,
                                         new_row->n_processes, miss / fmax(1, points));
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

static void judge_times(rh_change *c, double threshold, uint32_t points) {
  const rh_row *old_row = c->old_row, *new_row = c->new_row;
  c->change = (new_row->time.median - old_row->time.median) / old_row->time.median;
  c->clocks_differ = ((old_row->flags ^ new_row->flags) & RH_FLAG_host_timer) != 0;
  c->verdict = is_by_processes(old_row, new_row) ? judge_by_processes(c, threshold, points)
                                                 : judge_by_rounds(c, threshold);
  if (c->clocks_differ || old_row->time.samples < LEAST_SAMPLES ||
      new_row->time.samples < LEAST_SAMPLES)
    c->verdict = RH_CHANGE_unclear;
}

rh_change rh_change_judge(const rh_row *old_row, const rh_row *new_row, double threshold,
                          uint32_t points) {
  rh_change c = {.old_row = old_row, .new_row = new_row, .change = NAN, .low = NAN, .high = NAN};
  if (rh_row_is_timed(old_row) && rh_row_is_timed(new_row)) judge_times(&c, threshold, points);
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

/* ---- Matching devices ---- */

enum { MOST_DEVICES = 64 };

/* The devices that have rows, and the partner of each in the other file, or -1. */
typedef struct devices {
  const rh_records *results;
  const char *ids[MOST_DEVICES];
  int partner[MOST_DEVICES];
  int n;
} devices;

static int find_device(const devices *d, const char *id) {
  int k = 0;
  while (k < d->n && strcmp(d->ids[k], id) != 0) k++;
  return k < d->n ? k : -1;
}

static rh_status collect_devices(devices *d, const rh_records *results, rh_error *error) {
  *d = (devices){.results = results};
  for (uint32_t k = 0; k < results->n_rows; k++) {
    if (find_device(d, results->rows[k].device) >= 0) continue;
    if (d->n == MOST_DEVICES)
      return rh_fail(error, RH_E_FILE, "--compare takes at most %d devices in a file",
                     MOST_DEVICES);
    d->partner[d->n] = -1;
    d->ids[d->n++] = results->rows[k].device;
  }
  return RH_OK;
}

/* A device's text in the file, or else its id, by which files without `devices` are compared. */
static const char *text_of(const devices *d, int k, const char *key) {
  const char *text = rh_records_device_text(d->results, d->ids[k], key);
  return text ? text : d->ids[k];
}

/* Pairs those of one text under the key; null: any. */
static void pair_by(devices *old, devices *new_, const char *key) {
  for (int k = 0; k < old->n; k++)
    for (int j = 0; j < new_->n && old->partner[k] < 0; j++) {
      if (new_->partner[j] >= 0) continue;
      if (key && strcmp(text_of(old, k, key), text_of(new_, j, key)) != 0) continue;
      old->partner[k] = j;
      new_->partner[j] = k;
    }
}

static int count_singles(const devices *d) {
  int n = 0;
  for (int k = 0; k < d->n; k++) n += d->partner[k] < 0;
  return n;
}

static int warn_of_differences(rh_comparison *c, const devices *old, int k, const devices *new_,
                               int j) {
  const char *old_name = text_of(old, k, "name"), *new_name = text_of(new_, j, "name");
  const char *old_driver = rh_records_device_text(old->results, old->ids[k], "driver");
  const char *new_driver = rh_records_device_text(new_->results, new_->ids[j], "driver");
  if (strcmp(old_name, new_name) != 0)
    return rh_strings_add(&c->warnings, &c->n_warnings, "different devices: %s, and now %s",
                          old_name, new_name);
  if (old_driver && new_driver && strcmp(old_driver, new_driver) != 0)
    return rh_strings_add(&c->warnings, &c->n_warnings, "different drivers of %s: %s, and now %s",
                          old_name, old_driver, new_driver);
  return 0;
}

/* Pairs the same device; else one of the same name; else the last unpaired device of each file,
 * if each has exactly one. */
static rh_status pair_devices(rh_comparison *c, devices *old, devices *new_, rh_error *error) {
  pair_by(old, new_, "key");
  pair_by(old, new_, "name");
  if (count_singles(old) == 1 && count_singles(new_) == 1) pair_by(old, new_, NULL);
  for (int k = 0; k < old->n; k++)
    if (old->partner[k] >= 0 && warn_of_differences(c, old, k, new_, old->partner[k]) != 0)
      return rh_fail(error, RH_E_NOMEM, "no memory for a warning");
  return RH_OK;
}

/* ---- Files that cannot be compared ---- */

static rh_status refuse_other_cache(const rh_records *old, const rh_records *new_,
                                    rh_error *error) {
  const char *before = rh_records_cache(old);
  const char *now = rh_records_cache(new_);
  if (!before || !now || strcmp(before, now) == 0) return RH_OK;
  return rh_fail(error, RH_E_USAGE,
                 "times with %.16s input and times with %.16s input cannot be compared: measure "
                 "again with the same --cache",
                 before, now);
}

static rh_status refuse_other_timer(const devices *old, const devices *new_, rh_error *error) {
  for (int k = 0; k < old->n; k++) {
    if (old->partner[k] < 0) continue;
    const char *before = rh_records_device_text(old->results, old->ids[k], "timer");
    const char *now = rh_records_device_text(new_->results, new_->ids[old->partner[k]], "timer");
    if (before && now && strcmp(before, now) != 0)
      return rh_fail(error, RH_E_USAGE,
                     "times of %.128s by the timers '%.16s' and '%.16s' cannot be compared: "
                     "measure again with --timer=host",
                     text_of(old, k, "name"), before, now);
  }
  return RH_OK;
}

/* ---- Matching points ---- */

/* A row with the key that matches it with a row of the other file. */
typedef struct keyed {
  const rh_row *row;
  int device; /* the index of the old file's device; -1: the old file has none */
  uint32_t taken;
} keyed;

static int compare_keys(const void *of_one, const void *of_other) {
  const keyed *a = of_one, *b = of_other;
  const rh_row *one = a->row, *other = b->row;
  if (a->device != b->device) return a->device < b->device ? -1 : 1;
  int by_problem = rh_row_problem_order(one, other);
  if (by_problem) return by_problem;
  if (one->is_peer != other->is_peer) return one->is_peer ? 1 : -1;
  return strcmp(one->strategy, other->strategy);
}

static int compare_keyed(const void *a, const void *b) {
  const rh_row *one = ((const keyed *)a)->row, *other = ((const keyed *)b)->row;
  int order = compare_keys(a, b);
  return order ? order : (one > other) - (one < other);
}

/* A sorted array of *n rows, the last one of each point. */
static rh_status index_rows(const devices *d, int is_old, keyed **rows, uint32_t *n,
                            rh_error *error) {
  RH_TRY(RH_NEW(rows, d->results->n_rows, "the comparison", error));
  keyed *list = *rows;
  for (uint32_t k = 0; k < d->results->n_rows; k++) {
    const rh_row *row = &d->results->rows[k];
    int device = find_device(d, row->device);
    list[k] = (keyed){row, is_old ? device : d->partner[device], 0};
  }
  qsort(list, d->results->n_rows, sizeof *list, compare_keyed);
  *n = 0;
  for (uint32_t k = 0; k < d->results->n_rows; k++)
    if (*n && compare_keys(&list[*n - 1], &list[k]) == 0) list[*n - 1] = list[k];
    else list[(*n)++] = list[k];
  return RH_OK;
}

/* Each row of the old file with that of the new one. */
static void match(rh_comparison *c, const keyed *old, uint32_t n_old, keyed *new_, uint32_t n_new) {
  for (uint32_t k = 0; k < n_old; k++) {
    keyed *found = bsearch(&old[k], new_, n_new, sizeof *new_, compare_keys);
    if (!found) continue;
    found->taken = 1;
    c->n_by_processes += is_by_processes(old[k].row, found->row) != 0;
    c->changes[c->n_changes++] = (rh_change){.old_row = old[k].row, .new_row = found->row};
  }
  c->only_old = n_old - c->n_changes;
  c->only_new = n_new;
  for (uint32_t k = 0; k < n_new; k++) c->only_new -= new_[k].taken;
}

static rh_status judge_changes(rh_comparison *c, rh_error *error) {
  for (uint32_t k = 0; k < c->n_changes; k++) {
    rh_change *change = &c->changes[k];
    *change = rh_change_judge(change->old_row, change->new_row, c->threshold, c->n_by_processes);
    c->counts[change->verdict]++;
    c->n_by_rounds += isfinite(change->change) && !change->by_processes;
  }
  if (c->n_changes) return RH_OK;
  return rh_fail(
      error, RH_E_USAGE,
      "the two files have no point in common: the same strategy, operator, type and size");
}

static rh_status compare_all(rh_comparison *c, const rh_records *old_results,
                             const rh_records *new_results, rh_error *error) {
  devices old, new_;
  uint32_t n_old, n_new;
  RH_FREED(keyed) of_old = NULL;
  RH_FREED(keyed) of_new = NULL;
  RH_TRY(refuse_other_cache(old_results, new_results, error));
  RH_TRY(collect_devices(&old, old_results, error));
  RH_TRY(collect_devices(&new_, new_results, error));
  RH_TRY(pair_devices(c, &old, &new_, error));
  RH_TRY(refuse_other_timer(&old, &new_, error));
  RH_TRY(index_rows(&old, 1, &of_old, &n_old, error));
  RH_TRY(index_rows(&new_, 0, &of_new, &n_new, error));
  RH_TRY(RH_NEW(&c->changes, n_old, "the comparison", error));
  match(c, of_old, n_old, of_new, n_new);
  return judge_changes(c, error);
}

rh_status rh_compare(rh_comparison *comparison, const rh_records *old, const rh_records *new_,
                     double threshold, rh_error *error) {
  *comparison = (rh_comparison){.threshold = threshold};
  rh_status status = compare_all(comparison, old, new_, error);
  if (status != RH_OK) rh_comparison_finish(comparison);
  return status;
}

void rh_comparison_finish(rh_comparison *comparison) {
  for (uint32_t k = 0; k < comparison->n_warnings; k++) free(comparison->warnings[k]);
  free(comparison->warnings);
  free(comparison->changes);
  *comparison = (rh_comparison){0};
}

uint32_t rh_comparison_regressions(const rh_comparison *comparison) {
  return comparison->counts[RH_CHANGE_slow] + comparison->counts[RH_CHANGE_broken];
}
