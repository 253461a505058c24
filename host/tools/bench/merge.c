#include "bench.h"

/* A row with the facts of `from` and none of its samples; nothing to finish on failure. */
static rh_status copy_facts(rh_row *to, const rh_row *from, const char *reason, rh_error *error) {
  *to = *from;
  to->facts = json_copy(from->facts);
  to->rounds = to->raw = to->processes = NULL;
  to->n_rounds = to->n_raw = to->n_processes = 0;
  rh_status status = rh_copy(&to->reason, reason, "a row", error);
  if (status != RH_OK) rh_row_finish(to);
  return status;
}

/* The worse, the higher. */
static const int badness[] = {[RH_ROW_ok] = 0,
                              [RH_ROW_skipped] = 1,
                              [RH_ROW_unsupported] = 1,
                              [RH_ROW_failed] = 2,
                              [RH_ROW_wrong] = 3};

static rh_status take_worst(const rh_row *row, uint32_t process, uint32_t wanted, rh_row *merged,
                            rh_error *error) {
  RH_FINISHED(rh_text) reason = {0};
  rh_text_add(&reason, "process %u of %u: %s", process, wanted, row->reason ? row->reason : "");
  if (reason.failed) return rh_fail(error, RH_E_NOMEM, "no memory for a row");
  return copy_facts(merged, row, reason.s, error);
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

static json_t *merge_host_batches(const rh_row *const *rows, uint32_t n) {
  double times[RH_MAX_PROCESSES];
  uint32_t known = 0;
  for (uint32_t k = 0; k < n; k++) {
    times[known] = json_number_value(json_object_get(rows[k]->facts, "host_batch_s"));
    known += times[known] > 0;
  }
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
    if (badness[rows[k]->status] > badness[rows[worst]->status]) worst = k;
    by_host |= rows[k]->flags & RH_FLAG_host_timer;
  }
  if (badness[rows[worst]->status])
    return take_worst(rows[worst], worst + 1, wanted, merged, error);
  for (uint32_t k = 0; k < n; k++)
    if (rh_row_is_timed(rows[k]) && (rows[k]->flags & RH_FLAG_host_timer) == by_host)
      kept[n_kept++] = rows[k];
  RH_TRY(copy_facts(merged, rows[0], rows[0]->reason, error));
  if (!n_kept) return RH_OK; /* ok, but without a time */
  rh_status status = merge_times(kept, n_kept, merged, error);
  if (status != RH_OK) rh_row_finish(merged);
  return status;
}
