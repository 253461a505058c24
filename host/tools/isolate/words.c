#include "words.h"
#include "../../core/base/format.h"
#include "../../core/base/text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

char *rh_words_next(rh_words *from) {
  char *word = from->rest;
  if (!word || !*word || *word == ' ') return NULL;
  char *space = strchr(word, ' ');
  from->rest = space ? space + 1 : NULL;
  if (space) *space = 0;
  return word;
}

int rh_words_rest(const rh_words *from, char *to, size_t size) {
  const char *text = from->rest ? from->rest : "";
  rh_copy_plain(to, size, text);
  return to[0] != 0;
}

/* Digits only: strtoull would also accept spaces, signs and overflowing numbers. */
int rh_word_u64(const char *word, uint64_t *number) {
  if (!word || !*word || word[strspn(word, "0123456789")]) return 0;
  errno = 0;
  *number = strtoull(word, NULL, 10);
  return errno == 0;
}

int rh_word_i64(const char *word, int64_t *number) {
  const char *digits = word && *word == '-' ? word + 1 : word;
  if (!digits || !*digits || digits[strspn(digits, "0123456789")]) return 0;
  errno = 0;
  *number = strtoll(word, NULL, 10);
  return errno == 0;
}

int rh_word_double(const char *word, double *number) {
  if (!word || !*word) return 0;
  const char *magnitude = *word == '-' ? word + 1 : word;
  int special = !strcmp(magnitude, "nan") || !strcmp(magnitude, "inf");
  if (!special && word[strspn(word, "0123456789+-.eE")]) return 0;
  char *end;
  return rh_read_decimal(word, &end, number) == 0 && !*end && (special || isfinite(*number));
}
