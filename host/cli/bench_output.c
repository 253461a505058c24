#include "../operators/algebra/algebra.h"
#include "../tools/plot/plot.h"
#include "app.h"

/* ---- Tables ---- */

static void print_line(rh_text *text, const char *before, const char *behind) {
  if (text->length) printf("%s%s%s", before, rh_text_get(text), behind);
  rh_text_finish(text);
}

/* Prints a line for each device: the reference of the percentages, and the properties of the
 * clock. */
static void print_calibration(const rh_records *results) {
  size_t k;
  const json_t *device;
  json_array_foreach(json_object_get(results->head, "calibration"), k, device) {
    char peak[32], up[32], down[32];
    const char *id = json_string_value(json_object_get(device, "device"));
    const char *timer = json_string_value(json_object_get(device, "timer"));
    if (!id || !timer) continue;
    printf("%s: reads %s GB/s, copies %s GB/s up and %s down; a launch costs %s, an empty kernel "
           "%s; the %s clock steps %s\n",
           id,
           rh_format_digits(peak, 1e-9 * rh_records_calibration(results, id, "read_peak_Bps"), 4),
           rh_format_digits(up, 1e-9 * rh_records_calibration(results, id, "h2d_Bps"), 3),
           rh_format_digits(down, 1e-9 * rh_records_calibration(results, id, "d2h_Bps"), 3),
           rh_seconds(rh_records_calibration(results, id, "launch_s")),
           rh_seconds(rh_records_calibration(results, id, "empty_kernel_s")), timer,
           rh_seconds(rh_records_calibration(results, id, "timer_step_s")));
  }
}

static double setup_s(const rh_row *row, const char *key) {
  return json_number_value(json_object_get(json_object_get(row->facts, "setup_s"), key));
}

/* Prints one instrumented call of each row, whose times are independent of those above. */
static void print_parts(const rh_row *const *rows, uint32_t n) {
  printf("instrumented, one call each: an event on every command makes it slower\n");
  for (uint32_t k = 0; k < n; k++) {
    const rh_row *row = rows[k];
    const json_t *part;
    size_t j;
    if (!rh_row_is_timed(row)) continue;
    printf("  %5s  %s:", rh_count(rh_row_size(row)), row->strategy);
    if (setup_s(row, "build") > 0)
      printf(" build %s%s,", rh_seconds(setup_s(row, "build")),
             json_is_true(json_object_get(json_object_get(row->facts, "setup_s"), "build_cached"))
                 ? " (cached)"
                 : "");
    if (setup_s(row, "upload") > 0) printf(" upload %s,", rh_seconds(setup_s(row, "upload")));
    json_array_foreach(json_object_get(row->facts, "parts"), j, part) {
      printf(" %s %s,", rh_plain(json_string_value(json_object_get(part, "stage"))),
             rh_seconds(json_number_value(json_object_get(part, "seconds"))));
    }
    if (j)
      printf(" the host's share %s",
             rh_seconds(json_number_value(json_object_get(row->facts, "host_share_s"))));
    else printf(" no commands of a device");
    printf("\n");
  }
  printf("\n");
}

/* ---- Whether a strategy's results have the same bits on several devices ---- */

/* Of a series, which is of one strategy, operator and type; those of one size as they were
 * measured. */
static int by_size(const void *first, const void *second) {
  const rh_row *a = *(const rh_row *const *)first, *b = *(const rh_row *const *)second;
  return a->n != b->n ? (a->n > b->n) - (a->n < b->n) : (a > b) - (a < b);
}

/* "" if it is unknown. */
static const char *value_of(const rh_row *row) {
  return rh_plain(
      json_string_value(json_object_get(json_object_get(row->facts, "check"), "value")));
}

/* The bits of a value, which reads back as the same number. */
static const char *bits_of(char text[32], const rh_row *row) {
  rh_type type = rh_op_result_type(row->op, row->type);
  if (type == RH_TYPE_f32 || type == RH_TYPE_f64)
    snprintf(text, 32, "0x%0*llx", (int)(2 * rh_type_size(type)),
             (unsigned long long)rh_element_bits(type, strtod(value_of(row), NULL)));
  else snprintf(text, 32, "%.31s", value_of(row));
  return text;
}

/* n rows of a series. */
static void print_series(const rh_row *const *rows, uint32_t n) {
  char bits[32], others[32];
  const rh_row *one = rows[0], *other = NULL; /* that differ; null: none do */
  uint32_t devices = 1, most = 1, sizes = 0;
  for (uint32_t k = 1, first = 0; k < n; k++) {
    if (rows[k]->n != rows[first]->n) first = k;
    devices = k - first + 1;
    sizes += devices == 2;
    if (devices > most) most = devices;
    if (other || strcmp(value_of(rows[first]), value_of(rows[k])) == 0) continue;
    one = rows[first];
    other = rows[k];
  }
  if (most == 1) return;
  printf("bits: %s, %s %s: ", rh_plain(one->strategy), rh_row_op_name(one),
         rh_type_name(one->type));
  if (other)
    printf("differ at n = %s: %s on %s, %s on %s\n", rh_count(one->n), bits_of(bits, one),
           rh_plain(one->device), bits_of(others, other), rh_plain(other->device));
  else if (sizes == 1) printf("equal on %u devices (%s)\n", most, bits_of(bits, one));
  else printf("equal on %u devices at %u sizes\n", most, sizes);
}

static int has_value(const rh_row *row) {
  return !row->is_peer && *value_of(row) &&
         (row->status == RH_ROW_ok || row->status == RH_ROW_wrong);
}

static void print_bits(const rh_records *results) {
  const rh_row *all = results->rows;
  RH_FREED(const rh_row *) series = NULL;
  uint32_t n = results->n_rows;
  if (RH_NEW(&series, n, "rows", NULL) != RH_OK) return;
  for (uint32_t k = 0; k < n; k++) {
    uint32_t length = 0;
    for (uint32_t j = 0; j < n && has_value(&all[k]); j++) {
      if (!has_value(&all[j]) || rh_row_op_order(&all[k], &all[j]) != 0 ||
          all[k].type != all[j].type || strcmp(all[k].strategy, all[j].strategy) != 0)
        continue;
      if (j < k) break; /* it was printed */
      series[length++] = &all[j];
    }
    qsort(series, length, sizeof *series, by_size);
    if (length) print_series(series, length);
  }
}

/* ---- All ---- */

static void print_tables(const rh_records *results) {
  RH_FREED(const rh_row *) rows = rh_records_tabulated(results);
  rh_text text = {0};
  for (uint32_t k = 0, n; rows && k < results->n_rows; k += n) {
    rh_table table = {0};
    n = rh_table_length(rows + k, results->n_rows - k);
    rh_table_title(&text, results, rows[k]);
    print_line(&text, "", "\n\n");
    rh_table_fill(&table, rows + k, n, 0);
    rh_table_print(&table, "  ");
    rh_table_best(&text, rows + k, n);
    print_line(&text, "\n", "\n\n");
    if (rh_terminal.verbose) print_parts(rows + k, n);
  }
  if (rows) print_calibration(results);
  print_bits(results);
  rh_table_legend(&text, results);
  print_line(&text, "", "\n");
}

/* ---- Destinations: standard output or --output, --export, --resume ---- */

uint32_t rh_bench_format(const rh_typed *typed) {
  static const uint32_t formats[] = {
      0, 0, RH_FORMAT_markdown, RH_FORMAT_csv, RH_FORMAT_json, RH_FORMAT_jsonl};
  return typed->json ? RH_FORMAT_json : formats[typed->format];
}

rh_status rh_bench_output_check(const rh_typed *typed, rh_error *error) {
  if (typed->dry_run) return RH_OK;
  RH_TRY(rh_exports_check(typed, RH_EXPORT_PICTURE | RH_EXPORT_PAGE | RH_EXPORT_ROWS, error));
  if (typed->outputs.n > 1)
    return rh_fail(error, RH_E_USAGE, "--output: --bench writes one; --export writes more");
  if (typed->outputs.n) RH_TRY(rh_records_check_path(typed->outputs.list[0], error));
  if (!typed->resume) return RH_OK;
  if (rh_format_from_path(typed->resume) != RH_FORMAT_jsonl)
    return rh_fail(error, RH_E_USAGE, "--resume %s: expected a name that ends in .jsonl",
                   typed->resume);
  return rh_records_check_path(typed->resume, error);
}

static const char *device_key(const rh_records *results) {
  const json_t *first = json_array_get(json_object_get(results->head, "devices"), 0);
  const char *id = json_string_value(json_object_get(first, "id"));
  const char *key = id ? rh_records_device_text(results, id, "key") : NULL;
  return key ? key : "no device";
}

static const char *word_of(const json_t *object, const char *key) {
  const char *word = json_string_value(json_object_get(object, key));
  return word ? word : "unknown";
}

/* Points of different builds, devices or settings could not be distinguished in one file. */
static rh_status check_same(const char *path, const rh_records *was, const rh_records *is,
                            rh_error *error) {
  static const char *const of_tool[] = {NULL, "version", "git", "build"}; /* null: the device */
  for (size_t k = 0; k < sizeof of_tool / sizeof *of_tool; k++) {
    const char *key = of_tool[k];
    const char *one = key ? word_of(json_object_get(was->head, "tool"), key) : device_key(was);
    const char *other = key ? word_of(json_object_get(is->head, "tool"), key) : device_key(is);
    if (strcmp(one, other) != 0)
      return rh_fail(error, RH_E_FILE,
                     "--resume %s: it was measured %s %s, this is %s; use a new file", path,
                     key ? "by redhost" : "on", one, other);
  }
  if (!json_equal(json_object_get(was->head, "settings"), json_object_get(is->head, "settings")))
    return rh_fail(error, RH_E_FILE,
                   "--resume %s: it was measured with other settings (--cache, --precision, "
                   "--max-time, --samples, --processes, --timer, --data or --seed); use a new file",
                   path);
  return RH_OK;
}

/* Interrupted points are measured again. */
static rh_status take_rows(rh_records *results, rh_records *was, rh_error *error) {
  for (uint32_t k = 0; k < was->n_rows; k++) {
    rh_row row = was->rows[k];
    if (row.status == RH_ROW_skipped) continue;
    memset(&was->rows[k], 0, sizeof was->rows[k]);
    RH_TRY(rh_records_add(results, &row, error));
  }
  return RH_OK;
}

rh_status rh_bench_output_take_over(const char *path, rh_records *results, rh_error *error) {
  RH_FINISHED(rh_records) was = {0};
  struct stat st;
  if (stat(path, &st) != 0 || st.st_size == 0) return RH_OK;
  RH_TRY(rh_records_read(path, &was, error));
  results->whole_bytes = was.whole_bytes;
  if (!was.are_lines)
    return rh_fail(error, RH_E_FILE,
                   "--resume %s: it is one JSON document; only JSONL can be appended to", path);
  RH_TRY(check_same(path, &was, results, error));
  return take_rows(results, &was, error);
}

/* With --quiet, the name of the best strategy of each point. */
static rh_status print(const rh_app *app, const rh_records *results, rh_error *error) {
  uint32_t format = rh_bench_format(app->typed);
  if (format) return rh_records_write(results, format, stdout, "standard output", error);
  if (!app->typed->quiet) print_tables(results);
  for (uint32_t k = 0; k < results->n_rows && app->typed->quiet; k++) {
    const rh_row *row = &results->rows[k];
    if (rh_records_best(results, row, 0).row == row) puts(row->strategy);
  }
  return RH_OK;
}

/* Tables are printed to standard output, which is that file from here on. */
static rh_status print_to(const rh_app *app, const char *path, const rh_records *results,
                          rh_error *error) {
  if (!freopen(path, "w", stdout))
    return rh_fail(error, RH_E_FILE, "%s: %s", path, strerror(errno));
  RH_TRY(print(app, results, error));
  if (fflush(stdout) == 0 && !ferror(stdout)) return RH_OK;
  clearerr(stdout);
  return rh_fail(error, RH_E_FILE, "%s: %s", path, strerror(errno));
}

rh_status rh_bench_output_all(const rh_app *app, const rh_records *results, rh_error *error) {
  const rh_words *outputs = &app->typed->outputs, *exports = &app->typed->exports;
  const char *pictures[RH_MAX_WORDS];
  rh_plot_spec spec = {.files = pictures};
  RH_FINISHED(rh_plotted) plotted = {0};
  rh_error why; /* a failing destination does not affect the others */
  rh_status status =
      outputs->n ? print_to(app, outputs->list[0], results, error) : print(app, results, error);
  for (uint32_t k = 0; k < exports->n; k++) {
    const char *path = exports->list[k];
    if (!rh_format_from_path(path)) pictures[spec.n_files++] = path;
    else if (rh_records_export(results, path, &why) != RH_OK && status == RH_OK) {
      status = why.status;
      *error = why;
    }
  }
  if (!spec.n_files) return status;
  rh_status drawn =
      rh_plot_results(results, "the results", &spec, &plotted, status == RH_OK ? error : &why);
  return status == RH_OK ? drawn : status;
}
