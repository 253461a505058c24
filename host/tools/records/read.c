#include "records.h"

/* A parsed JSON tree takes about twenty times the memory of its text, so the file is parsed in
 * pieces, one row at a time. */
static const size_t most_bytes = (size_t)1 << 30, most_of_piece = (size_t)16 << 20;

typedef struct reader {
  const char *text, *at, *end;
  rh_records *results;
  rh_read_notes *notes;
  rh_error *error;
} reader;

/* ---- The file ---- */

static rh_status too_large(rh_error *error) {
  return rh_fail(error, RH_E_FILE, "is larger than 1 GiB, more than --bench ever writes");
}

static rh_status read_all(int fd, char **text, size_t *length, rh_error *error) {
  size_t capacity = 0;
  struct stat info;
  if (fstat(fd, &info) == 0 && info.st_size > (off_t)most_bytes) return too_large(error);
  while (*length <= most_bytes) {
    if (*length == capacity) {
      capacity = capacity ? 2 * capacity : 65536;
      char *larger = realloc(*text, capacity);
      if (!larger) return rh_fail(error, RH_E_NOMEM, "no memory for the file");
      *text = larger;
    }
    ssize_t got = read(fd, *text + *length, capacity - *length);
    if (got == 0) return RH_OK;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return rh_fail(error, RH_E_FILE, "%s", strerror(errno));
    *length += (size_t)got;
  }
  return too_large(error);
}

static rh_status slurp(const char *path, char **text, size_t *length, rh_error *error) {
  int from_input = strcmp(path, "-") == 0;
  int fd = from_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return rh_fail(error, RH_E_FILE, "%s", strerror(errno));
  rh_status status = read_all(fd, text, length, error);
  if (!from_input) close(fd);
  return status;
}

/* ---- Pieces of text ---- */

static size_t line_at(const reader *r, const char *at) {
  size_t line = 1;
  for (const char *c = r->text; (c = memchr(c, '\n', (size_t)(at - c))); c++) line++;
  return line;
}

static rh_status refuse(const reader *r, const char *at, const char *what) {
  return rh_fail(r->error, RH_E_FILE, "line %zu: %s", line_at(r, at), what);
}

static void skip_space(reader *r) {
  while (r->at < r->end && strchr(" \t\r\n", *r->at) && *r->at) r->at++;
}

/* Skips `c` and returns 1 if it is next. */
static int skip(reader *r, char c) {
  skip_space(r);
  if (r->at == r->end || *r->at != c) return 0;
  r->at++;
  return 1;
}

static rh_status unexpected(const reader *r, const char *what) {
  if (r->at == r->end) return refuse(r, r->at, "the file ends unexpectedly");
  return refuse(r, r->at, what);
}

/* jansson's message quotes the offending text. */
static rh_status no_json(const reader *r, const json_error_t *said, int is_long) {
  char text[sizeof said->text];
  const char *at = r->at + (said->position > 0 ? said->position - 1 : 0);
  if (json_error_code(said) == json_error_premature_end_of_input)
    return refuse(r, r->at, is_long ? "a value is longer than 16 MiB" : "ends unexpectedly");
  snprintf(text, sizeof text, "%s", said->text);
  rh_make_plain(text);
  return rh_fail(r->error, RH_E_FILE, "line %zu: is not JSON: %s",
                 line_at(r, at < r->end ? at : r->end), text);
}

/* The value that begins here; a new reference. */
static rh_status read_value(reader *r, json_t **value) {
  json_error_t said;
  skip_space(r);
  size_t left = (size_t)(r->end - r->at);
  int is_long = left > most_of_piece;
  *value = json_loadb(r->at, is_long ? most_of_piece : left,
                      JSON_DISABLE_EOF_CHECK | JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, &said);
  if (!*value) return no_json(r, &said, is_long);
  r->at += said.position;
  return RH_OK;
}

/* Skips the array or object that begins here by counting brackets; its contents are parsed
 * later. */
static rh_status skip_brackets(reader *r) {
  size_t depth = 0;
  int in_string = 0;
  const char *start = r->at;
  for (; r->at < r->end; r->at++) {
    char c = *r->at;
    if (in_string) {
      if (c == '\\') r->at++;
      in_string = c != '"';
      continue;
    }
    in_string = c == '"';
    depth += c == '[' || c == '{';
    if (c != ']' && c != '}') continue;
    if (--depth > 0) continue;
    r->at++;
    return RH_OK;
  }
  r->at = r->end;
  return refuse(r, start, "the file ends unexpectedly in the value that begins here");
}

/* ---- Rows ---- */

static rh_status add_row(reader *r, const json_t *object) {
  rh_row row;
  RH_TRY(rh_row_from_json(&row, object, r->error));
  if (rh_records_add(r->results, &row) == 0) return RH_OK;
  return rh_fail(r->error, RH_E_NOMEM, "no memory for the results");
}

/* From the bracket on: [{...}, {...}]. */
static rh_status read_array(reader *r) {
  if (!skip(r, '[')) return refuse(r, r->at, "results: is not an array");
  if (skip(r, ']')) return RH_OK;
  do {
    json_t *object;
    skip_space(r);
    const char *start = r->at;
    RH_TRY(read_value(r, &object));
    rh_status status = add_row(r, object);
    json_decref(object);
    if (status != RH_OK) {
      rh_error_prefix(r->error, "line %zu: results[%u]", line_at(r, start), r->results->n_rows);
      return status;
    }
  } while (skip(r, ','));
  return skip(r, ']') ? RH_OK : unexpected(r, "expected , or ] after a result");
}

static rh_status read_line(reader *r, const char *line_end, int is_last) {
  json_error_t said;
  size_t length = (size_t)(line_end - r->at);
  if (length > most_of_piece) return refuse(r, r->at, "is longer than 16 MiB");
  json_t *object = json_loadb(r->at, length, JSON_REJECT_DUPLICATES, &said);
  if (!object && is_last) {
    r->notes->cut = 1;
    return RH_OK;
  }
  if (!object) return no_json(r, &said, 0);
  rh_status status =
      json_object_get(object, "schema")
          ? rh_fail(r->error, RH_E_FILE, "a second run begins; expected one per file")
          : add_row(r, object);
  json_decref(object);
  if (status != RH_OK) rh_error_prefix(r->error, "line %zu", line_at(r, r->at));
  return status;
}

static int is_blank(const char *from, const char *to) {
  while (from < to && (*from == ' ' || *from == '\t' || *from == '\r')) from++;
  return from == to;
}

/* One row per line, after the header. */
static rh_status read_lines(reader *r) {
  r->notes->lines = 1;
  while (r->at < r->end) {
    const char *newline = memchr(r->at, '\n', (size_t)(r->end - r->at));
    const char *line_end = newline ? newline : r->end;
    if (!is_blank(r->at, line_end)) RH_TRY(read_line(r, line_end, !newline));
    if (r->notes->cut) return RH_OK;
    r->at = newline ? newline + 1 : r->end;
    r->notes->whole_bytes = (uint64_t)(r->at - r->text);
  }
  return RH_OK;
}

/* ---- The document ---- */

/* Reads a member of the outermost object.  Rows are parsed after the header, because sorted keys
 * may put them before it. */
static rh_status read_member(reader *r, json_t *header, const char **rows) {
  json_t *key, *value = NULL;
  skip_space(r);
  if (r->at == r->end || *r->at != '"') return unexpected(r, "expected a key in quotes");
  RH_TRY(read_value(r, &key));
  const char *name = json_string_value(key);
  rh_status status = RH_OK;
  if (!skip(r, ':')) status = unexpected(r, "expected : after a key");
  skip_space(r);
  if (status == RH_OK && (json_object_get(header, name) || (*rows && !strcmp(name, "results"))))
    status = refuse(r, r->at, "duplicate key");
  if (status == RH_OK && strcmp(name, "results") == 0 && r->at < r->end && *r->at == '[') {
    *rows = r->at;
    status = skip_brackets(r);
  } else if (status == RH_OK) {
    status = read_value(r, &value);
  }
  if (status == RH_OK && value && json_object_set(header, name, value) != 0)
    status = rh_fail(r->error, RH_E_NOMEM, "no memory for the results");
  json_decref(value);
  json_decref(key);
  return status;
}

static rh_status read_members(reader *r, json_t *header, const char **rows) {
  if (!skip(r, '{')) return unexpected(r, "expected {: it is not a redhost result file");
  if (skip(r, '}')) return RH_OK;
  do RH_TRY(read_member(r, header, rows));
  while (skip(r, ','));
  return skip(r, '}') ? RH_OK : unexpected(r, "expected , or } after a value");
}

/* Reads to the end of the line after the outermost object. */
static rh_status read_end_of_header(reader *r, int *more) {
  const char *newline = memchr(r->at, '\n', (size_t)(r->end - r->at));
  const char *line_end = newline ? newline : r->end;
  *more = 0;
  if (!is_blank(r->at, line_end)) return refuse(r, r->at, "unexpected data after the closing }");
  const char *behind = newline ? newline + 1 : r->end;
  r->at = behind;
  skip_space(r);
  *more = r->at < r->end;
  r->at = behind;
  return RH_OK;
}

static rh_status read_rows(reader *r, const json_t *header, const char *rows) {
  int more;
  RH_TRY(read_end_of_header(r, &more));
  if (rows && more) return refuse(r, r->at, "unexpected data after the closing }");
  if (rows) {
    r->at = rows;
    return read_array(r);
  }
  if (json_object_get(header, "results"))
    return rh_fail(r->error, RH_E_FILE, "results: is not an array");
  if (!json_object_get(header, "settings"))
    return rh_fail(r->error, RH_E_FILE, "has no results; expected a file written by --bench");
  r->notes->whole_bytes = (uint64_t)(r->at - r->text);
  return read_lines(r);
}

static rh_status read_document(reader *r) {
  const char *rows = NULL;
  if (r->end - r->at >= 3 && memcmp(r->at, "\xef\xbb\xbf", 3) == 0)
    r->at += 3; /* a byte order mark */
  skip_space(r);
  if (r->at == r->end) return rh_fail(r->error, RH_E_FILE, "is empty");
  json_t *header = json_object();
  rh_status status = header ? read_members(r, header, &rows)
                            : rh_fail(r->error, RH_E_NOMEM, "no memory for the results");
  if (status == RH_OK) status = rh_header_from_json(r->results, header, r->error);
  if (status == RH_OK) status = read_rows(r, header, rows);
  json_decref(header);
  return status;
}

rh_status rh_records_read_noting(const char *path, rh_records *results, rh_read_notes *notes,
                                 rh_error *error) {
  char *text = NULL;
  size_t length = 0;
  *results = (rh_records){0};
  *notes = (rh_read_notes){0};
  rh_status status = slurp(path, &text, &length, error);
  if (status == RH_OK)
    status = read_document(&(reader){text, text, text + length, results, notes, error});
  free(text);
  if (status == RH_OK) return RH_OK;
  rh_records_finish(results);
  rh_error_prefix(error, "%s", strcmp(path, "-") == 0 ? "standard input" : path);
  return status;
}

rh_status rh_records_read(const char *path, rh_records *results, rh_error *error) {
  rh_read_notes notes;
  return rh_records_read_noting(path, results, &notes, error);
}
