#include "base.h"

static int reserve(rh_text *text, size_t more) {
  if (text->failed) return 0;
  size_t needed = text->length + more + 1;
  if (needed <= text->capacity) return 1;
  size_t capacity = text->capacity ? text->capacity : 64;
  while (capacity < needed) capacity *= 2;
  char *s = realloc(text->s, capacity);
  if (!s) {
    text->failed = 1;
    return 0;
  }
  text->s = s;
  text->capacity = capacity;
  return 1;
}

void rh_text_append(rh_text *text, const char *s, size_t length) {
  if (!reserve(text, length)) return;
  memcpy(text->s + text->length, s, length);
  text->length += length;
  text->s[text->length] = 0;
}

/* Into the room that there is, and again where it was too little: most texts are short. */
void rh_text_add(rh_text *text, const char *format, ...) {
  va_list args, again;
  if (!reserve(text, 1)) return;
  va_start(args, format);
  va_copy(again, args);
  size_t room = text->capacity - text->length;
  int length = vsnprintf(text->s + text->length, room, format, args);
  if (length < 0) text->failed = 1;
  else if ((size_t)length >= room && reserve(text, (size_t)length))
    vsnprintf(text->s + text->length, (size_t)length + 1, format, again);
  if (!text->failed) text->length += (size_t)length;
  va_end(again);
  va_end(args);
}

void rh_text_add_word(rh_text *text, const char *word) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                              "_-./+,:@%=";
  if (*word && word[strspn(word, plain)] == 0) {
    rh_text_append(text, word, strlen(word));
    return;
  }
  rh_text_add(text, "'");
  for (; *word; word++)
    if (*word == '\'') rh_text_add(text, "'\\''");
    else rh_text_append(text, word, 1);
  rh_text_add(text, "'");
}

const char *rh_text_get(const rh_text *text) { return text->s ? text->s : ""; }

void rh_text_finish(rh_text *text) {
  free(text->s);
  memset(text, 0, sizeof *text);
}

int rh_strings_vadd(char ***strings, uint32_t *n, const char *format, va_list args) {
  char **grown = realloc(*strings, (*n + 1u) * sizeof *grown);
  if (!grown) return -1;
  *strings = grown;
  if (vasprintf(&grown[*n], format, args) < 0) return -1;
  ++*n;
  return 0;
}

int rh_strings_add(char ***strings, uint32_t *n, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int result = rh_strings_vadd(strings, n, format, args);
  va_end(args);
  return result;
}

char *rh_copy_string(const char *s) { return s ? strdup(s) : NULL; }

/* The Levenshtein distance of words of at most 63 bytes; longer words never match. */
static size_t edit_distance(const char *a, const char *b) {
  size_t row[64], n = strlen(b);
  if (n > 63 || strlen(a) > 63) return 64;
  for (size_t j = 0; j <= n; j++) row[j] = j;
  for (size_t i = 1; a[i - 1]; i++) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= n; j++) {
      size_t above = row[j], best = diagonal + (a[i - 1] != b[j - 1]);
      if (above + 1 < best) best = above + 1;
      if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
      row[j] = best;
      diagonal = above;
    }
  }
  return row[n];
}

const char *rh_closest(const char *word, const char *const *candidates, size_t n) {
  const char *best = NULL;
  /* At most a third of the word may be wrong: more distant suggestions mislead. */
  size_t limit = strlen(word) / 3 + 1, best_distance = limit + 1;
  for (size_t k = 0; k < n; k++) {
    size_t distance = edit_distance(word, candidates[k]);
    if (distance < best_distance) {
      best = candidates[k];
      best_distance = distance;
    }
  }
  return best;
}

const char *rh_suggest(char text[RH_SUGGESTION_BYTES], const char *word,
                       const char *const *candidates, size_t n, const char *otherwise) {
  const char *close = rh_closest(word, candidates, n);
  if (!close) return otherwise;
  snprintf(text, RH_SUGGESTION_BYTES, "; did you mean '%s'?", close);
  return text;
}

/* Marks that turn the direction of text (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to
 * U+2069) make a name read as another one; U+2028 and U+2029 end lines. */
static int is_harmful(uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c || code == 0x200e ||
         code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069) || code == 0xfeff;
}

/* The length of the character at s, of which `length` bytes are available; 0 if it must not be
 * shown. */
static size_t plain_character(const char *s, size_t length) {
  unsigned char c = (unsigned char)s[0];
  uint32_t code = c, least = 0;
  size_t more = 0;
  if (c >= 0xf0 && c < 0xf5) {
    more = 3;
    code = c & 7u;
    least = 0x10000;
  } else if (c >= 0xe0 && c < 0xf0) {
    more = 2;
    code = c & 15u;
    least = 0x800;
  } else if (c >= 0xc2 && c < 0xe0) {
    more = 1;
    code = c & 31u;
    least = 0x80;
  } else if (c >= 0x80) return 0;
  if (more >= length) return 0;
  for (size_t k = 1; k <= more; k++) {
    if (((unsigned char)s[k] & 0xc0) != 0x80) return 0;
    code = code << 6 | ((unsigned char)s[k] & 0x3fu);
  }
  if (code < least || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return 0;
  return is_harmful(code) ? 0 : more + 1;
}

void rh_text_add_json(rh_text *text, const char *s) {
  rh_text_append(text, "\"", 1);
  for (size_t left = strlen(s), bytes; left; s += bytes, left -= bytes) {
    bytes = plain_character(s, left);
    if (*s == '"' || *s == '\\') rh_text_append(text, "\\", 1);
    if (bytes) rh_text_append(text, s, bytes);
    else if ((unsigned char)*s < ' ') rh_text_add(text, "\\u%04x", *s);
    else rh_text_append(text, "?", 1);
    if (!bytes) bytes = 1;
  }
  rh_text_append(text, "\"", 1);
}

int rh_is_plain_utf8(const char *s, size_t length) {
  for (size_t k = 0, bytes; k < length; k += bytes)
    if ((bytes = plain_character(s + k, length - k)) == 0) return 0;
  return 1;
}

void rh_make_plain(char *s) {
  for (size_t length = strlen(s); length;) {
    size_t bytes = plain_character(s, length);
    if (bytes == 0) {
      /* Replaces all bytes of a mark, or its continuation bytes would remain. */
      do {
        *s++ = '?';
        length--;
      } while (length && ((unsigned char)*s & 0xc0) == 0x80);
    }
    s += bytes;
    length -= bytes;
  }
}

void rh_copy_plain(char *to, size_t bytes, const char *from) {
  size_t length = strnlen(from, bytes);
  if (length == bytes) {
    length--;
    while (length && ((unsigned char)from[length] & 0xc0) == 0x80) length--;
  }
  memcpy(to, from, length);
  to[length] = 0;
  rh_make_plain(to);
}

const char *rh_quotable(const char *s) {
  size_t length = strlen(s);
  return length <= 64 && rh_is_plain_utf8(s, length) ? s : "...";
}

void rh_make_ascii(char *s) {
  for (; *s; s++)
    if ((unsigned char)*s >= 0x80) *s = '?';
}
