#include "internal.h"

enum { LINE_BYTES = 1024, LONG_BYTES = 1 << 16 };

/* ---- Words, separated by single spaces; the rest of a line is null at its end ---- */

/* Null if there is no further word or it is empty. */
static char *next_word(char **rest) {
  char *word = strsep(rest, " ");
  return word && *word ? word : NULL;
}

/* Copies the rest of the line, truncated between characters if too long. 1 if there is any. */
static int take_rest(char **rest, char *to, size_t size) {
  const char *text = *rest ? *rest : "";
  rh_copy_plain(to, size, text);
  return to[0] != 0;
}

/* 1, or 0 if the word, which may be null, is not such a number. */
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

static int read_value(const char *word, rh_result *result) {
  uint32_t bits = 8 * rh_type_size(result->type);
  if (rh_type_is_float(result->type)) return read_double(word, &result->value.f);
  if (!rh_type_is_signed(result->type))
    return rh_read_digits(word, &result->value.u) && result->value.u <= UINT64_MAX >> (64 - bits);
  if (!read_i64(word, &result->value.i)) return 0;
  int64_t signs = result->value.i >> (bits - 1);
  return signs == 0 || signs == -1;
}

/* Its type was set. */
static int read_result(char **rest, rh_result *result) {
  if (!rh_type_name(result->type)) return 0; /* without a point there is no result */
  if (!read_value(next_word(rest), result)) return 0;
  return !result->indexed || rh_read_digits(next_word(rest), &result->index);
}

static int read_clock(const char *word, uint32_t *device) {
  if (!word) return 0;
  *device = strcmp(word, "device") == 0;
  return *device || strcmp(word, "host") == 0;
}

static int read_text(char **rest, rh_peer_message *said) {
  return take_rest(rest, said->text, sizeof said->text);
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
               {"depth", NULL, NULL, &opened->depth}};
  for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
    if (strncmp(word, known[k].key, (size_t)(equals - word)) != 0 ||
        strlen(known[k].key) != (size_t)(equals - word))
      continue;
    if (known[k].count) return rh_read_digits(equals + 1, known[k].count) ? 1 : -1;
    if (!read_amount(equals + 1, &number)) return -1;
    if (known[k].seconds) *known[k].seconds = number;
    if (known[k].flag) *known[k].flag = number > 0;
    return 1;
  }
  return 0;
}

/* Known keys precede the text. */
static int read_keys(char **rest, rh_peer_message *said) {
  while (*rest) {
    char word[64];
    size_t length = strcspn(*rest, " ");
    if (length >= sizeof word) return 1;
    memcpy(word, *rest, length);
    word[length] = 0;
    int read = read_key(word, said);
    if (read < 0) return 0;
    if (read == 0) return 1;
    next_word(rest);
  }
  return 1;
}

static int read_opened(char **rest, rh_peer_message *said) {
  rh_opened *opened = &said->opened;
  uint64_t launches;
  uint32_t by_device;
  if (!read_clock(next_word(rest), &by_device)) return 0;
  if (!rh_read_digits(next_word(rest), &launches) || launches > UINT32_MAX) return 0;
  opened->launches = (uint32_t)launches;
  opened->host_clock = !by_device;
  if (!read_keys(rest, said)) return 0;
  take_rest(rest, opened->params, sizeof opened->params);
  return 1;
}

static int read_taken(char **rest, rh_peer_message *said) {
  rh_taken *taken = &said->taken;
  return read_amount(next_word(rest), &taken->seconds) && taken->seconds > 0 &&
         read_clock(next_word(rest), &taken->stamped) && read_result(rest, &taken->result) &&
         !*rest;
}

static int read_hello(char **rest, rh_peer_message *said) {
  const char *version = next_word(rest);
  (void)said;
  return version && strcmp(version, "1") == 0 && !*rest;
}

static int read_named(char **rest, rh_peer_message *said) {
  const char *name = next_word(rest);
  if (!rh_strategy_name_is_valid(name)) return 0;
  strcpy(said->name, name);
  return read_text(rest, said);
}

static int read_nothing(char **rest, rh_peer_message *said) {
  (void)said;
  return !*rest;
}

/* ---- Structs of redhost's own children ---- */

void rh_own_line_add(rh_text *to, const char *word, const void *from, size_t bytes) {
  rh_text_add(to, "%s ", word);
  rh_hex_add(to, from, bytes);
  rh_text_append(to, "\n", 1);
}

/* A plugin may have written anywhere in the process that sent it. */
static int is_text(char *s, size_t size) {
  if (!memchr(s, 0, size)) return 0;
  rh_make_plain(s);
  return 1;
}

static int is_time(double seconds) { return isfinite(seconds) && seconds >= 0; }

static int is_opened(rh_peer_message *said) {
  rh_opened *opened = &said->opened;
  if (opened->n_used > RH_MAX_PARAMS) return 0;
  for (uint32_t k = 0; k < opened->n_used; k++)
    if (!is_text(opened->used[k].key, sizeof opened->used[k].key) ||
        !is_text(opened->used[k].text, sizeof opened->used[k].text))
      return 0;
  return is_text(opened->params, sizeof opened->params) &&
         is_text(opened->params_note, sizeof opened->params_note) &&
         opened->params_from < RH_N_PARAMS_FROM && is_time(opened->build_s) &&
         is_time(opened->upload_s) && is_time(opened->setup_s);
}

/* Without a type: of segments. */
static int is_taken(rh_peer_message *said) {
  rh_taken *taken = &said->taken;
  rh_result *result = &taken->result;
  if (!is_time(taken->seconds) || taken->seconds == 0 || result->n_fields > RH_MOST_RESULTS)
    return 0;
  for (uint32_t k = 0; k < result->n_fields; k++)
    if (!rh_type_name(result->fields[k].type) ||
        !is_text(result->fields[k].name, sizeof result->fields[k].name))
      return 0;
  return !result->type || rh_type_name(result->type);
}

static int is_parts(rh_peer_message *said) {
  rh_parts *parts = &said->parts;
  if (parts->n > RH_MAX_PARTS) return 0;
  for (uint32_t k = 0; k < parts->n; k++)
    if (!is_text(parts->list[k].stage, sizeof parts->list[k].stage) ||
        !is_time(parts->list[k].seconds))
      return 0;
  return is_time(parts->host_share_s);
}

static int is_error(rh_peer_message *said) {
  rh_error *error = &said->error;
  switch (error->status) {
#define RH_X(name, number, text)                                                                   \
  case name: break;
    RH_STATUS_LIST(RH_X)
#undef RH_X
  default: return 0;
  }
  return error->status != RH_OK && error->status != RH_E_WRONG &&
         is_text(error->message, sizeof error->message) && error->message[0];
}

static int is_phase(rh_peer_message *said) { return said->phase <= RH_PHASE_teardown; }

static int is_log(rh_peer_message *said) {
  return said->log.level <= RH_LOG_DEBUG && is_text(said->log.text, sizeof said->log.text);
}

static int is_progress(rh_peer_message *said) {
  return is_text(said->progress.activity, sizeof said->progress.activity);
}

/* ---- All of them ---- */

static const struct {
  const char *verb;
  rh_peer_word word;
  int (*read)(char **rest, rh_peer_message *said);
} lines[] = {
    {"redhost-peer", RH_PEER_HELLO, read_hello}, {"peer", RH_PEER_NAMED, read_named},
    {"ready", RH_PEER_READY, read_nothing},      {"opened", RH_PEER_OPENED, read_opened},
    {"declined", RH_PEER_DECLINED, read_text},   {"failed", RH_PEER_FAILED, read_text},
    {"taken", RH_PEER_TAKEN, read_taken},        {"closed", RH_PEER_CLOSED, read_nothing},
    {"valued", RH_PEER_VALUED, read_nothing},
};

static rh_peer_word read_line(const char *verb, char **rest, rh_peer_message *said) {
  for (size_t k = 0; k < sizeof lines / sizeof *lines; k++)
    if (strcmp(verb, lines[k].verb) == 0)
      return lines[k].read(rest, said) ? lines[k].word : RH_PEER_GARBAGE;
  return RH_PEER_GARBAGE;
}

#define FOLLOWED_BY(member) offsetof(rh_peer_message, member), sizeof((rh_peer_message *)0)->member

static const struct {
  const char *verb;
  rh_peer_word word;
  size_t at, bytes;                       /* of the struct behind it; bytes: perhaps 0 */
  int (*is_valid)(rh_peer_message *said); /* null: any is */
} own_lines[] = {
    {"opened", RH_PEER_OPENED, FOLLOWED_BY(opened), is_opened},
    {"taken", RH_PEER_TAKEN, FOLLOWED_BY(taken), is_taken},
    {"parts", RH_PEER_PARTS, FOLLOWED_BY(parts), is_parts},
    {"closed", RH_PEER_CLOSED, 0, 0, NULL},
    {"valued", RH_PEER_VALUED, 0, 0, NULL},
    {"phase", RH_OWN_PHASE, FOLLOWED_BY(phase), is_phase},
    {"log", RH_OWN_LOG, FOLLOWED_BY(log), is_log},
    {"progress", RH_OWN_PROGRESS, FOLLOWED_BY(progress), is_progress},
    {"dropped", RH_OWN_DROPPED, FOLLOWED_BY(dropped), NULL},
    {"error", RH_OWN_ERROR, FOLLOWED_BY(error), is_error},
};

static rh_peer_word read_own(const char *verb, const char *digits, rh_peer_message *said) {
  size_t k = 0, n = sizeof own_lines / sizeof *own_lines;
  while (k < n && strcmp(verb, own_lines[k].verb) != 0) k++;
  if (k == n || !rh_hex_read(digits, (char *)said + own_lines[k].at, own_lines[k].bytes) ||
      (own_lines[k].is_valid && !own_lines[k].is_valid(said)))
    return RH_PEER_GARBAGE;
  return own_lines[k].word;
}

rh_peer_word rh_peer_line_read(const char *line, size_t length, int is_own, uint32_t op,
                               rh_type type, rh_peer_message *said) {
  char copy[LONG_BYTES];
  *said = (rh_peer_message){.taken.result.type = rh_op_result_type(op, type),
                            .taken.result.indexed = (rh_op_flags(op, type) & RH_OP_INDEXED) != 0};
  if (length >= (is_own ? LONG_BYTES : LINE_BYTES) || !rh_is_plain_utf8(line, length))
    return RH_PEER_GARBAGE;
  memcpy(copy, line, length);
  copy[length] = 0;
  char *rest = copy;
  const char *verb = next_word(&rest);
  if (!verb) return RH_PEER_GARBAGE;
  return is_own ? read_own(verb, rest ? rest : "", said) : read_line(verb, &rest, said);
}
