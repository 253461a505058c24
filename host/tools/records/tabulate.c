#include "records.h"

static const char *const headings[RH_N_CELLS] = {"n",    "STRATEGY", "TIME",    "+-", "Gelem/s",
                                                 "GB/s", "PEAK",     "LATENCY", ""};

const char *rh_cell_heading(int k, const rh_row *row) {
  return k == RH_CELL_SIZE && row->segments.distribution ? "LENGTH" : headings[k];
}

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

/* ---- Cells ---- */

__attribute__((format(printf, 3, 4))) static void add(char *text, size_t size, const char *format,
                                                      ...) {
  va_list args;
  size_t length = strlen(text);
  va_start(args, format);
  vsnprintf(text + length, size - length, format, args);
  va_end(args);
}

/* 0.85, 55.1, 238, 1129. */
static const char *three_digits(char text[32], double number) {
  return number < 1000 ? rh_format_digits(text, number, 3) : rh_format_fixed(text, number, 0);
}

static void fill_rank(rh_cells *cells, const rh_row *row, const rh_best *best) {
  char number[32];
  double ratio = row->time.median / best->row->time.median;
  size_t size = sizeof cells->note;
  if (cells->is_best) add(cells->note, size, "best");
  else if (rh_best_ties(best, row)) add(cells->note, size, "tie");
  else add(cells->note, size, "%sx", rh_format_fixed(number, ratio, ratio < 10 ? 2 : ratio < 100));
  if (row->is_peer) add(cells->note, size, " peer");
  const char *space = " ";
#define RH_X(name, bit, mark)                                                                      \
  if (row->flags & RH_FLAG_##name) add(cells->note, size, "%s%c", space, mark), space = "";
  RH_FLAG_LIST(RH_X)
#undef RH_X
}

static void fill_times(rh_cells *cells, const rh_row *row) {
  char number[32];
  const rh_spread *time = &row->time;
  size_t size = sizeof cells->text[0];
  double half_width = 50 * (time->ci_high - time->ci_low) / time->median;
  add(cells->text[RH_CELL_TIME], size, "%s", rh_format_seconds(number, time->median));
  add(cells->text[RH_CELL_INTERVAL], size, "%s %%", rh_format_fixed(number, half_width, 1));
  add(cells->text[RH_CELL_RATE], size, "%s", three_digits(number, 1e-9 * rh_row_rate(row)));
  add(cells->text[RH_CELL_BANDWIDTH], size, "%s",
      three_digits(number, 1e-9 * rh_row_bandwidth(row)));
  if (isfinite(row->peak_fraction))
    add(cells->text[RH_CELL_PEAK], size, "%s %%",
        rh_format_fixed(number, 100 * row->peak_fraction, 0));
  if (row->latency.samples)
    add(cells->text[RH_CELL_LATENCY], size, "%s", rh_format_seconds(number, row->latency.median));
}

void rh_cells_fill(rh_cells *cells, const rh_row *row, const rh_best *best) {
  char number[32];
  size_t size = sizeof cells->text[0];
  *cells = (rh_cells){.is_best = row == best->row};
  add(cells->text[RH_CELL_SIZE], size, "%s", rh_format_size(number, rh_row_size(row)));
  add(cells->text[RH_CELL_STRATEGY], size, "%s", row->strategy);
  if (best->row && rh_row_is_timed(row)) {
    fill_times(cells, row);
    fill_rank(cells, row, best);
  } else {
    add(cells->text[RH_CELL_TIME], size, "%s", rh_row_status_name(row->status));
    add(cells->note, sizeof cells->note, "%s", row->reason ? row->reason : "");
    rh_make_plain(cells->note);
  }
}

/* ---- Lines ---- */

void rh_table_title(rh_text *text, const rh_records *results, const rh_row *row) {
  const char *name = rh_records_device_text(results, row->device, "name");
  const char *driver = rh_records_device_text(results, row->device, "driver");
  const char *cache = json_string_value(json_object_get(results->settings, "cache"));
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
  rh_text strategies = {0}, all = {0};
  add_ranges(&strategies, rows, n, 1);
  add_ranges(&all, rows, n, 0);
  const char *of_all = rh_text_get(&all), *of_strategies = rh_text_get(&strategies);
  if (*of_strategies) rh_text_add(text, "best: %s.", of_strategies);
  if (*of_all && strcmp(of_all, of_strategies) != 0)
    rh_text_add(text, "%swith peers: %s.", *of_strategies ? "  " : "", of_all);
  rh_text_finish(&strategies);
  rh_text_finish(&all);
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

/* Explains figures that look like a mistake and are right. */
static void add_oddities(rh_text *text, int beats_memory, int beats_time) {
  if (beats_memory) rh_text_add(text, "PEAK above 100 %%: the input came from a cache.  ");
  if (beats_time) rh_text_add(text, "LATENCY below TIME: a call has hot input, TIME cold.  ");
}

void rh_table_legend(rh_text *text, const rh_records *results) {
  uint32_t flags = 0, timed = 0, least = UINT32_MAX, most = 0;
  const char *cache = json_string_value(json_object_get(results->settings, "cache"));
  int beats_memory = 0, beats_time = 0, is_cold = cache && strcmp(cache, "cold") == 0;
  const json_t *wall = json_object_get(results->run, "wall_s");
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
  add_oddities(text, beats_memory, beats_time);
  if (json_is_number(wall))
    rh_text_add(text, "%s s, ", rh_format_digits(number, json_number_value(wall), 3));
  rh_text_add(text, "%u point%s", results->n_rows, results->n_rows == 1 ? "" : "s");
  if (timed && least == most) rh_text_add(text, ", %u samples each", least);
  if (timed && least != most) rh_text_add(text, ", %u-%u samples each", least, most);
  if (timed < results->n_rows) rh_text_add(text, ", %u without a time", results->n_rows - timed);
  rh_text_add(text, json_is_false(json_object_get(results->run, "complete"))
                        ? ".  Interrupted: some points are missing."
                        : ".");
}
