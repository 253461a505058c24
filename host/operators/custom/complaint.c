/* A compiler's complaint about an operator in OpenCL C. */
#include "custom.h"

enum { MOST_WORDS = 300 };

static const char *next_line(const char *at) {
  at += strcspn(at, "\n");
  return *at ? at + 1 : at;
}

/* Is "error: " in a line, behind its place or before it? */
static int says(const char *line, const char *what) {
  const char *at = strstr(line, what);
  return at && at < line + strcspn(line, "\n");
}

static int is_in_code(const rh_log_place *place, const char *code) {
  size_t length;
  return rh_source_line(code, place->file, place->length, place->line, &length) != NULL;
}

/* The user's functions have other names in the program: see operators/device.c. */
static void use_own_names(char *words) {
  for (char *at = words; (at = strstr(at, "rh_code_"));)
    memmove(at + 3, at + 8, strlen(at + 8) + 1);
}

/* "no member 'fur'; did you mean 'far'?" can go on as "no member 'fur' (did you mean 'far'?)". */
static void put_hint_aside(char *words, size_t bytes) {
  static const char hint[] = "; did you mean ";
  char *at = strstr(words, hint);
  size_t length = strlen(words);
  if (!at || words[length - 1] != '?' || length + 1 >= bytes) return;
  memcpy(at, " (", 2);
  words[length] = ')';
  words[length + 1] = 0;
}

static void take_words(const char *line, char words[MOST_WORDS]) {
  static const char first[] = "error: ";
  rh_log_place place;
  if (rh_log_place_of(line, &place)) line = place.after;
  if (strncmp(line, first, sizeof first - 1) == 0) line += sizeof first - 1;
  snprintf(words, MOST_WORDS, "%.*s", (int)strcspn(line, "\n"), line);
  rh_make_plain(words);
  use_own_names(words);
  put_hint_aside(words, MOST_WORDS);
}

/* The note on an error, up to the next one, that names a line of the code. */
static int find_note(const char *error, const char *code, rh_log_place *place) {
  for (const char *at = next_line(error); *at && !says(at, "error: "); at = next_line(at))
    if (says(at, "note: ") && rh_log_place_of(at, place) && is_in_code(place, code)) return 1;
  return 0;
}

static void say_place(const rh_log_place *place, const char *words, const char *code, char *to,
                      size_t bytes) {
  char excerpt[RH_EXCERPT_BYTES];
  size_t length;
  const char *line = rh_source_line(code, place->file, place->length, place->line, &length);
  snprintf(to, bytes, "%.*s:%u:%u: %s%s", (int)place->length, place->file, place->line,
           place->column, words,
           rh_excerpt(excerpt, line, length, place->column ? place->column - 1 : 0));
}

/* An error in the program behind the code: of what a function takes, or of an open bracket. */
static void say_end(const char *words, const char *code, char *to, size_t bytes) {
  const char *file = strchr(code, '"');
  int length = file ? (int)strcspn(file + 1, "\"\n") : 0;
  snprintf(to, bytes, "where its functions are used, behind the end of %.*s: %s", length,
           file ? file + 1 : "", words);
}

int rh_code_complaint(const char *log, const char *code, char *to, size_t bytes) {
  char words[MOST_WORDS];
  const char *first = NULL;
  for (const char *at = log; *at; at = next_line(at)) {
    rh_log_place place;
    if (!says(at, "error: ") || !rh_log_place_of(at, &place)) continue;
    if (!first) first = at;
    if (!is_in_code(&place, code) && !find_note(at, code, &place)) continue;
    take_words(at, words);
    say_place(&place, words, code, to, bytes);
    return 1;
  }
  if (!first) return 0;
  take_words(first, words);
  say_end(words, code, to, bytes);
  return 1;
}
