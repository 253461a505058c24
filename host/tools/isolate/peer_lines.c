#include "internal.h"

enum { LINE_BYTES = 1024, OWN_BYTES = 8192, PARTS_BYTES = 16384 };

/* ---- Words, separated by single spaces ---- */

typedef struct words {
  char *rest; /* null at the end of the line */
} words;

/* Null if there is no further word or it is empty. */
static char *next_word(words *from) {
  char *word = from->rest;
  if (!word || !*word || *word == ' ') return NULL;
  char *space = strchr(word, ' ');
  from->rest = space ? space + 1 : NULL;
  if (space) *space = 0;
  return word;
}

/* Copies the rest of the line, truncated between characters if too long. 1 if there is any. */
static int take_rest(const words *from, char *to, size_t size) {
  const char *text = from->rest ? from->rest : "";
  rh_copy_plain(to, size, text);
  return to[0] != 0;
}

/* 1, or 0 if the word, which may be null, is not such a number.  Digits only: strtoull would also
 * accept spaces, signs and overflowing numbers. */
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

/* With a point in every locale; also "nan", "inf" and "-inf". */
static int read_double(const char *word, double *number) {
  if (!word || !*word) return 0;
  const char *magnitude = *word == '-' ? word + 1 : word;
  int special = !strcmp(magnitude, "nan") || !strcmp(magnitude, "inf");
  if (!special && word[strspn(word, "0123456789+-.eE")]) return 0;
  char *end;
  return rh_read_decimal(word, &end, number) == 0 && !*end && (special || isfinite(*number));
}

/* ---- Lines of a peer ---- */

/* A time or another nonnegative number. */
static int read_amount(const char *word, double *amount) {
  return read_double(word, amount) && isfinite(*amount) && *amount >= 0;
}

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

/* Its type was set. */
static int read_result(words *from, rh_result *result) {
  if (!rh_type_name(result->type)) return 0; /* without a point there is no result */
  if (!read_value(next_word(from), result)) return 0;
  return !result->indexed || read_u64(next_word(from), &result->index);
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

static int read_text(words *from, rh_peer_message *said) {
  return take_rest(from, said->text, sizeof said->text);
}

/* The source of the parameters, as a number. */
static int read_from(const char *word, rh_opened *opened) {
  uint64_t from;
  if (!read_u64(word, &from) || from >= RH_N_PARAMS_FROM) return 0;
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
    if (known[k].count) return read_u64(equals + 1, known[k].count) ? 1 : -1;
    if (!read_amount(equals + 1, &number)) return -1;
    if (known[k].seconds) *known[k].seconds = number;
    if (known[k].flag) *known[k].flag = number > 0;
    return 1;
  }
  return 0;
}

/* Known keys precede the text. */
static int read_keys(words *from, rh_peer_message *said) {
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

static int read_opened(words *from, rh_peer_message *said) {
  uint64_t launches;
  if (!read_clock(next_word(from), &said->device)) return 0;
  if (!read_u64(next_word(from), &launches) || launches > UINT32_MAX) return 0;
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
static int read_parts(words *from, rh_peer_message *said) {
  if (!read_amount(next_word(from), &said->host_share_s)) return 0;
  while (from->rest) {
    rh_part *part = &said->parts[said->n_parts];
    if (said->n_parts == RH_MAX_PARTS ||
        !read_stage(next_word(from), part->stage, sizeof part->stage))
      return 0;
    if (!read_amount(next_word(from), &part->seconds)) return 0;
    said->n_parts++;
  }
  return 1;
}

static int read_taken(words *from, rh_peer_message *said) {
  return read_amount(next_word(from), &said->seconds) && said->seconds > 0 &&
         read_clock(next_word(from), &said->device) && read_result(from, &said->result) &&
         !from->rest;
}

static int read_hello(words *from, rh_peer_message *said) {
  const char *version = next_word(from);
  (void)said;
  return version && strcmp(version, "1") == 0 && !from->rest;
}

static int read_named(words *from, rh_peer_message *said) {
  return read_name(next_word(from), said->name) && read_text(from, said);
}

static int read_nothing(words *from, rh_peer_message *said) {
  (void)said;
  return !from->rest;
}

/* ---- Lines of redhost's own children ---- */

static int read_phase(words *from, rh_peer_message *said) {
  const char *name = next_word(from);
  return name && !from->rest && rh_phase_find(name, &said->phase);
}

static int read_log(words *from, rh_peer_message *said) {
  uint64_t level;
  if (!read_u64(next_word(from), &level) || level > RH_LOG_DEBUG) return 0;
  said->level = (uint32_t)level;
  read_text(from, said);
  return 1;
}

static int read_progress(words *from, rh_peer_message *said) {
  static const char *const known[] = {"upload", "measuring", "streaming"};
  const char *activity = next_word(from);
  said->activity = "working"; /* a constant, because it outlives the line */
  for (size_t k = 0; activity && k < sizeof known / sizeof *known; k++)
    if (strcmp(activity, known[k]) == 0) said->activity = known[k];
  return activity && read_u64(next_word(from), &said->done) &&
         read_u64(next_word(from), &said->total) && !from->rest;
}

static int read_param(words *from, rh_peer_message *said) {
  rh_used_param *param = &said->param;
  uint64_t is_word;
  const words key = {next_word(from)};
  if (!take_rest(&key, param->key, sizeof param->key) ||
      !read_i64(next_word(from), &param->number) || !read_u64(next_word(from), &is_word) ||
      is_word > 1)
    return 0;
  param->is_word = (uint32_t)is_word;
  take_rest(from, param->text, sizeof param->text);
  return 1;
}

static int read_field(words *from, rh_peer_message *said) {
  rh_result_field *field = &said->field;
  const char *type = next_word(from);
  uint64_t bits;
  field->type = type ? rh_type_from_name(type) : 0;
  if (!field->type || !read_u64(next_word(from), &bits)) return 0;
  memcpy(&field->value, &bits, sizeof bits);
  take_rest(from, field->name, sizeof field->name); /* some have none */
  return 1;
}

static int read_memory(words *from, rh_peer_message *said) {
  uint64_t in_place;
  if (!read_u64(next_word(from), &said->opened.scratch_bytes) ||
      !read_u64(next_word(from), &said->opened.local_bytes) ||
      !read_u64(next_word(from), &in_place) || in_place > 1)
    return 0;
  said->opened.in_place = (uint32_t)in_place;
  return !from->rest;
}

static int read_error(words *from, rh_peer_message *said) {
  int64_t status, code;
  if (!read_i64(next_word(from), &status) || !read_i64(next_word(from), &code) ||
      code < INT32_MIN || code > INT32_MAX)
    return 0;
  switch (status) {
#define RH_X(name, number, text)                                                                   \
  case name: break;
    RH_STATUS_LIST(RH_X)
#undef RH_X
  default: return 0;
  }
  said->error.status = (rh_status)status;
  said->error.cl_code = (int32_t)code;
  return status != RH_OK && status != RH_E_WRONG &&
         take_rest(from, said->error.message, sizeof said->error.message);
}

static int read_dropped(words *from, rh_peer_message *said) {
  return read_u64(next_word(from), &said->done) && !from->rest;
}

/* ---- All of them ---- */

static const struct {
  const char *verb;
  rh_peer_word word;
  int (*read)(words *from, rh_peer_message *said);
} lines[] = {
    {"redhost-peer", RH_PEER_HELLO, read_hello},
    {"peer", RH_PEER_NAMED, read_named},
    {"ready", RH_PEER_READY, read_nothing},
    {"opened", RH_PEER_OPENED, read_opened},
    {"declined", RH_PEER_DECLINED, read_text},
    {"failed", RH_PEER_FAILED, read_text},
    {"taken", RH_PEER_TAKEN, read_taken},
    {"parts", RH_PEER_PARTS, read_parts},
    {"closed", RH_PEER_CLOSED, read_nothing},
    {"valued", RH_PEER_VALUED, read_nothing},
    {"phase", RH_OWN_PHASE, read_phase},
    {"log", RH_OWN_LOG, read_log},
    {"progress", RH_OWN_PROGRESS, read_progress},
    {"param", RH_OWN_PARAM, read_param},
    {"field", RH_OWN_FIELD, read_field},
    {"memory", RH_OWN_MEMORY, read_memory},
    {"note", RH_OWN_NOTE, read_text},
    {"dropped", RH_OWN_DROPPED, read_dropped},
    {"error", RH_OWN_ERROR, read_error},
};

rh_peer_word rh_peer_line_read(const char *line, size_t length, int is_own, uint32_t op,
                               rh_type type, rh_peer_message *said) {
  char copy[PARTS_BYTES];
  int is_long = length > 6 && memcmp(line, "parts ", 6) == 0;
  size_t most = is_long ? PARTS_BYTES : is_own ? OWN_BYTES : LINE_BYTES;
  *said = (rh_peer_message){.result.type = rh_op_result_type(op, type),
                            .result.indexed = (rh_op_flags(op, type) & RH_OP_INDEXED) != 0};
  if (length >= most || !rh_is_plain_utf8(line, length)) return RH_PEER_GARBAGE;
  memcpy(copy, line, length);
  copy[length] = 0;
  words from = {copy};
  const char *verb = next_word(&from);
  for (size_t k = 0; verb && k < sizeof lines / sizeof *lines; k++)
    if (strcmp(verb, lines[k].verb) == 0 && (is_own || lines[k].word < RH_OWN_PHASE))
      return lines[k].read(&from, said) ? lines[k].word : RH_PEER_GARBAGE;
  return RH_PEER_GARBAGE;
}
