#include "expr.h"

enum { MOST = 120 };  /* bytes of a line that is cut */
enum { BEFORE = 60 }; /* characters before the place, if there are more */
static const char cut[] = "...";
static const char at_column[] = ", at column ";

static int continues(char c) { return ((unsigned char)c & 0xc0) == 0x80; }

const char *rh_excerpt(char to[RH_EXCERPT_BYTES], const char *line, size_t length, size_t before) {
  char part[MOST + 1];
  size_t column = 1, n, from = 0;
  if (before > length) before = length;
  for (size_t k = 0; k < before; k++) column += !continues(line[k]);
  if (length > MOST) from = before; /* it is cut some characters before the place */
  for (int k = 0; k < BEFORE && from > 0; k++)
    for (from--; from > 0 && continues(line[from]);) from--;
  n = length - from < MOST ? length - from : MOST;
  while (from + n < length && n > 0 && continues(line[from + n])) n--;
  memcpy(part, line + from, n);
  part[n] = 0;
  for (char *at = part; (at = strchr(at, '\t'));) *at = ' ';
  rh_make_plain(part);
  snprintf(to, RH_EXCERPT_BYTES, "%s%zu of '%s%s%s'", at_column, column, from ? cut : "", part,
           from + n < length ? cut : "");
  return to;
}

int rh_excerpt_find(const char *message, char line[RH_EXCERPT_BYTES], size_t *column) {
  const char *at = strstr(message, at_column), *begin = at ? strchr(at, '\'') : NULL;
  const char *end = begin ? strrchr(begin, '\'') : NULL;
  unsigned number;
  if (!begin || end == begin || sscanf(at + sizeof at_column - 1, "%u of '", &number) != 1 ||
      number == 0 || end - begin > RH_EXCERPT_BYTES)
    return 0;
  memcpy(line, begin + 1, (size_t)(end - begin) - 1);
  line[end - begin - 1] = 0;
  *column = number - 1;
  if (*column > BEFORE && strncmp(line, cut, sizeof cut - 1) == 0)
    *column = sizeof cut - 1 + BEFORE;
  return *column <= strlen(line);
}

const char *rh_line_of(const char *text, size_t length, size_t number, size_t *line_length) {
  const char *at = text, *end = text + length;
  for (; number > 1; number--) {
    const char *next = memchr(at, '\n', (size_t)(end - at));
    if (!next) return NULL;
    at = next + 1;
  }
  const char *stop = memchr(at, '\n', (size_t)(end - at));
  *line_length = (size_t)((stop ? stop : end) - at);
  if (*line_length > 0 && at[*line_length - 1] == '\r') --*line_length;
  return at;
}
