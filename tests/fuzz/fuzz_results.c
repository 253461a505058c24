/* host/tools/records: a file of results.  Once read and written again it does not change any more,
 * as a document and as lines. */
#include <fcntl.h>
#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../host/tools/records/records.h"
#include "fuzz.h"

/* The bytes as a named file. */
static const char *as_file(const void *bytes, size_t size) {
  static int fd = -1;
  static char path[64];
  if (fd < 0) fd = memfd_create("fuzz", MFD_CLOEXEC);
  RULE(ftruncate(fd, 0) == 0 && pwrite(fd, bytes, size, 0) == (ssize_t)size);
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  return path;
}

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
  char *text = dump(rh_header_to_json(results));
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

static char *document_of(const rh_records *results) {
  char *text = NULL;
  size_t size = 0;
  rh_error error = {0};
  FILE *out = open_memstream(&text, &size);
  RULE(out && rh_records_write(results, RH_FORMAT_json, out, "", &error) == RH_OK);
  RULE(fclose(out) == 0);
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
  char *again = document_of(&results);
  if (strcmp(again, document) != 0) fprintf(stderr, "%s\n%s\n", document, again);
  RULE(strcmp(again, document) == 0);
  free(again);
  rh_records_finish(&results);
}

static void write_and_read(const rh_records *results) {
  char *document = document_of(results);
  read_again(document, document, 0);
  if (results->settings) { /* a header without is no JSONL */
    char *lines = dump_lines(results);
    read_again(lines, document, 1);
    free(lines);
  }
  free(document);
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
  } else {
    check_refusal(status, &error);
    RULE(!results.rows && !results.n_rows && !results.tool && !results.devices);
  }
  rh_records_finish(&results);
  return 0;
}
