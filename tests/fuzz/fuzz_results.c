/* host/tools/records: a file of results.  Once read and written again it does not change any more,
 * as a document and as lines; and what is shown of it. */
#include <math.h>

#include "../../host/tools/records/records.h"
#include "fuzz.h"

static void check_refusal(rh_status status, const rh_error *error) {
  fuzz_check_refusal(status, error, RH_E_FILE);
  RULE(strncmp(error->message, "/proc/self/fd/", 14) == 0);
  for (const char *c = error->message; *c; c++) RULE((unsigned char)*c >= 0x20 && *c != 0x7f);
}

static void check_spread(const rh_spread *spread) {
  if (!spread->samples) return;
  RULE(spread->median > 0 && isfinite(spread->median));
  RULE(spread->ci_low >= 0 && spread->ci_low <= spread->ci_high && isfinite(spread->ci_high));
  RULE(spread->min >= 0 && spread->min <= spread->max && isfinite(spread->max));
  RULE(spread->q1 >= 0 && spread->q1 <= spread->q3 && isfinite(spread->q3));
}

/* The properties that tables, --compare and --plot rely on. */
static void check_row(const rh_records *results, const rh_row *row) {
  RULE(row->device[0] && row->strategy[0] && row->op && row->type);
  RULE(memchr(row->device, 0, sizeof row->device) &&
       memchr(row->strategy, 0, sizeof row->strategy));
  RULE(row->n_rounds <= RH_MAX_ROUNDS);
  RULE(!row->n_raw || row->raw);
  check_spread(&row->time);
  check_spread(&row->latency);
  RULE(rh_row_rate(row) >= 0 && rh_row_bandwidth(row) >= 0);
  rh_records_device_text(results, row->device, "name");
  rh_records_calibration(results, row->device, "read_peak_Bps");
  rh_best best = rh_records_best(results, row, 0);
  RULE(!best.row || rh_row_is_timed(best.row));
  RULE(best.row || !rh_row_is_timed(row));
}

/* The text of a document that JSON can hold; malloc'ed. */
static char *dump(json_t *document) {
  char *text = json_dumps(document, JSON_COMPACT);
  json_decref(document);
  RULE(document && text);
  return text;
}

/* The same results, one per line. */
static char *dump_lines(const rh_records *results) {
  char *text = dump(json_incref(results->head));
  size_t length = strlen(text);
  for (uint32_t k = 0; k < results->n_rows; k++) {
    char *row = dump(rh_row_to_json(&results->rows[k]));
    size_t more = strlen(row);
    text = realloc(text, length + more + 2);
    RULE(text);
    text[length++] = '\n';
    memcpy(text + length, row, more + 1);
    length += more;
    free(row);
  }
  return text;
}

/* malloc'ed. */
static char *write_text(const rh_records *results, uint32_t format) {
  char *text = NULL;
  size_t size = 0;
  rh_error error = {0};
  FILE *out = open_memstream(&text, &size);
  RULE(out && rh_records_write(results, format, out, "", &error) == RH_OK);
  RULE(!ferror(out) && fclose(out) == 0);
  RULE(strlen(text) == size);
  return text;
}

/* Reads the written file, and expects the same results. */
static void read_again(const char *written, const char *document, int lines) {
  rh_records results;
  rh_error error = {0};
  const char *path = as_file(written, strlen(written));
  rh_status status = rh_records_read(path, &results, &error);
  if (status != RH_OK) fprintf(stderr, "%s\n%s\n", written, error.message);
  RULE(status == RH_OK);
  RULE(!results.is_cut && (int)results.are_lines == lines);
  char *again = write_text(&results, RH_FORMAT_json);
  if (strcmp(again, document) != 0) fprintf(stderr, "%s\n%s\n", document, again);
  RULE(strcmp(again, document) == 0);
  free(again);
  rh_records_finish(&results);
}

static void write_and_read(const rh_records *results) {
  char *document = write_text(results, RH_FORMAT_json);
  read_again(document, document, 0);
  if (json_is_object(
          json_object_get(results->head, "settings"))) { /* a header without is no JSONL */
    char *lines = dump_lines(results);
    read_again(lines, document, 1);
    free(lines);
  }
  free(document);
}

/* ---- What users see: no name or reason may become a column or a line ---- */

/* The number of cells in the record that begins here, by RFC 4180; moves *at past it. */
static uint32_t count_cells(const char **at) {
  uint32_t n = 1;
  int quoted = 0;
  for (; **at && (quoted || **at != '\n'); ++*at) {
    quoted ^= **at == '"';
    n += !quoted && **at == ',';
  }
  RULE(**at == '\n');
  ++*at;
  return n;
}

static void check_csv(const rh_records *results) {
  char *text = write_text(results, RH_FORMAT_csv);
  const char *at = text;
  uint32_t columns = count_cells(&at), records = 0;
  for (; *at; records++) RULE(count_cells(&at) == columns);
  RULE(records == results->n_rows);
  free(text);
}

/* The number of unescaped bars in a line of a table. */
static uint32_t count_bars(const char *line, size_t length) {
  uint32_t n = 0;
  for (size_t k = 0; k < length; k++) {
    if (line[k] == '\\') {
      k++;
      continue;
    }
    n += line[k] == '|';
  }
  return n;
}

static int is_control(char c) { return ((unsigned char)c < 0x20 && c != '\n') || c == 0x7f; }

static void check_markdown(const rh_records *results) {
  enum { BARS = 10 };
  char *text = write_text(results, RH_FORMAT_markdown);
  uint32_t rows = 0, heads = 0;
  for (const char *line = text; *line;) {
    size_t length = strcspn(line, "\n");
    for (size_t k = 0; k < length; k++) RULE(!is_control(line[k]));
    if (*line == '|') RULE(count_bars(line, length) == BARS);
    rows += *line == '|';
    heads += strncmp(line, "### ", 4) == 0;
    line += length + (line[length] == '\n');
  }
  RULE(rows == results->n_rows + 2 * heads);
  free(text);
}

/* Nothing is faster or slower than itself. */
static void compare_with_itself(const rh_records *results) {
  rh_comparison comparison;
  rh_error error = {0};
  rh_status status = rh_compare(&comparison, results, results, 0.01, &error);
  if (status != RH_OK) {
    fuzz_check_refusal(status, &error, RH_E_USAGE);
    return;
  }
  RULE(rh_comparison_regressions(&comparison) == 0);
  RULE(comparison.counts[RH_CHANGE_fast] == 0 && comparison.counts[RH_CHANGE_mended] == 0);
  RULE(comparison.only_old == 0 && comparison.only_new == 0);
  rh_comparison_finish(&comparison);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  rh_records results;
  rh_error error = {0};
  memset(&results, 0x55, sizeof results);
  rh_status status = rh_records_read(as_file(data, size), &results, &error);
  if (status == RH_OK) {
    for (uint32_t k = 0; k < results.n_rows; k++) check_row(&results, &results.rows[k]);
    RULE(results.whole_bytes <= size);
    write_and_read(&results);
    check_csv(&results);
    check_markdown(&results);
    compare_with_itself(&results);
  } else {
    check_refusal(status, &error);
    RULE(!results.rows && !results.n_rows && !results.head);
  }
  rh_records_finish(&results);
  return 0;
}
