#include "records.h"

static const size_t most_bytes = (size_t)1 << 30;

typedef struct reader {
  const char *text, *at, *end;
  rh_records *results;
  rh_error *error;
} reader;

/* ---- The file ---- */

static rh_status too_large(rh_error *error) {
  return rh_fail(error, RH_E_FILE, "is larger than 1 GiB, more than --bench ever writes");
}

static rh_status read_all(int fd, rh_text *text, rh_error *error) {
  char piece[1 << 16];
  struct stat info;
  ssize_t got = 1;
  if (fstat(fd, &info) == 0 && info.st_size > (off_t)most_bytes) return too_large(error);
  while (got > 0 && text->length <= most_bytes) {
    do got = read(fd, piece, sizeof piece);
    while (got < 0 && errno == EINTR);
    if (got < 0) return rh_fail(error, RH_E_FILE, "%s", strerror(errno));
    rh_text_append(text, piece, (size_t)got);
  }
  if (text->failed) return rh_fail(error, RH_E_NOMEM, "no memory for the file");
  return got == 0 ? RH_OK : too_large(error);
}

static rh_status slurp(const char *path, rh_text *text, rh_error *error) {
  int from_input = strcmp(path, "-") == 0;
  int fd = from_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return rh_fail(error, RH_E_FILE, "%s", strerror(errno));
  rh_status status = read_all(fd, text, error);
  if (!from_input) close(fd);
  return status;
}

/* ---- Pieces of text ---- */

static size_t line_at(const reader *r, const char *at) {
  size_t line = 1;
  for (const char *c = r->text; (c = memchr(c, '\n', (size_t)(at - c))); c++) line++;
  return line;
}

static rh_status refuse(const reader *r, const char *what) {
  return rh_fail(r->error, RH_E_FILE, "line %zu: %s", line_at(r, r->at), what);
}

/* jansson's message quotes the offending text. */
static rh_status no_json(const reader *r, const json_error_t *said) {
  char text[sizeof said->text];
  const char *at = r->at + (said->position > 0 ? said->position - 1 : 0);
  if (json_error_code(said) == json_error_premature_end_of_input)
    return refuse(r, "ends unexpectedly");
  snprintf(text, sizeof text, "%s", said->text);
  rh_make_plain(text);
  return rh_fail(r->error, RH_E_FILE, "line %zu: is not JSON: %s",
                 line_at(r, at < r->end ? at : r->end), text);
}

/* ---- Rows ---- */

static rh_status add_row(reader *r, const json_t *object) {
  rh_row row;
  RH_TRY(rh_row_from_json(&row, object, r->error));
  return rh_records_add(r->results, &row, r->error);
}

static rh_status read_array(reader *r, const json_t *rows) {
  r->at += strspn(r->at, " \t\r\n"); /* a null byte ends it */
  if (r->at < r->end) return refuse(r, "unexpected data after the closing }");
  for (size_t k = 0; k < json_array_size(rows); k++)
    RH_TRY(rh_error_prefix(r->error, add_row(r, json_array_get(rows, k)), "results[%zu]", k));
  return RH_OK;
}

static rh_status read_line(reader *r, const char *line_end, int is_last) {
  json_error_t said;
  json_auto_t *object =
      json_loadb(r->at, (size_t)(line_end - r->at), JSON_REJECT_DUPLICATES, &said);
  if (!object && is_last) {
    r->results->is_cut = 1;
    return RH_OK;
  }
  if (!object) return no_json(r, &said);
  rh_status status =
      json_object_get(object, "schema")
          ? rh_fail(r->error, RH_E_FILE, "a second run begins; expected one per file")
          : add_row(r, object);
  if (status == RH_OK) return RH_OK; /* lines are counted from the first, for a message alone */
  return rh_error_prefix(r->error, status, "line %zu", line_at(r, r->at));
}

/* One row per line, after the header. */
static rh_status read_lines(reader *r) {
  r->results->are_lines = 1;
  r->results->whole_bytes = (uint64_t)(r->at - r->text);
  while (r->at < r->end) {
    const char *newline = memchr(r->at, '\n', (size_t)(r->end - r->at));
    const char *line_end = newline ? newline : r->end;
    int is_blank = r->at + strspn(r->at, " \t\r") == line_end;
    if (!is_blank) RH_TRY(read_line(r, line_end, !newline));
    if (r->results->is_cut) return RH_OK;
    r->at = newline ? newline + 1 : r->end;
    r->results->whole_bytes = (uint64_t)(r->at - r->text);
  }
  return RH_OK;
}

/* ---- The document ---- */

/* The outermost object: a whole document, or the header before lines of rows. */
static rh_status read_first(reader *r, json_t **first) {
  json_error_t said;
  if (r->end - r->at >= 3 && memcmp(r->at, "\xef\xbb\xbf", 3) == 0)
    r->at += 3; /* a byte order mark */
  r->at += strspn(r->at, " \t\r\n");
  if (r->at == r->end) return rh_fail(r->error, RH_E_FILE, "is empty");
  if (*r->at != '{') return refuse(r, "expected {: it is not a redhost result file");
  *first = json_loadb(r->at, (size_t)(r->end - r->at),
                      JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES, &said);
  if (!*first) return no_json(r, &said);
  r->at += said.position;
  return RH_OK;
}

static rh_status check_schema(const json_t *object, rh_error *error) {
  const json_t *value = json_object_get(object, "schema");
  const char *schema = json_string_value(value);
  if (!value)
    return rh_fail(error, RH_E_FILE, "has no \"schema\": it is not a redhost result file");
  if (schema && strcmp(schema, RH_SCHEMA) == 0) return RH_OK;
  if (schema && strncmp(schema, "redhost/", 8) == 0)
    return rh_fail(error, RH_E_FILE, "schema: is %s, and this redhost reads " RH_SCHEMA,
                   rh_quotable(schema));
  return rh_fail(error, RH_E_FILE, "schema: is not " RH_SCHEMA ": it is not a redhost result file");
}

/* Keys that are not known are left out. */
static rh_status take_head(reader *r, const json_t *from) {
  static const struct {
    const char *key;
    int is_array; /* of objects; else an object */
  } parts[] = {{"tool", 0},        {"run", 0},      {"devices", 1},
               {"calibration", 1}, {"settings", 0}, {"strategies", 1}};
  json_t *head = r->results->head = rh_json("schema:s", RH_SCHEMA);
  for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
    const char *key = parts[k].key;
    int is_array = parts[k].is_array;
    json_t *value = json_object_get(from, key), *one;
    size_t j;
    if (value && json_typeof(value) != (is_array ? JSON_ARRAY : JSON_OBJECT) &&
        !json_is_null(value))
      return rh_fail(r->error, RH_E_FILE, "%s: is not an %s", key, is_array ? "array" : "object");
    json_array_foreach(value, j, one) if (!json_is_object(one)) return rh_fail(
        r->error, RH_E_FILE, "%s: one of them is not an object", key);
    if (json_object_set_new(head, key, value ? json_incref(value) : json_null()) != 0)
      return rh_fail(r->error, RH_E_NOMEM, "no memory for the results");
  }
  return RH_OK;
}

static rh_status read_document(reader *r) {
  json_auto_t *first = NULL;
  RH_TRY(read_first(r, &first));
  RH_TRY(check_schema(first, r->error));
  RH_TRY(take_head(r, first));
  const json_t *rows = json_object_get(first, "results");
  if (json_is_array(rows)) return read_array(r, rows);
  if (rows) return rh_fail(r->error, RH_E_FILE, "results: is not an array");
  if (!json_object_get(first, "settings"))
    return rh_fail(r->error, RH_E_FILE, "has no results; expected a file written by --bench");
  return read_lines(r);
}

rh_status rh_records_read(const char *path, rh_records *results, rh_error *error) {
  RH_FINISHED(rh_text) text = {0};
  *results = (rh_records){0};
  rh_status status = slurp(path, &text, error);
  const char *from = rh_text_get(&text);
  if (status == RH_OK)
    status = read_document(&(reader){from, from, from + text.length, results, error});
  if (status == RH_OK) return RH_OK;
  rh_records_finish(results);
  return rh_error_prefix(error, status, "%s", strcmp(path, "-") == 0 ? "standard input" : path);
}
