/* redhost --compare OLD NEW: compares two result files. */

#include "../tools/plot/plot.h"
#include "app.h"

/* The two files and the comparison; may be zero-initialised. */
typedef struct work {
  const rh_app *app;
  const char *old_path, *new_path;
  rh_records old, new_;
  rh_comparison comparison;
} work;

/* ---- Text ------------------------------------------------------------------------------------ */

static const char *text_in(const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  return text ? text : "";
}

/* "old  2026-11-20  a1b2c3d  NVIDIA H200 580.159.04  old.json", with each device that has rows. */
static void print_file(const char *which, const char *path, const rh_records *results) {
  const json_t *tool = json_object_get(results->head, "tool");
  const char *git = text_in(tool, "git"), *version = text_in(tool, "version"), *last = "";
  const char *start = text_in(json_object_get(results->head, "run"), "start");
  const char *commit = *git ? git : version;
  const char *dirty = json_is_true(json_object_get(tool, "dirty")) && *commit ? "+" : "";
  RH_FREED(const rh_row *) rows = rh_records_by_point(results);
  const char *line = rh_show("%s%s%.10s%s%s%s", which, *start ? "  " : "", start,
                             *commit ? "  " : "", commit, dirty);
  for (uint32_t k = 0; rows && k < results->n_rows; k++) {
    const char *id = rows[k]->device;
    if (strcmp(id, last) == 0) continue;
    const char *name = rh_records_device_text(results, id, "name");
    const char *driver = rh_records_device_text(results, id, "driver");
    line = rh_show("%s%s%s%s%s", line, *last ? ", " : "  ", name ? name : id, driver ? " " : "",
                   driver ? driver : "");
    last = id;
  }
  printf("%s\n", rh_plain(rh_show("%s  %s", line, path)));
}

/* "6.39 us +-0.1 %", or the point's status. */
static void add_time(rh_table *table, const rh_row *row) {
  char half[32];
  const rh_spread *spread = &row->time;
  if (!rh_row_is_timed(row)) {
    rh_table_cell(table, RH_PLAIN, "%s", rh_row_status_name(row->status));
    rh_table_cell(table, RH_PLAIN, "%s", "");
    return;
  }
  rh_format_fixed(half, 50 * (spread->ci_high - spread->ci_low) / spread->median, 1);
  rh_table_cell(table, RH_PLAIN, "%s", rh_seconds(spread->median));
  rh_table_cell(table, RH_PLAIN, "+-%s %%", half);
}

static int style_of(const rh_change *change) {
  switch (change->verdict) {
  case RH_CHANGE_slow:
  case RH_CHANGE_broken: return RH_BAD;
  case RH_CHANGE_fast:
  case RH_CHANGE_mended: return RH_GOOD;
  default: return RH_PLAIN;
  }
}

/* "+17.3 %", and with an interval "+17.3 +-0.4 %" */
static const char *format_change(const rh_change *c) {
  char number[32], half[32];
  if (!isfinite(c->change)) return "";
  rh_format_fixed(number, fabs(100 * c->change), 1);
  rh_format_fixed(half, 50 * (c->high - c->low), 1);
  return rh_show("%s%s%s%s %%", c->change < 0 ? "-" : "+", number, c->by_processes ? " +-" : "",
                 c->by_processes ? half : "");
}

static void add_change(rh_table *table, const rh_change *change, int with_device) {
  const rh_row *row = change->new_row;
  const char *reason = change->verdict == RH_CHANGE_broken && row->reason ? row->reason : "";
  if (change->clocks_differ) reason = "by different clocks";
  if (with_device) rh_table_cell(table, RH_PLAIN, "%s", row->device);
  rh_table_cell(table, RH_PLAIN, "%s", row->strategy);
  rh_table_cell(table, RH_PLAIN, "%s %s", rh_row_op_name(row), rh_type_name(row->type));
  if (row->segments.distribution)
    rh_table_cell(table, RH_PLAIN, "%s / %s %s", rh_count(row->n), rh_count(row->segments.length),
                  rh_lengths_name(row->segments.distribution));
  else rh_table_cell(table, RH_PLAIN, "%s", rh_count(row->n));
  add_time(table, change->old_row);
  add_time(table, row);
  rh_table_cell(table, style_of(change), "%s", format_change(change));
  rh_table_cell(table, style_of(change), "%s%s%.200s", rh_change_word(change->verdict),
                *reason ? ": " : "", reason);
}

static void print_table(const work *w) {
  static const char headings[] = "DEVICE|STRATEGY|OP|>n|>OLD|>|>NEW|>|>CHANGE|";
  const rh_comparison *c = &w->comparison;
  const char *first = c->changes[0].new_row->device;
  int with_device = strcmp(c->changes[c->n_changes - 1].new_row->device, first) != 0;
  rh_table table = {0};
  rh_table_begin(&table, with_device ? headings : strchr(headings, '|') + 1);
  for (uint32_t k = 0; k < c->n_changes; k++) add_change(&table, &c->changes[k], with_device);
  rh_table_print(&table, "  ");
}

/* "27 compared: 25 same, 0 fast, 1 SLOW, 1 unclear.  3 only in old." */
static void print_summary(const rh_comparison *c) {
  printf("%u compared: ", c->n_changes);
  for (uint32_t k = 0; k < RH_N_CHANGES; k++)
    if (k <= RH_CHANGE_unclear || c->counts[k])
      printf("%s%u %s", k ? ", " : "", c->counts[k], rh_change_word(k));
  putchar('.');
  if (c->only_old) printf("  %u only in old.", c->only_old);
  if (c->only_new) printf("  %u only in new.", c->only_new);
  putchar('\n');
}

/* Says what the intervals do not contain; or null. */
static const char *note_on(const rh_comparison *c) {
  double percent = 100 * RH_FLOOR_RELATIVE, us = 1e6 * RH_FLOOR_SECONDS;
  if (!c->n_by_rounds) return NULL;
  return rh_show(
      "%s how processes differ is unknown, and changes below %.0f %% + %.2f us (%.0f %% by the "
      "host's clock) are not found. To find smaller ones, measure both with --bench "
      "--processes=8.",
      c->n_by_processes ? "Where a file has fewer than 5 processes,"
                        : "With fewer than 5 processes in a file,",
      percent, us, percent);
}

static void print_text(const work *w) {
  print_file("old", w->old_path, &w->old);
  print_file("new", w->new_path, &w->new_);
  putchar('\n');
  print_table(w);
  putchar('\n');
  print_summary(&w->comparison);
  const char *note = note_on(&w->comparison);
  if (note) rh_print_wrapped(note, "", "", 79);
}

/* Only the regressions, one per line. */
static void print_quiet(const rh_comparison *c) {
  for (uint32_t k = 0; k < c->n_changes; k++) {
    const rh_row *row = c->changes[k].new_row;
    uint32_t verdict = c->changes[k].verdict;
    if (verdict == RH_CHANGE_slow || verdict == RH_CHANGE_broken)
      printf("%s %s %s %llu\n", row->strategy, rh_row_op_name(row), rh_type_name(row->type),
             (unsigned long long)row->n);
  }
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *side_object(const rh_row *row, double low, double high) {
  int timed = rh_row_is_timed(row);
  uint64_t processes = row->n_processes ? row->n_processes : 1;
  return rh_json("device:s status:s median_s:f interval_s:o processes:u", row->device,
                 rh_row_status_name(row->status), timed ? row->time.median : NAN,
                 timed ? json_pack("[f, f]", low, high) : NULL, timed ? processes : UINT64_MAX);
}

static json_t *change_object(const rh_change *change) {
  const rh_row *row = change->new_row;
  return rh_json("strategy:s op:s type:s n:u peer:b old:o new:o change:f change_interval:o floor:f "
                 "verdict:s",
                 row->strategy, rh_row_op_name(row), rh_type_name(row->type), row->n,
                 (int)row->is_peer, side_object(change->old_row, change->old_low, change->old_high),
                 side_object(change->new_row, change->new_low, change->new_high), change->change,
                 change->by_processes ? json_pack("[f, f]", change->low, change->high) : NULL,
                 isfinite(change->change) ? change->floor : NAN, rh_change_name(change->verdict));
}

static json_t *file_object(const char *path, const rh_records *results) {
  json_t *head = results->head;
  return rh_json("file:s tool:o run:o devices:o", path, json_incref(json_object_get(head, "tool")),
                 json_incref(json_object_get(head, "run")),
                 json_incref(json_object_get(head, "devices")));
}

static json_t *comparison_members(const work *w) {
  const rh_comparison *c = &w->comparison;
  json_t *changes = json_array(), *counts = json_object();
  for (uint32_t k = 0; k < c->n_changes; k++)
    json_array_append_new(changes, change_object(&c->changes[k]));
  for (uint32_t k = 0; k < RH_N_CHANGES; k++)
    json_object_set_new(counts, rh_change_name(k), json_integer(c->counts[k]));
  json_object_set_new(counts, "only_old", json_integer(c->only_old));
  json_object_set_new(counts, "only_new", json_integer(c->only_new));
  return rh_json("old:o new:o threshold:f warnings:o note:s changes:o counts:o",
                 file_object(w->old_path, &w->old), file_object(w->new_path, &w->new_),
                 c->threshold, rh_json_strings(c->warnings, c->n_warnings), note_on(c), changes,
                 counts);
}

/* ---- The mode -------------------------------------------------------------------------------- */

static rh_status read_file(const work *w, const char *path, rh_records *results, rh_error *error) {
  RH_TRY(rh_records_read(path, results, error));
  if (results->is_cut && !w->app->typed->quiet)
    rh_terminal_say("%s: the last line is cut off; the %u results before it are compared", path,
                    results->n_rows);
  return RH_OK;
}

static rh_status compare_files(work *w, rh_error *error) {
  double percent = w->app->typed->threshold > 0 ? w->app->typed->threshold : 1;
  RH_TRY(rh_exports_check(w->app->typed, RH_EXPORT_PICTURE, error));
  if (strcmp(w->old_path, "-") == 0 && strcmp(w->new_path, "-") == 0)
    return rh_fail(error, RH_E_USAGE, "--compare: only one of the files can be standard input");
  RH_TRY(read_file(w, w->old_path, &w->old, error));
  RH_TRY(read_file(w, w->new_path, &w->new_, error));
  RH_TRY(rh_compare(&w->comparison, &w->old, &w->new_, percent / 100, error));
  for (uint32_t k = 0; k < w->comparison.n_warnings; k++) {
    rh_make_plain(w->comparison.warnings[k]);
    if (!w->app->typed->quiet) rh_terminal_say("%s", w->comparison.warnings[k]);
  }
  return RH_OK;
}

static rh_status draw(const work *w, rh_error *error) {
  const rh_words *files = &w->app->typed->exports;
  rh_plot_spec spec = {.files = files->list, .n_files = files->n};
  RH_FINISHED(rh_plotted) plotted = {0};
  if (!files->n) return RH_OK;
  json_auto_t *document = rh_json_document(comparison_members(w));
  RH_FREED(char) text = document ? json_dumps(document, JSON_COMPACT) : NULL;
  if (!text) return rh_fail(error, RH_E_NOMEM, "no memory for a picture");
  return rh_plot(text, strlen(text), "the comparison", &spec, &plotted, error);
}

static void work_finish(work *w) {
  rh_comparison_finish(&w->comparison);
  rh_records_finish(&w->new_);
  rh_records_finish(&w->old);
}

rh_status rh_mode_compare(const rh_app *app, rh_error *error) {
  RH_FINISHED(work)
  w = {.app = app, .old_path = app->typed->name, .new_path = app->typed->operands[0]};
  rh_status status = compare_files(&w, error);
  if (status == RH_OK && app->typed->json) status = rh_json_print(comparison_members(&w), error);
  else if (status == RH_OK && app->typed->quiet) print_quiet(&w.comparison);
  else if (status == RH_OK) print_text(&w);
  if (status == RH_OK) status = draw(&w, error);
  const uint32_t *counts = w.comparison.counts;
  if (!rh_comparison_regressions(&w.comparison)) return status;
  /* Exit status 1 is for regressions that must stop a CI pipeline: significantly slower, or broken,
   * even if drawing the picture failed. */
  if (status != RH_OK) rh_terminal_say("%s", error->message);
  return rh_fail(error, RH_E_WRONG, "of %u points, %u became slower and %u broke",
                 w.comparison.n_changes, counts[RH_CHANGE_slow], counts[RH_CHANGE_broken]);
}
