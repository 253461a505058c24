/* A string that grows. */
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialised is empty and valid.  `s` is null or terminated.  If memory runs out, `failed` is
 * set, the text is unchanged, and later appends do nothing: check once at the end. */
typedef struct rh_text {
  char *s;
  size_t length, capacity;
  int failed;
} rh_text;

void rh_text_add(rh_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void rh_text_append(rh_text *text, const char *s, size_t length);
/* A string of JSON, with its quotes; what is not plain becomes '?', but for control characters. */
void rh_text_add_json(rh_text *text, const char *s);
/* A word of a command, quoted for a shell if it has to be. */
void rh_text_add_word(rh_text *text, const char *word);
const char *rh_text_get(const rh_text *text); /* never null */
void rh_text_finish(rh_text *text);

/* Adds a string to an array of *n of them; both are malloc'ed. 0, or -1 if out of memory. */
int rh_strings_add(char ***strings, uint32_t *n, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int rh_strings_vadd(char ***strings, uint32_t *n, const char *format, va_list args);

/* strdup that accepts null. */
char *rh_copy_string(const char *s);

/* The candidate closest to `word` by edit distance, for "did you mean"; null if none is close.
 */
const char *rh_closest(const char *word, const char *const *candidates, size_t n);

/* "; did you mean 'sum'?", or `otherwise` if none is close; in `text`, which is returned. */
enum { RH_SUGGESTION_BYTES = 128 };
const char *rh_suggest(char text[RH_SUGGESTION_BYTES], const char *word,
                       const char *const *candidates, size_t n, const char *otherwise);

/* Copies as much of an untrusted text as fits, cut between characters, and makes it plain. */
void rh_copy_plain(char *to, size_t bytes, const char *from);

/* An untrusted string for a message: s itself, or "..." if it is long or not plain. */
const char *rh_quotable(const char *s);

/* For text that is not UTF-8: every byte beyond ASCII becomes '?'. */
void rh_make_ascii(char *s);

/* Makes untrusted text safe for reports and messages: one line, without terminal control or changes
 * of text direction.  Control characters, invalid UTF-8, line separators and direction marks become
 * '?', one for each byte. */
void rh_make_plain(char *s);

/* Would rh_make_plain leave the `length` bytes of s unchanged? */
int rh_is_plain_utf8(const char *s, size_t length);
