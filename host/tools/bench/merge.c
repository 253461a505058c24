#include "bench.h"

/* A row with the facts of `from` and none of its samples; nothing to finish on failure. */
static rh_status copy_facts(rh_row *to, const rh_row *from, rh_error *error) {
  *to = *from;
  to->facts = json_copy(from->facts);
  to->rounds = to->raw = to->processes = NULL;
  to->n_rounds = to->n_raw = to->n_processes = 0;
  rh_status status = rh_copy(&to->reason, from->reason, "a row", error);
  if (status != RH_OK) rh_row_finish(to);
  return status;
}

static int badness(const rh_row *row) {
  switch (row->status) {
  case RH_ROW_ok: return 0;
  case RH_ROW_wrong: return 3;
  case RH_ROW_failed: return 2;
  default: return 1;
  }
}

static rh_status take_worst(const rh_row *row, uint32_t process, uint32_t wanted, rh_row *merged,
                            rh_error *error) {
  RH_FINISHED(rh_text) reason = {0};
  rh_text_add(&reason, "process %u of %u: %s", process, wanted, row->reason ? row->reason : "");
  if (reason.failed) return rh_fail(error, RH_E_NOMEM, "no memory for a row");
  rh_row said = *row;
  said.reason = reason.s;
  return copy_facts(merged, &said, error);
}

/* The spread of all samples, with the processes' medians deciding the median and its interval,
 * which contains the median of a skewed few, too. */
static void set_middle(rh_spread *spread, const double *medians, uint32_t n) {
  rh_estimate mean = rh_student_mean(medians, n, 0.05);
  spread->median = rh_spread_of(medians, n).median;
  if (!isfinite(mean.half)) return;
  spread->ci_low = fmax(0, fmin(spread->median, mean.middle - mean.half));
  spread->ci_high = fmax(spread->median, mean.middle + mean.half);
}

/* Latencies are not kept one by one, so their spread is that of the processes' medians. */
static rh_spread latency_of(const rh_row *const *rows, uint32_t n) {
  double medians[RH_MAX_PROCESSES];
  uint32_t samples = 0, outliers = 0, known = 0;
  for (uint32_t k = 0; k < n; k++) {
    if (!rows[k]->latency.samples) continue;
    medians[known++] = rows[k]->latency.median;
    samples += rows[k]->latency.samples;
    outliers += rows[k]->latency.outliers;
  }
  rh_spread spread = rh_spread_of(medians, known);
  if (known) set_middle(&spread, medians, known);
  spread.samples = samples;
  spread.outliers = outliers;
  return spread;
}

static double host_batch_of(const rh_row *row) {
  return json_number_value(json_object_get(row->facts, "host_batch_s"));
}

static json_t *merge_host_batches(const rh_row *const *rows, uint32_t n) {
  double times[RH_MAX_PROCESSES];
  uint32_t known = 0;
  for (uint32_t k = 0; k < n; k++)
    if (host_batch_of(rows[k]) > 0) times[known++] = host_batch_of(rows[k]);
  return rh_json_number(known ? rh_spread_of(times, known).median : (double)NAN);
}

static rh_status merge_times(const rh_row *const *rows, uint32_t n, rh_row *merged,
                             rh_error *error) {
  uint32_t samples = 0, at = 0;
  for (uint32_t k = 0; k < n; k++) samples += rows[k]->n_raw;
  RH_TRY(RH_NEW(&merged->raw, samples, "a row", error));
  RH_TRY(RH_NEW(&merged->processes, n, "a row", error));
  for (uint32_t k = 0; k < n; k++) {
    memcpy(&merged->raw[at], rows[k]->raw, rows[k]->n_raw * sizeof *merged->raw);
    at += rows[k]->n_raw;
    merged->processes[k] = rows[k]->time.median;
    merged->flags |= rows[k]->flags;
    merged->unjudged |= rows[k]->unjudged;
  }
  merged->n_raw = samples;
  merged->n_processes = n;
  merged->time = rh_spread_of(merged->raw, samples);
  set_middle(&merged->time, merged->processes, n);
  merged->latency = latency_of(rows, n);
  json_object_set_new(merged->facts, "host_batch_s", merge_host_batches(rows, n));
  merged->peak_fraction *= rows[0]->time.median / merged->time.median;
  return RH_OK;
}

rh_status rh_merge_processes(const rh_row *const *rows, uint32_t n, uint32_t wanted, rh_row *merged,
                             rh_error *error) {
  const rh_row *kept[RH_MAX_PROCESSES];
  uint32_t worst = 0, n_kept = 0, by_host = 0;
  for (uint32_t k = 0; k < n; k++) {
    if (badness(rows[k]) > badness(rows[worst])) worst = k;
    by_host |= rows[k]->flags & RH_FLAG_host_timer;
  }
  if (badness(rows[worst])) return take_worst(rows[worst], worst + 1, wanted, merged, error);
  for (uint32_t k = 0; k < n; k++)
    if (rh_row_is_timed(rows[k]) && (rows[k]->flags & RH_FLAG_host_timer) == by_host)
      kept[n_kept++] = rows[k];
  RH_TRY(copy_facts(merged, rows[0], error));
  if (!n_kept) return RH_OK; /* ok, but without a time */
  rh_status status = merge_times(kept, n_kept, merged, error);
  if (status != RH_OK) rh_row_finish(merged);
  return status;
}
