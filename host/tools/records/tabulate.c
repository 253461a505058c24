#include "records.h"

/* ---- Order ---- */

uint32_t rh_table_length(const rh_row *const *rows, uint32_t n) {
  uint32_t length = 0;
  while (length < n && strcmp(rows[0]->device, rows[length]->device) == 0 &&
         rh_row_op_order(rows[0], rows[length]) == 0 && rows[0]->type == rows[length]->type &&
         rh_row_segments_order(rows[0], rows[length]) == 0)
    length++;
  return length;
}

/* Sorts by time; rows without a time by status; otherwise keeps the order. */
static int compare_lines(const void *a, const void *b) {
  const rh_row *one = *(const rh_row *const *)a, *other = *(const rh_row *const *)b;
  int timed = rh_row_is_timed(other) - rh_row_is_timed(one);
  if (timed) return timed;
  if (rh_row_is_timed(one) && one->time.median != other->time.median)
    return one->time.median < other->time.median ? -1 : 1;
  if (one->status != other->status) return one->status < other->status ? -1 : 1;
  return (one > other) - (one < other);
}

const rh_row **rh_records_tabulated(const rh_records *results) {
  const rh_row **rows = rh_records_by_point(results);
  for (uint32_t k = 0, n; rows && k < results->n_rows; k += n) {
    n = rh_point_length(rows + k, results->n_rows - k);
    qsort(rows + k, n, sizeof *rows, compare_lines);
  }
  return rows;
}

/* ---- Rows ---- */

/* 0.85, 55.1, 238, 1129. */
static const char *three_digits(char text[32], double number) {
  return number < 1000 ? rh_format_digits(text, number, 3) : rh_format_fixed(text, number, 0);
}

/* "best", "tie", "1.85x", "peer", marks */
static void add_rank(rh_table *table, int style, const rh_row *row, const rh_best *best) {
  char number[32], marks[8] = "";
  size_t n = 0;
  double ratio = row->time.median / best->row->time.median;
  int is_best = row == best->row, is_other = !is_best && !rh_best_ties(best, row);
  rh_format_fixed(number, ratio, ratio < 10 ? 2 : ratio < 100);
#define RH_X(name, bit, mark)                                                                      \
  if (row->flags & RH_FLAG_##name) marks[n++] = mark;
  RH_FLAG_LIST(RH_X)
#undef RH_X
  rh_table_cell(table, style, "%s%s%s%s%s",
                is_best    ? "best"
                : is_other ? number
                           : "tie",
                is_other ? "x" : "", row->is_peer ? " peer" : "", n ? " " : "", marks);
}

static void add_times(rh_table *table, int style, const rh_row *row) {
  char number[32];
  const rh_spread *time = &row->time;
  double half_width = 50 * (time->ci_high - time->ci_low) / time->median;
  rh_table_cell(table, style, "%s", rh_format_seconds(number, time->median));
  rh_table_cell(table, RH_PLAIN, "%s %%", rh_format_fixed(number, half_width, 1));
  rh_table_cell(table, RH_PLAIN, "%s", three_digits(number, 1e-9 * rh_row_rate(row)));
  rh_table_cell(table, RH_PLAIN, "%s", three_digits(number, 1e-9 * rh_row_bandwidth(row)));
  if (isfinite(row->peak_fraction))
    rh_table_cell(table, RH_PLAIN, "%s %%", rh_format_fixed(number, 100 * row->peak_fraction, 0));
  else rh_table_cell(table, RH_PLAIN, "%s", "");
  rh_table_cell(table, RH_PLAIN, "%s",
                row->latency.samples ? rh_format_seconds(number, row->latency.median) : "");
}

/* `best`: that of the row's point, including peers; its row is null if none has a time. */
static void add_row(rh_table *table, const rh_row *row, const rh_best *best, int has_size) {
  char size[32];
  int is_bad = row->status == RH_ROW_wrong || row->status == RH_ROW_failed;
  int style = row == best->row ? RH_GOOD : is_bad ? RH_BAD : RH_PLAIN;
  rh_table_cell(table, RH_PLAIN, "%s", has_size ? rh_format_size(size, rh_row_size(row)) : "");
  rh_table_cell(table, style, "%s", row->strategy);
  if (best->row && rh_row_is_timed(row)) {
    add_times(table, style, row);
    add_rank(table, style, row, best);
    return;
  }
  rh_table_cell(table, style, "%s", rh_row_status_name(row->status));
  rh_table_row(table, "     ", "", "", "", "", "");
  rh_table_cell(table, style, "%.255s", row->reason ? row->reason : "");
}

void rh_table_fill(rh_table *table, const rh_row *const *rows, uint32_t n, int repeats) {
  rh_table_begin(table, rows[0]->segments.distribution ? ">LENGTH" : ">n");
  rh_table_begin(table, "STRATEGY|>TIME|>+-|>Gelem/s|>GB/s|>PEAK|>LATENCY|");
  for (uint32_t k = 0, length; k < n; k += length) {
    length = rh_point_length(rows + k, n - k);
    const rh_best best = rh_point_best(rows + k, length, 0);
    for (uint32_t j = 0; j < length; j++) add_row(table, rows[k + j], &best, repeats || j == 0);
  }
}

/* ---- Lines ---- */

void rh_table_title(rh_text *text, const rh_records *results, const rh_row *row) {
  const char *name = rh_records_device_text(results, row->device, "name");
  const char *driver = rh_records_device_text(results, row->device, "driver");
  const char *cache = rh_records_cache(results);
  double peak = rh_records_calibration(results, row->device, "read_peak_Bps");
  char number[32];
  rh_text_add(text, "%s %s", rh_row_op_name(row), rh_type_name(row->type));
  if (row->segments.distribution)
    rh_text_add(text, " of segments (%s), n = %s,", rh_lengths_name(row->segments.distribution),
                rh_format_size(number, row->n));
  rh_text_add(text, " on %s", row->device);
  if (name) rh_text_add(text, " %s", name);
  if (driver) rh_text_add(text, ", driver %s", driver);
  if (cache) rh_text_add(text, ", %s input", cache);
  if (peak > 0) rh_text_add(text, ", read peak %s GB/s", three_digits(number, 1e-9 * peak));
  if (text->s) rh_make_plain(text->s);
}

/* Names the best of each size and merges adjacent sizes.  A strategy that still ties continues
 * its range. */
static void add_ranges(rh_text *text, const rh_row *const *rows, uint32_t n, int strategies_only) {
  const rh_row *current = NULL;
  uint64_t last = 0;
  int several = 0;
  char size[32];
  for (uint32_t k = 0, length; k < n; k += length) {
    length = rh_point_length(rows + k, n - k);
    rh_best best = rh_point_best(rows + k, length, strategies_only);
    if (!best.row) continue;
    int goes_on = 0;
    for (uint32_t j = k; current && j < k + length; j++)
      goes_on |= rh_row_is_timed(rows[j]) && strcmp(rows[j]->strategy, current->strategy) == 0 &&
                 rh_best_could_be(&best, rows[j]);
    if (current && !goes_on) {
      rh_text_add(text, "%s to %s, ", current->strategy, rh_format_size(size, last));
      several = 1;
    }
    if (!goes_on) current = best.row;
    last = rh_row_size(rows[k]);
  }
  if (current) rh_text_add(text, "%s%s", current->strategy, several ? " above" : "");
}

void rh_table_best(rh_text *text, const rh_row *const *rows, uint32_t n) {
  RH_FINISHED(rh_text) strategies = {0};
  RH_FINISHED(rh_text) all = {0};
  add_ranges(&strategies, rows, n, 1);
  add_ranges(&all, rows, n, 0);
  const char *of_all = rh_text_get(&all), *of_strategies = rh_text_get(&strategies);
  if (*of_strategies) rh_text_add(text, "best: %s.", of_strategies);
  if (*of_all && strcmp(of_all, of_strategies) != 0)
    rh_text_add(text, "%swith peers: %s.", *of_strategies ? "  " : "", of_all);
}

static void add_marks(rh_text *text, uint32_t flags) {
  static const char *const meanings[] = {"noisy (IQR > 5 %)",
                                         "stopped by --max-time, interval over +-2 %", "throttled",
                                         "by the host's clock"};
  const char *between = "";
#define RH_X(name, bit, mark)                                                                      \
  if (flags & RH_FLAG_##name) {                                                                    \
    rh_text_add(text, "%s%c %s", between, mark, meanings[bit]);                                    \
    between = ", ";                                                                                \
  }
  RH_FLAG_LIST(RH_X)
#undef RH_X
  if (flags) rh_text_add(text, ".  ");
}

void rh_table_legend(rh_text *text, const rh_records *results) {
  uint32_t flags = 0, timed = 0, least = UINT32_MAX, most = 0;
  const char *cache = rh_records_cache(results);
  int beats_memory = 0, beats_time = 0, is_cold = cache && strcmp(cache, "cold") == 0;
  const json_t *run = json_object_get(results->head, "run");
  const json_t *wall = json_object_get(run, "wall_s");
  char number[32];
  for (uint32_t k = 0; k < results->n_rows; k++) {
    const rh_row *row = &results->rows[k];
    if (!rh_row_is_timed(row)) continue;
    timed++;
    flags |= row->flags;
    beats_memory |= row->peak_fraction > 1.005;
    beats_time |= is_cold && row->latency.samples && row->latency.median < row->time.median;
    if (row->time.samples < least) least = row->time.samples;
    if (row->time.samples > most) most = row->time.samples;
  }
  add_marks(text, flags);
  /* Figures that look like a mistake and are right. */
  if (beats_memory) rh_text_add(text, "PEAK above 100 %%: the input came from a cache.  ");
  if (beats_time) rh_text_add(text, "LATENCY below TIME: a call has hot input, TIME cold.  ");
  if (json_is_number(wall))
    rh_text_add(text, "%s s, ", rh_format_digits(number, json_number_value(wall), 3));
  rh_text_add(text, "%u point%s", results->n_rows, results->n_rows == 1 ? "" : "s");
  if (timed && least == most) rh_text_add(text, ", %u samples each", least);
  if (timed && least != most) rh_text_add(text, ", %u-%u samples each", least, most);
  if (timed < results->n_rows) rh_text_add(text, ", %u without a time", results->n_rows - timed);
  rh_text_add(text, json_is_false(json_object_get(run, "complete"))
                        ? ".  Interrupted: some points are missing."
                        : ".");
}
