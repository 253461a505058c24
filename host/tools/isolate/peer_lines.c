#include "peer_lines.h"
#include "../../core/run/settings.h"
#include "words.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 1024, PARTS_BYTES = 16384 };

/* A time or another nonnegative number. */
static int read_amount(const char *word, double *amount) {
  return rh_word_double(word, amount) && isfinite(*amount) && *amount >= 0;
}

static int fits_signed(rh_type type, int64_t value) {
  int bits = 8 * (int)rh_type_size(type);
  return bits == 64 || (value >= -((int64_t)1 << (bits - 1)) && value < (int64_t)1 << (bits - 1));
}

static int fits_unsigned(rh_type type, uint64_t value) {
  return value <= UINT64_MAX >> (64 - 8 * rh_type_size(type));
}

static int read_value(const char *word, rh_result *result) {
  if (rh_type_is_float(result->type)) return rh_word_double(word, &result->value.f);
  if (rh_type_is_signed(result->type))
    return rh_word_i64(word, &result->value.i) && fits_signed(result->type, result->value.i);
  return rh_word_u64(word, &result->value.u) && fits_unsigned(result->type, result->value.u);
}

static int read_result(rh_words *from, uint32_t op, rh_type type, rh_result *result) {
  *result = (rh_result){.type = rh_op_result_type(op, type)};
  if (!rh_type_name(result->type)) return 0; /* without a point there is no result */
  result->indexed = (rh_op_flags(op, type) & RH_OP_INDEXED) != 0;
  if (!read_value(rh_words_next(from), result)) return 0;
  return !result->indexed || rh_word_u64(rh_words_next(from), &result->index);
}

static int read_clock(const char *word, uint32_t *device) {
  if (!word) return 0;
  *device = strcmp(word, "device") == 0;
  return *device || strcmp(word, "host") == 0;
}

/* A name like a strategy's: [a-z0-9][a-z0-9_-]{0,62}. */
static int read_name(const char *word, char name[64]) {
  static const char first[] = "abcdefghijklmnopqrstuvwxyz0123456789";
  static const char others[] = "abcdefghijklmnopqrstuvwxyz0123456789_-";
  size_t length = word ? strlen(word) : 0;
  if (length == 0 || length > 63 || !strchr(first, *word) || word[strspn(word, others)]) return 0;
  memcpy(name, word, length + 1);
  return 1;
}

static int read_text(const rh_words *from, rh_peer_message *said) {
  return rh_words_rest(from, said->text, sizeof said->text);
}

/* The source of the parameters, as a number. */
static int read_from(const char *word, rh_opened *opened) {
  uint64_t from;
  if (!rh_word_u64(word, &from) || from >= RH_N_PARAMS_FROM) return 0;
  opened->params_from = (uint32_t)from;
  return 1;
}

/* 1: a known "key=number"; 0: a word of the text; -1: a known key with an invalid value. */
static int read_key(const char *word, rh_peer_message *said) {
  rh_opened *opened = &said->opened;
  const char *equals = strchr(word, '=');
  double number;
  if (!equals) return 0;
  const struct {
    const char *key;
    double *seconds;
    uint32_t *flag;
    uint64_t *count;
  } known[] = {{"build", &opened->build_s, NULL, NULL},
               {"upload", &opened->upload_s, NULL, NULL},
               {"setup", &opened->setup_s, NULL, NULL},
               {"cached", NULL, &opened->build_cached, NULL},
               {"on-host", NULL, &opened->finishes_on_host, NULL},
               {"parts", NULL, &said->has_parts, NULL},
               {"depth", NULL, NULL, &opened->depth}};
  if (strncmp(word, "params-from=", 12) == 0) return read_from(equals + 1, opened) ? 1 : -1;
  for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
    if (strncmp(word, known[k].key, (size_t)(equals - word)) != 0 ||
        strlen(known[k].key) != (size_t)(equals - word))
      continue;
    if (known[k].count) return rh_word_u64(equals + 1, known[k].count) ? 1 : -1;
    if (!read_amount(equals + 1, &number)) return -1;
    if (known[k].seconds) *known[k].seconds = number;
    if (known[k].flag) *known[k].flag = number > 0;
    return 1;
  }
  return 0;
}

/* Known keys precede the text. */
static int read_keys(rh_words *from, rh_peer_message *said) {
  while (from->rest) {
    char word[64];
    size_t length = strcspn(from->rest, " ");
    if (length >= sizeof word) return 1;
    memcpy(word, from->rest, length);
    word[length] = 0;
    int read = read_key(word, said);
    if (read < 0) return 0;
    if (read == 0) return 1;
    rh_words_next(from);
  }
  return 1;
}

static int read_opened(rh_words *from, rh_peer_message *said) {
  uint64_t launches;
  if (!read_clock(rh_words_next(from), &said->device)) return 0;
  if (!rh_word_u64(rh_words_next(from), &launches) || launches > UINT32_MAX) return 0;
  said->launches = (uint32_t)launches;
  if (!read_keys(from, said)) return 0;
  read_text(from, said);
  return 1;
}

/* In a word, a space is written as "%20", and "%" as "%25". */
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
static int read_parts(rh_words *from, rh_peer_message *said) {
  if (!read_amount(rh_words_next(from), &said->host_share_s)) return 0;
  while (from->rest) {
    rh_part *part = &said->parts[said->n_parts];
    if (said->n_parts == RH_MAX_PARTS ||
        !read_stage(rh_words_next(from), part->stage, sizeof part->stage))
      return 0;
    if (!read_amount(rh_words_next(from), &part->seconds)) return 0;
    said->n_parts++;
  }
  return 1;
}

static int read_taken(rh_words *from, uint32_t op, rh_type type, rh_peer_message *said) {
  return read_amount(rh_words_next(from), &said->seconds) && said->seconds > 0 &&
         read_clock(rh_words_next(from), &said->device) &&
         read_result(from, op, type, &said->result) && !from->rest;
}

static int read_hello(rh_words *from) {
  const char *version = rh_words_next(from);
  return version && strcmp(version, "1") == 0 && !from->rest;
}

static rh_peer_word read_words(rh_words *from, uint32_t op, rh_type type, rh_peer_message *said) {
  const char *word = rh_words_next(from);
  if (!word) return RH_PEER_GARBAGE;
  if (!strcmp(word, "redhost-peer")) return read_hello(from) ? RH_PEER_HELLO : RH_PEER_GARBAGE;
  if (!strcmp(word, "peer"))
    return read_name(rh_words_next(from), said->name) && read_text(from, said) ? RH_PEER_NAMED
                                                                               : RH_PEER_GARBAGE;
  if (!strcmp(word, "opened")) return read_opened(from, said) ? RH_PEER_OPENED : RH_PEER_GARBAGE;
  if (!strcmp(word, "declined")) return read_text(from, said) ? RH_PEER_DECLINED : RH_PEER_GARBAGE;
  if (!strcmp(word, "failed")) return read_text(from, said) ? RH_PEER_FAILED : RH_PEER_GARBAGE;
  if (!strcmp(word, "parts")) return read_parts(from, said) ? RH_PEER_PARTS : RH_PEER_GARBAGE;
  if (!strcmp(word, "taken"))
    return read_taken(from, op, type, said) ? RH_PEER_TAKEN : RH_PEER_GARBAGE;
  if (from->rest) return RH_PEER_GARBAGE;
  if (!strcmp(word, "ready")) return RH_PEER_READY;
  if (!strcmp(word, "valued")) return RH_PEER_VALUED;
  return strcmp(word, "closed") == 0 ? RH_PEER_CLOSED : RH_PEER_GARBAGE;
}

rh_peer_word rh_peer_line_read(const char *line, size_t length, uint32_t op, rh_type type,
                               rh_peer_message *said) {
  char copy[PARTS_BYTES];
  size_t most = length > 6 && memcmp(line, "parts ", 6) == 0 ? PARTS_BYTES : LINE_BYTES;
  *said = (rh_peer_message){0};
  if (length >= most || !rh_is_plain_utf8(line, length)) return RH_PEER_GARBAGE;
  memcpy(copy, line, length);
  copy[length] = 0;
  rh_words from = {copy};
  return read_words(&from, op, type, said);
}
