#include "peer_lines.h"
#include "../../core/base/format.h"
#include "../../core/base/text.h"
#include "../../core/base/vocabulary.h"
#include "../../core/reduce/settings.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 1024, PARTS_BYTES = 16384 };

/* The words of a line, one space between two; the rest stays as it is. */
typedef struct words {
  char *rest; /* null: the line is over */
} words;

/* Null where there is no further word, or an empty one. */
static char *next_word(words *from) {
  char *word = from->rest;
  if (!word || !*word || *word == ' ') return NULL;
  char *space = strchr(word, ' ');
  from->rest = space ? space + 1 : NULL;
  if (space) *space = 0;
  return word;
}

static int is_over(const words *from) {
  return !from->rest;
}

/* ---- Numbers ----------------------------------------------------------------------------------------------------- */

/* Digits and nothing else: strtoull would take blanks, signs and what is too large. */
static int read_u64(const char *word, uint64_t *number) {
  if (!word || !*word || word[strspn(word, "0123456789")]) return 0;
  errno = 0;
  *number = strtoull(word, NULL, 10);
  return errno == 0;
}

static int read_i64(const char *word, int64_t *number) {
  const char *digits = word && *word == '-' ? word + 1 : word;
  if (!digits || !*digits || digits[strspn(digits, "0123456789")]) return 0;
  errno = 0;
  *number = strtoll(word, NULL, 10);
  return errno == 0;
}

/* Decimal, with a point whatever the caller's locale; "nan", "inf" and "-inf". */
static int read_double(const char *word, double *number) {
  if (!word || !*word) return 0;
  const char *magnitude = *word == '-' ? word + 1 : word;
  int special = !strcmp(magnitude, "nan") || !strcmp(magnitude, "inf");
  if (!special && word[strspn(word, "0123456789+-.eE")]) return 0;
  char *end;
  return rh_read_decimal(word, &end, number) == 0 && !*end && (special || isfinite(*number));
}

/* A time, or what else is counted from 0. */
static int read_amount(const char *word, double *amount) {
  return read_double(word, amount) && isfinite(*amount) && *amount >= 0;
}

/* ---- Values ------------------------------------------------------------------------------------------------------ */

static int fits_signed(rh_type type, int64_t value) {
  int bits = 8 * (int)rh_type_size(type);
  return bits == 64 || (value >= -((int64_t)1 << (bits - 1)) && value < (int64_t)1 << (bits - 1));
}

static int fits_unsigned(rh_type type, uint64_t value) {
  return value <= UINT64_MAX >> (64 - 8 * rh_type_size(type));
}

static int read_value(const char *word, rh_result *result) {
  if (rh_type_is_float(result->type)) return read_double(word, &result->value.f);
  if (rh_type_is_signed(result->type))
    return read_i64(word, &result->value.i) && fits_signed(result->type, result->value.i);
  return read_u64(word, &result->value.u) && fits_unsigned(result->type, result->value.u);
}

static int read_result(words *from, uint32_t op, rh_type type, rh_result *result) {
  *result = (rh_result){.type = rh_op_result_type(op, type)};
  result->indexed = (rh_op_flags(op, type) & RH_OP_INDEXED) != 0;
  if (!read_value(next_word(from), result)) return 0;
  return !result->indexed || read_u64(next_word(from), &result->index);
}

/* ---- Lines ------------------------------------------------------------------------------------------------------- */

static int read_clock(const char *word, uint32_t *device) {
  if (!word) return 0;
  *device = strcmp(word, "device") == 0;
  return *device || strcmp(word, "host") == 0;
}

/* As strategies are named: [a-z0-9][a-z0-9_-]{0,62}. */
static int read_name(const char *word, char name[64]) {
  static const char first[] = "abcdefghijklmnopqrstuvwxyz0123456789";
  static const char others[] = "abcdefghijklmnopqrstuvwxyz0123456789_-";
  size_t length = word ? strlen(word) : 0;
  if (length == 0 || length > 63 || !strchr(first, *word) || word[strspn(word, others)]) return 0;
  memcpy(name, word, length + 1);
  return 1;
}

/* The rest of the line; cut between characters where it is too long. */
static int read_text(const words *from, rh_peer_said *said) {
  const char *text = from->rest ? from->rest : "";
  rh_copy_plain(said->text, sizeof said->text, text);
  return said->text[0] != 0;
}

/* Where the parameters come from, by its number. */
static int read_from(const char *word, rh_opened *opened) {
  uint64_t from;
  if (!read_u64(word, &from) || from >= RH_N_PARAMS_FROM) return 0;
  opened->params_from = (uint32_t)from;
  return 1;
}

/* One "key=number" of those that are known: 1; 0: a word of the text; -1: a known key with something else behind it. */
static int read_key(const char *word, rh_peer_said *said) {
  rh_opened *opened = &said->opened;
  const char *equals = strchr(word, '=');
  double number;
  if (!equals) return 0;
  const struct {
    const char *key;
    double *seconds;
    uint32_t *flag;
  } known[] = {{"build", &opened->build_s, NULL},
               {"upload", &opened->upload_s, NULL},
               {"setup", &opened->setup_s, NULL},
               {"cached", NULL, &opened->build_cached},
               {"on-host", NULL, &opened->finishes_on_host},
               {"parts", NULL, &said->has_parts}};
  if (strncmp(word, "depth=", 6) == 0) return read_u64(equals + 1, &opened->depth) ? 1 : -1;
  if (strncmp(word, "params-from=", 12) == 0) return read_from(equals + 1, opened) ? 1 : -1;
  for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
    if (strncmp(word, known[k].key, (size_t)(equals - word)) != 0 ||
        strlen(known[k].key) != (size_t)(equals - word))
      continue;
    if (!read_amount(equals + 1, &number)) return -1;
    if (known[k].seconds) *known[k].seconds = number;
    if (known[k].flag) *known[k].flag = number > 0;
    return 1;
  }
  return 0;
}

/* Keys that are known stand before the text. */
static int read_keys(words *from, rh_peer_said *said) {
  while (from->rest) {
    char word[64];
    size_t length = strcspn(from->rest, " ");
    if (length >= sizeof word) return 1;
    memcpy(word, from->rest, length);
    word[length] = 0;
    int read = read_key(word, said);
    if (read < 0) return 0;
    if (read == 0) return 1;
    next_word(from);
  }
  return 1;
}

static int read_opened(words *from, rh_peer_said *said) {
  uint64_t launches;
  if (!read_clock(next_word(from), &said->device)) return 0;
  if (!read_u64(next_word(from), &launches) || launches > UINT32_MAX) return 0;
  said->launches = (uint32_t)launches;
  if (!read_keys(from, said)) return 0;
  read_text(from, said);
  return 1;
}

/* A blank stands in a word as "%20", and "%" as "%25". */
static int read_stage(const char *word, char *stage, size_t size) {
  size_t length = 0;
  for (const char *c = word; c && *c; c++) {
    int is_blank = strncmp(c, "%20", 3) == 0;
    if (length + 1 >= size) return 0;
    stage[length++] = (char)(is_blank ? ' ' : *c);
    if (is_blank || strncmp(c, "%25", 3) == 0) c += 2;
  }
  stage[length] = 0;
  return length > 0;
}

/* "parts HOST-SHARE [STAGE SECONDS]...". */
static int read_parts(words *from, rh_peer_said *said) {
  if (!read_amount(next_word(from), &said->host_share_s)) return 0;
  while (!is_over(from)) {
    rh_part *part = &said->parts[said->n_parts];
    if (said->n_parts == RH_MAX_PARTS ||
        !read_stage(next_word(from), part->stage, sizeof part->stage))
      return 0;
    if (!read_amount(next_word(from), &part->seconds)) return 0;
    said->n_parts++;
  }
  return 1;
}

static int read_taken(words *from, uint32_t op, rh_type type, rh_peer_said *said) {
  return read_amount(next_word(from), &said->seconds) && said->seconds > 0 &&
         read_clock(next_word(from), &said->device) && read_result(from, op, type, &said->result) &&
         is_over(from);
}

static int read_hello(words *from) {
  const char *version = next_word(from);
  return version && strcmp(version, "1") == 0 && is_over(from);
}

static rh_peer_word read_words(words *from, uint32_t op, rh_type type, rh_peer_said *said) {
  const char *word = next_word(from);
  if (!word) return RH_PEER_GARBAGE;
  if (!strcmp(word, "redhost-peer")) return read_hello(from) ? RH_PEER_HELLO : RH_PEER_GARBAGE;
  if (!strcmp(word, "peer"))
    return read_name(next_word(from), said->name) && read_text(from, said) ? RH_PEER_NAMED
                                                                           : RH_PEER_GARBAGE;
  if (!strcmp(word, "opened")) return read_opened(from, said) ? RH_PEER_OPENED : RH_PEER_GARBAGE;
  if (!strcmp(word, "declined")) return read_text(from, said) ? RH_PEER_DECLINED : RH_PEER_GARBAGE;
  if (!strcmp(word, "failed")) return read_text(from, said) ? RH_PEER_FAILED : RH_PEER_GARBAGE;
  if (!strcmp(word, "parts")) return read_parts(from, said) ? RH_PEER_PARTS : RH_PEER_GARBAGE;
  if (!strcmp(word, "taken"))
    return read_taken(from, op, type, said) ? RH_PEER_TAKEN : RH_PEER_GARBAGE;
  if (!is_over(from)) return RH_PEER_GARBAGE;
  if (!strcmp(word, "ready")) return RH_PEER_READY;
  return strcmp(word, "closed") == 0 ? RH_PEER_CLOSED : RH_PEER_GARBAGE;
}

rh_peer_word rh_peer_line_read(const char *line, size_t length, uint32_t op, rh_type type,
                               rh_peer_said *said) {
  char copy[PARTS_BYTES];
  size_t most = length > 6 && memcmp(line, "parts ", 6) == 0 ? PARTS_BYTES : LINE_BYTES;
  *said = (rh_peer_said){0};
  if (length >= most || !rh_is_plain_utf8(line, length)) return RH_PEER_GARBAGE;
  memcpy(copy, line, length);
  copy[length] = 0;
  words from = {copy};
  return read_words(&from, op, type, said);
}
