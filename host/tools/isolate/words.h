/* Lines of words: one space between two, and the rest as it is. */
#ifndef RH_ISOLATE_WORDS_H
#define RH_ISOLATE_WORDS_H

#include <stddef.h>
#include <stdint.h>

typedef struct rh_words {
  char *rest; /* null: the line is over */
} rh_words;

/* Null where there is no further word, or an empty one. */
char *rh_words_next(rh_words *from);
/* Copies the rest of the line, cut between characters where it is too long.  1 where there is
 * any. */
int rh_words_rest(const rh_words *from, char *to, size_t size);

/* 1, or 0 where the word, which may be null, is not such a number.  Decimal, with a point
 * whatever the
 * caller's locale; doubles also "nan", "inf" and "-inf". */
int rh_word_u64(const char *word, uint64_t *number);
int rh_word_i64(const char *word, int64_t *number);
int rh_word_double(const char *word, double *number);

#endif
