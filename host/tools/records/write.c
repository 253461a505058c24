#include "records.h"

/* ---- The best of each point ---- */

/* Strategies only, because programs choose by this list. */
static json_t *best_object(const rh_row *const *rows, uint32_t n, const rh_best *of) {
  const rh_row *best = of->row;
  const rh_row_segments *cut = &best->segments;
  json_t *tied = json_array(), *segments = NULL;
  int failed = 0;
  for (uint32_t k = 0; k < n; k++)
    if (rows[k] != best && rh_row_is_timed(rows[k]) && !rows[k]->is_peer &&
        rh_best_ties(of, rows[k]))
      failed |= json_array_append_new(tied, rh_json_bytes(rows[k]->strategy));
  if (cut->distribution)
    segments = rh_json("distribution:s length:u count:u", rh_lengths_name(cut->distribution),
                       cut->length, cut->count);
  json_t *object = rh_json("device:s op:s type:s n:u strategy:s tied:o segments:o?", best->device,
                           rh_row_op_name(best), rh_type_name(best->type), best->n, best->strategy,
                           tied, segments);
  if (!failed) return object;
  json_decref(object);
  return NULL;
}

json_t *rh_best_to_json(const rh_records *results) {
  RH_FREED(const rh_row *) rows = rh_records_by_point(results);
  json_t *array = json_array();
  int failed = !rows && results->n_rows;
  for (uint32_t k = 0, n; rows && k < results->n_rows; k += n) {
    n = rh_point_length(rows + k, results->n_rows - k);
    rh_best best = rh_point_best(rows + k, n, 1);
    if (best.row) failed |= json_array_append_new(array, best_object(rows + k, n, &best));
  }
  if (!failed) return array;
  json_decref(array);
  return NULL;
}

/* ---- JSON; all formats leave errors of `out` in it, and return -1 without memory ---- */

/* Takes over `value`. -1 if it is null or cannot be written. */
static int dump(json_t *value, FILE *out) {
  int failed = !value || json_dumpf(value, out, JSON_ENCODE_ANY) != 0;
  json_decref(value);
  return failed ? -1 : 0;
}

/* Writes each member and row separately: building one tree would take twenty times the file's
 * size. */
static int write_json(const rh_records *results, FILE *out) {
  json_auto_t *best = rh_best_to_json(results);
  json_t *value;
  size_t j;
  const char *key, *between = "\n  ";
  int failed = !best;
  putc('{', out);
  json_object_foreach(results->head, key, value) {
    fprintf(out, "%s\"%s\": ", between, key);
    failed |= dump(json_incref(value), out);
    between = ",\n  ";
  }
  fputs(",\n  \"results\": [", out);
  for (uint32_t k = 0; k < results->n_rows && !failed; k++) {
    fputs(k ? ",\n    " : "\n    ", out);
    failed = dump(rh_row_to_json(&results->rows[k]), out);
  }
  fputs("\n  ],\n  \"best\": [", out);
  json_array_foreach(best, j, value) {
    fputs(j ? ",\n    " : "\n    ", out);
    failed |= dump(json_incref(value), out);
  }
  fputs("\n  ]\n}\n", out);
  return failed;
}

static int write_line(json_t *value, FILE *out) {
  int failed = dump(value, out);
  putc('\n', out);
  return failed;
}

static int write_jsonl(const rh_records *results, FILE *out) {
  int failed = write_line(json_incref(results->head), out);
  for (uint32_t k = 0; k < results->n_rows && !failed; k++)
    failed = write_line(rh_row_to_json(&results->rows[k]), out);
  return failed;
}

/* ---- CSV ---- */

/* The keys of a result flattened, one column each.  Quoted as in RFC 4180, with plain
 * newlines.
 *
 * Columns are never moved or removed, because spreadsheets and scripts refer to them by
 * position.  New ones are added at the end. */

/* Where a column's value stands in a result: keys, one inside the other.  The column is named after
 * them, with "_" between.  In a pair of numbers, "low" and "high" are the keys. */
static const char columns[] =
    "device strategy op type n bytes params params_from status reason time_s.median "
    "time_s.ci95.low time_s.ci95.high time_s.mean time_s.min time_s.max time_s.q1 time_s.q3 "
    "time_s.mad time_s.samples time_s.batch time_s.rounds time_s.raw latency_s.median "
    "latency_s.ci95.low latency_s.ci95.high latency_s.mean latency_s.min latency_s.max "
    "latency_s.q1 latency_s.q3 latency_s.mad latency_s.samples latency_s.outliers "
    "host_batch_s elements_per_s bytes_per_s peak_fraction setup_s.build "
    "setup_s.build_cached setup_s.upload setup_s.setup check.value check.reference "
    "check.error_ulp check.bound_fraction check.ok flags outliers passes peer parts "
    "host_share_s finishes_on reproducible time_s.processes segments.distribution "
    "segments.length segments.count";

static const json_t *value_of(const json_t *in, const char *column) {
  for (const char *at = column, *end = NULL; !end || *end == '.'; at = end + 1) {
    char key[32];
    end = at + strcspn(at, ". ");
    snprintf(key, sizeof key, "%.*s", (int)(end - at), at);
    in = json_is_array(in) ? json_array_get(in, *key == 'h') : json_object_get(in, key);
  }
  return in;
}

static void add_scalar(rh_text *text, const json_t *value) {
  char number[32];
  switch (value ? json_typeof(value) : JSON_NULL) {
  case JSON_STRING:
    rh_text_append(text, json_string_value(value), json_string_length(value));
    break;
  case JSON_INTEGER: rh_text_add(text, "%lld", (long long)json_integer_value(value)); break;
  case JSON_REAL: rh_text_add(text, "%s", rh_format_number(number, json_real_value(value))); break;
  case JSON_TRUE: rh_text_add(text, "true"); break;
  case JSON_FALSE: rh_text_add(text, "false"); break;
  default: break; /* null, or none, is empty */
  }
}

/* Several values in one cell are separated by spaces: "noisy throttled", "tile=256 finish=device";
 * of {"stage": "fill", "seconds": 1e-06}, "fill=1e-06". */
static void add_value(rh_text *text, const json_t *value) {
  const char *key, *between = "";
  json_t *inner;
  size_t k;
  if (!json_is_object(value) && !json_is_array(value)) {
    add_scalar(text, value);
    return;
  }
  json_object_foreach((json_t *)value, key, inner) {
    rh_text_add(text, "%s%s=", between, key);
    add_scalar(text, inner);
    between = " ";
  }
  json_array_foreach((json_t *)value, k, inner) {
    const json_t *stage = json_object_get(inner, "stage");
    rh_text_add(text, "%s", between);
    if (stage) add_scalar(text, stage);
    if (stage) rh_text_add(text, "=");
    add_scalar(text, stage ? json_object_get(inner, "seconds") : inner);
    between = " ";
  }
}

static void print_quoted(const char *s, FILE *out) {
  if (!s[strcspn(s, ",\"\r\n")]) {
    fputs(s, out);
    return;
  }
  putc('"', out);
  for (; *s; s++) {
    if (*s == '"') putc('"', out);
    putc(*s, out);
  }
  putc('"', out);
}

/* null: the names of the columns. */
static int print_values(const json_t *row, FILE *out) {
  int failed = 0;
  for (const char *at = columns; *at; at += strspn(at, " ")) {
    rh_text text = {0};
    size_t length = strcspn(at, " ");
    if (row) add_value(&text, value_of(row, at));
    for (size_t k = 0; !row && k < length; k++)
      rh_text_append(&text, at[k] == '.' ? "_" : at + k, 1);
    failed |= text.failed;
    print_quoted(rh_text_get(&text), out);
    rh_text_finish(&text);
    at += length;
    putc(*at ? ',' : '\n', out);
  }
  return failed ? -1 : 0;
}

static int write_csv(const rh_records *results, FILE *out) {
  int failed = print_values(NULL, out);
  for (uint32_t k = 0; k < results->n_rows && !failed; k++) {
    json_t *row = rh_row_to_json(&results->rows[k]);
    failed = row ? print_values(row, out) : -1;
    json_decref(row);
  }
  return failed;
}

/* ---- Markdown: the tables of --bench, for a README or an issue ---- */

/* Escapes characters that would end a cell or start Markdown syntax. */
static void print_cell(const char *s, FILE *out) {
  fputs("| ", out);
  for (; *s; s++) {
    if (strchr("|\\`*_<>[]~", *s)) putc('\\', out);
    putc(*s, out);
  }
  putc(' ', out);
}

static void print_table(const rh_table *table, FILE *out) {
  for (uint32_t k = 0; k < table->n_rows; k++) {
    print_cell(table->cells[k], out);
    if ((k + 1) % table->columns) continue;
    fputs("|\n", out);
    for (uint32_t j = 0; k < table->headings && j < table->columns; j++)
      fputs(table->right[j] ? "|--:" : "|:--", out);
    if (k < table->headings) fputs("|\n", out);
  }
}

/* Returns rh_text.failed. */
static int print_line(rh_text *text, const char *before, FILE *out) {
  int failed = text->failed;
  if (text->length) fprintf(out, "%s%s\n", before, rh_text_get(text));
  rh_text_finish(text);
  return failed;
}

static int write_markdown(const rh_records *results, FILE *out) {
  RH_FREED(const rh_row *) rows = rh_records_tabulated(results);
  rh_text text = {0};
  int failed = !rows && results->n_rows;
  for (uint32_t k = 0, n; rows && k < results->n_rows; k += n) {
    RH_FINISHED(rh_table) table = {0};
    n = rh_table_length(rows + k, results->n_rows - k);
    rh_table_title(&text, results, rows[k]);
    failed |= print_line(&text, "### ", out);
    putc('\n', out);
    rh_table_fill(&table, rows + k, n, 1);
    failed |= table.n_rows != (n + 1) * table.columns; /* without memory */
    print_table(&table, out);
    rh_table_best(&text, rows + k, n);
    failed |= print_line(&text, "\n", out);
    putc('\n', out);
  }
  rh_table_legend(&text, results);
  failed |= print_line(&text, "", out);
  return failed ? -1 : 0;
}

/* ---- All ---- */

static rh_status cannot(const char *path, rh_error *error) {
  return rh_fail(error, RH_E_FILE, "%s: %s", path,
                 errno ? strerror(errno) : "the results cannot be written");
}

/* By RH_FORMAT_*. */
static const struct {
  const char *ending;
  int (*write)(const rh_records *results, FILE *out);
} formats[] = {{NULL, NULL},
               {".json", write_json},
               {".jsonl", write_jsonl},
               {".csv", write_csv},
               {".md", write_markdown}};

uint32_t rh_format_from_path(const char *path) {
  uint32_t format = RH_FORMAT_markdown;
  while (format && !rh_has_suffix(path, formats[format].ending)) format--;
  return format;
}

rh_status rh_records_write(const rh_records *results, uint32_t format, FILE *out, const char *name,
                           rh_error *error) {
  errno = 0;
  int failed = formats[format].write(results, out);
  return failed || ferror(out) ? cannot(name, error) : RH_OK;
}

/* ---- Files ---- */

rh_status rh_records_export(const rh_records *results, const char *path, rh_error *error) {
  uint32_t format = rh_format_from_path(path);
  if (!format)
    return rh_fail(error, RH_E_USAGE, "%s: the ending says no format; .json .jsonl .csv .md do",
                   path);
  RH_FINISHED(rh_draft) draft = {0};
  if (rh_draft_begin(&draft, path) != 0) return cannot(path, error);
  RH_TRY(rh_records_write(results, format, draft.out, path, error));
  return rh_draft_end(&draft) == 0 ? RH_OK : cannot(path, error);
}

rh_status rh_records_check_path(const char *path, rh_error *error) {
  RH_FINISHED(rh_draft) draft = {0};
  return rh_draft_begin(&draft, path) == 0 ? RH_OK : cannot(path, error);
}

/* ---- JSONL as it grows ---- */

/* Opens the file for appending after the complete lines.  A last line without a newline gets
 * one. */
static int open_behind(const char *path, uint64_t whole_bytes) {
  char last = '\n';
  int fd = open(path, O_RDWR | O_CLOEXEC);
  if (fd < 0) return -1;
  if (ftruncate(fd, (off_t)whole_bytes) == 0 && lseek(fd, 0, SEEK_END) >= 0 &&
      pread(fd, &last, 1, (off_t)whole_bytes - 1) == 1 && (last == '\n' || write(fd, "\n", 1) == 1))
    return fd;
  int code = errno;
  close(fd);
  errno = code;
  return -1;
}

rh_status rh_jsonl_begin(FILE **out, const char *path, const rh_records *results,
                         uint64_t whole_bytes, rh_error *error) {
  errno = 0;
  int fd = whole_bytes ? open_behind(path, whole_bytes)
                       : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  *out = fd >= 0 ? fdopen(fd, "w") : NULL;
  if (!*out) {
    rh_status status = cannot(path, error);
    if (fd >= 0) close(fd);
    return status;
  }
  if (whole_bytes || (write_line(json_incref(results->head), *out) == 0 && fflush(*out) == 0))
    return RH_OK;
  rh_status status = cannot(path, error);
  fclose(*out);
  *out = NULL;
  return status;
}

rh_status rh_jsonl_add(FILE *out, const rh_row *row, const char *path, rh_error *error) {
  errno = 0;
  return write_line(rh_row_to_json(row), out) == 0 && fflush(out) == 0 ? RH_OK
                                                                       : cannot(path, error);
}
