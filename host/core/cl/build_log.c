#include "cl.h"

int rh_log_place_of(const char *line, rh_log_place *place) {
  static const char first[] = "error: "; /* PoCL */
  size_t length = strcspn(line, "\n");
  int n = 0;
  if (strncmp(line, first, sizeof first - 1) == 0) line += sizeof first - 1;
  for (const char *at = line; (at = strchr(at, ':')) && at < line + length; at++) {
    if (sscanf(at, ":%u:%u:%n", &place->line, &place->column, &n) != 2 || n == 0) continue;
    place->file = line;
    place->length = (size_t)(at - line);
    place->after = at + n + (at[n] == ' ');
    return at > line;
  }
  return 0;
}

/* The place of a line of the program, as the directive before it gives it. */
typedef struct directive {
  const char *file; /* null: there is none */
  size_t length;
  uint32_t line;
} directive;

static int read_directive(const char *at, directive *to) {
  uint32_t line;
  int n = 0;
  if (sscanf(at, "#line %u \"%n", &line, &n) != 1 || n == 0) return 0;
  *to = (directive){at + n, strcspn(at + n, "\"\n"), line};
  return 1;
}

static int is_of(const directive *place, const char *file, size_t length) {
  return place->file && place->length == length && memcmp(place->file, file, length) == 0;
}

static const char *next_line(const char *at) {
  at += strcspn(at, "\n");
  return *at ? at + 1 : at;
}

static int names(const char *source, const char *file, size_t length) {
  directive found;
  for (const char *at = source; *at; at = next_line(at))
    if (read_directive(at, &found) && is_of(&found, file, length)) return 1;
  return 0;
}

/* Line `number` of the program is line found->line of a file.  0: of none. */
static int find_line(const char *source, uint32_t number, directive *found) {
  const char *at = source;
  for (uint32_t k = 1; k < number && *at; k++, at = next_line(at))
    if (!read_directive(at, found)) found->line++;
  return found->file && *at;
}

const char *rh_source_line(const char *source, const char *file, size_t file_length, uint32_t line,
                           size_t *length) {
  directive now = {NULL, 0, 0};
  for (const char *at = source; *at; at = next_line(at)) {
    if (read_directive(at, &now)) continue;
    if (now.line == line && is_of(&now, file, file_length)) {
      *length = strcspn(at, "\r\n");
      return at;
    }
    now.line++;
  }
  return NULL;
}

/* Does the compiler know of the directives?  Then a place that is in none of their files is before
 * the first of them, or in a header. */
static int knows_files(const char *log, const char *source) {
  rh_log_place place;
  for (const char *at = log; *at; at = next_line(at))
    if (rh_log_place_of(at, &place) && names(source, place.file, place.length)) return 1;
  return 0;
}

static int is_header(const rh_log_place *place) {
  return memchr(place->file, '/', place->length) != NULL ||
         (place->length > 2 && memcmp(place->file + place->length - 2, ".h", 2) == 0);
}

char *rh_log_in_files(const char *log, const char *source) {
  rh_text text = {0};
  int knows = knows_files(log, source);
  for (const char *at = log, *next; *at; at = next) {
    rh_log_place place;
    directive found = {NULL, 0, 0};
    next = next_line(at);
    if (!knows && rh_log_place_of(at, &place) && !is_header(&place) &&
        find_line(source, place.line, &found)) {
      rh_text_append(&text, at, (size_t)(place.file - at));
      rh_text_append(&text, found.file, found.length);
      rh_text_add(&text, ":%u:%u: ", found.line, place.column);
      at = place.after;
    }
    rh_text_append(&text, at, (size_t)(next - at));
  }
  rh_text_append(&text, "", 0);
  if (text.failed) rh_text_finish(&text);
  return text.s;
}
