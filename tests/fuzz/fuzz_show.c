/* host/tools/records: what users see of a results file from any source.  No name or reason in it
 * may become a column or a line. */
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

/* malloc'ed. */
static char *write_text(const rh_records *results, uint32_t format) {
  char *text = NULL;
  size_t size = 0;
  rh_error error = {0};
  FILE *out = open_memstream(&text, &size);
  RULE(out && rh_records_write(results, format, out, "memory", &error) == RH_OK);
  RULE(!ferror(out) && fclose(out) == 0);
  RULE(strlen(text) == size);
  return text;
}

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
  enum { BARS = RH_N_CELLS + 1 };
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
  if (rh_records_read(as_file(data, size), &results, &error) != RH_OK) return 0;
  check_csv(&results);
  check_markdown(&results);
  compare_with_itself(&results);
  rh_records_finish(&results);
  return 0;
}
