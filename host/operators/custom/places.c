#include "internal.h"

static int continues(char c) { return ((unsigned char)c & 0xc0) == 0x80; }

static const char *skip_space(const char *at) { return at + strspn(at, " \t\r\n"); }

/* The library reads the value that begins there, and says where it ends. */
static const char *skip_value(const char *at) {
  json_error_t end = {.position = 0};
  json_decref(json_loads(at, JSON_DECODE_ANY | JSON_DISABLE_EOF_CHECK, &end));
  return skip_space(at + strnlen(at, (size_t)end.position));
}

/* Goes from the beginning of a list or an object to its member k. */
static const char *enter(const char *at, int64_t k, int to_name) {
  int is_object = *at == '{';
  for (; *at; k--) {
    at = skip_space(at + 1); /* the bracket, or a comma */
    if (k == 0 && to_name) return at;
    if (is_object) at = skip_value(at);
    if (is_object && *at) at = skip_space(at + 1); /* the colon */
    if (k == 0) return at;
    at = skip_value(at);
  }
  return at;
}

static rh_json_place place_at(const char *json, const char *at) {
  rh_json_place place = {1, 1};
  for (; json < at; json++) {
    if (!continues(json[1])) place.column++;
    if (*json == '\n') place = (rh_json_place){place.line + 1, 1};
  }
  return place;
}

rh_json_place rh_json_place_find(const char *json, const int64_t *path, int of_name) {
  const char *at = skip_space(json);
  for (; *path != RH_ITEM_WHOLE && (*at == '[' || *at == '{'); path++)
    at = enter(at, *path, of_name && path[1] == RH_ITEM_WHOLE);
  return place_at(json, at);
}

/* Where a column of a line begins, which is counted in characters from 1. */
static const char *column_at(const char *line, size_t length, size_t column) {
  const char *at = line, *end = line + length;
  for (; at < end && column > 1; column--)
    for (at++; at < end && continues(*at);) at++;
  return at;
}

/* Steps over a byte of a string, or an escape; returns its bytes in UTF-8. */
static size_t step(const char **at) {
  unsigned code = 0;
  int is_escape = **at == '\\' && (*at)[1];
  *at += is_escape ? 2 : 1;
  if (!is_escape || (*at)[-1] != 'u' || sscanf(*at, "%4x", &code) != 1) return 1;
  *at += strnlen(*at, 4);
  if (code < 0x80) return 1;
  /* Half of a pair is two bytes of four. */
  return code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 2 : 3;
}

rh_json_place rh_json_place_in(const char *json, rh_json_place string, size_t byte) {
  size_t n;
  const char *line = rh_line_of(json, strlen(json), string.line, &n);
  const char *at = line ? column_at(line, n, string.column) : "";
  if (*at != '"') return string;
  at++;
  for (size_t done = 0; done < byte && *at && *at != '"';) done += step(&at);
  return (rh_json_place){string.line, place_at(line, at).column};
}

/* The library counts to the end of what it did not expect; the place is its beginning. */
static size_t column_of(const json_error_t *why) {
  static const char *const whole[] = {"expected near '", "object key near '", "token near '"};
  size_t column = why->column > 0 ? (size_t)why->column : 1, length = 0;
  const char *begin = NULL;
  for (size_t k = 0; !begin && k < sizeof whole / sizeof *whole; k++)
    if ((begin = strstr(why->text, whole[k]))) begin += strlen(whole[k]);
  for (const char *at = begin; at && at < strrchr(begin, '\''); at++) length += !continues(*at);
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
    rh_excerpt(excerpt, line, line_length, (size_t)(column_at(line, line_length, column) - line));
  return rh_fail(error, RH_E_FILE, "%.500s:%zu:%zu: is not JSON: %.160s%s", origin, row, column,
                 text, excerpt);
}
