#include "internal.h"

typedef struct scanner {
  const char *at, *end;
  rh_json_place place;
} scanner;

static int is_at(const scanner *s, const char *characters) {
  return s->at < s->end && *s->at && strchr(characters, *s->at);
}

static void step(scanner *s) {
  if (s->at == s->end) return;
  char c = *s->at++;
  if (c == '\n') s->place = (rh_json_place){s->place.line + 1, 1};
  else /* bytes that continue a character of UTF-8 are not counted */
    s->place.column += s->at == s->end || ((unsigned char)*s->at & 0xc0) != 0x80;
}

static void skip_space(scanner *s) {
  while (is_at(s, " \t\r\n")) step(s);
}

static void skip_string(scanner *s) {
  step(s);
  while (s->at < s->end && *s->at != '"') {
    if (*s->at == '\\') step(s);
    step(s);
  }
  step(s);
}

/* Without recursion, whatever the depth. */
static void skip_value(scanner *s) {
  int64_t depth = 0;
  do {
    if (is_at(s, "\"")) {
      skip_string(s);
    } else {
      depth += is_at(s, "[{");
      depth -= is_at(s, "]}");
      int is_number = !is_at(s, "[]{},: \t\r\n");
      step(s);
      while (is_number && s->at < s->end && !is_at(s, "[]{},: \t\r\n\"")) step(s);
    }
  } while (depth > 0 && s->at < s->end);
}

/* Goes from the beginning of a list or an object to its member k. */
static void enter(scanner *s, int64_t k, int to_name) {
  int is_object = is_at(s, "{");
  step(s);
  for (;; k--) {
    skip_space(s);
    if (k == 0 && to_name) return;
    if (is_object) {
      skip_string(s);
      skip_space(s);
      step(s); /* the colon */
      skip_space(s);
    }
    if (k == 0 || s->at == s->end) return;
    skip_value(s);
    skip_space(s);
    step(s); /* the comma */
  }
}

rh_json_place rh_json_place_find(const char *json, const int64_t *path, int depth, int of_name) {
  scanner s = {json, json + strlen(json), {1, 1}};
  skip_space(&s);
  for (int k = 0; k < depth && path[k] != RH_ITEM_WHOLE; k++) {
    int is_last = k + 1 == depth || path[k + 1] == RH_ITEM_WHOLE;
    if (k > 0 && !is_at(&s, "[{")) break;
    enter(&s, path[k], of_name && is_last);
  }
  return s.place;
}

/* How many bytes of a line are before a column, which is counted in characters from 1. */
static size_t byte_of(const char *line, size_t length, size_t column) {
  scanner s = {line, line + length, {1, 1}};
  while (s.at < s.end && s.place.column < column) step(&s);
  while (s.at < s.end && ((unsigned char)*s.at & 0xc0) == 0x80) s.at++;
  return (size_t)(s.at - line);
}

/* Steps over a character of a string, or an escape; returns its bytes in UTF-8. */
static size_t step_character(scanner *s) {
  if (!is_at(s, "\\")) {
    step(s);
    return 1;
  }
  step(s);
  int is_code = is_at(s, "u");
  unsigned code = 0;
  step(s);
  for (int k = 0; is_code && k < 4 && s->at < s->end; k++) {
    static const char digits[] = "0123456789abcdef";
    const char *digit = memchr(digits, *s->at | 0x20, sizeof digits - 1);
    if (digit) code = 16 * code + (unsigned)(digit - digits);
    step(s);
  }
  if (!is_code || code < 0x80) return 1;
  /* Half of a pair is two bytes of four. */
  return code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 2 : 3;
}

rh_json_place rh_json_place_in(const char *json, rh_json_place string, size_t byte) {
  size_t n;
  const char *line = rh_line_of(json, strlen(json), string.line, &n);
  if (!line) return string;
  scanner s = {line, line + n, string};
  s.at += byte_of(line, n, string.column);
  if (!is_at(&s, "\"")) return string;
  step(&s);
  for (size_t done = 0; done < byte && s.at < s.end && *s.at != '"';) done += step_character(&s);
  return s.place;
}

/* The library counts to the end of what it did not expect; the place is its beginning. */
static size_t column_of(const json_error_t *why) {
  static const char *const whole[] = {"expected near '", "object key near '", "token near '"};
  size_t column = why->column > 0 ? (size_t)why->column : 1, length = 0;
  const char *begin = NULL;
  for (size_t k = 0; !begin && k < sizeof whole / sizeof *whole; k++)
    if ((begin = strstr(why->text, whole[k]))) begin += strlen(whole[k]);
  for (const char *at = begin; at && at < strrchr(begin, '\''); at++)
    length += ((unsigned char)*at & 0xc0) != 0x80;
  return length > 0 && length <= column ? column - length + 1 : column;
}

rh_status rh_json_refuse(const char *json, size_t length, const char *origin,
                         const json_error_t *why, rh_error *error) {
  size_t blank = 0, row = why->line > 0 ? (size_t)why->line : 1, line_length;
  while (blank < length && json[blank] && strchr(" \t\r\n", json[blank])) blank++;
  if (blank == length)
    return rh_fail(error, RH_E_FILE, "%.500s:1:1: is empty; expected a JSON object", origin);
  const char *text = strstr(why->text, "JSON_ALLOW_NUL") ? "a string with \\u0000" : why->text;
  const char *line = rh_line_of(json, length, row, &line_length);
  char excerpt[RH_EXCERPT_BYTES] = "";
  size_t column = column_of(why);
  if (line && line_length > 0)
    rh_excerpt(excerpt, line, line_length, byte_of(line, line_length, column));
  return rh_fail(error, RH_E_FILE, "%.500s:%zu:%zu: is not JSON: %.160s%s", origin, row, column,
                 text, excerpt);
}
