/* Splits lines into words separated by single spaces. */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct rh_words {
  char *rest; /* null at the end of the line */
} rh_words;

/* Null if there is no further word or it is empty. */
char *rh_words_next(rh_words *from);
/* Copies the rest of the line, truncated between characters if too long. 1 if there is any. */
int rh_words_rest(const rh_words *from, char *to, size_t size);

/* 1, or 0 if the word, which may be null, is not such a number.  Decimal, with a point in every
 * locale; doubles may also be "nan", "inf" and "-inf". */
int rh_word_u64(const char *word, uint64_t *number);
int rh_word_i64(const char *word, int64_t *number);
int rh_word_double(const char *word, double *number);
