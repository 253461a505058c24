#include "../operators/algebra/algebra.h"
#include "bench.h"

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

/* The rows are of one strategy, operator and type. */
static int same_series(const rh_row *a, const rh_row *b) {
  return rh_row_op_order(a, b) == 0 && a->type == b->type && strcmp(a->strategy, b->strategy) == 0;
}

/* Of a series; those of one size as they were measured. */
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
      if (!has_value(&all[j]) || !same_series(&all[k], &all[j])) continue;
      if (j < k) break; /* it was printed */
      series[length++] = &all[j];
    }
    qsort(series, length, sizeof *series, by_size);
    if (length) print_series(series, length);
  }
}

/* ---- All ---- */

void rh_bench_table_print(const rh_records *results, const rh_terminal *terminal) {
  RH_FREED(const rh_row *) rows = rh_records_tabulated(results);
  rh_text text = {0};
  for (uint32_t k = 0, n; rows && k < results->n_rows; k += n) {
    rh_table table = {0};
    n = rh_table_length(rows + k, results->n_rows - k);
    rh_table_title(&text, results, rows[k]);
    print_line(&text, "", "\n\n");
    rh_table_fill(&table, rows + k, n, 0);
    rh_table_print(&table, terminal, "  ");
    rh_table_best(&text, rows + k, n);
    print_line(&text, "\n", "\n\n");
    if (terminal->verbose) print_parts(rows + k, n);
  }
  if (rows) print_calibration(results);
  print_bits(results);
  rh_table_legend(&text, results);
  print_line(&text, "", "\n");
}
