#include "own_lines.h"
#include "words.h"

#include <string.h>

enum { LINE_BYTES = 8192 };

static int read_phase(rh_words *from, rh_own_message *said) {
  const char *name = rh_words_next(from);
  return name && !from->rest && rh_phase_find(name, &said->phase);
}

static int read_log(rh_words *from, rh_own_message *said) {
  uint64_t level;
  if (!rh_word_u64(rh_words_next(from), &level) || level > RH_LOG_DEBUG) return 0;
  said->level = (uint32_t)level;
  rh_words_rest(from, said->text, sizeof said->text);
  return 1;
}

static int read_progress(rh_words *from, rh_own_message *said) {
  static const char *const known[] = {"upload", "measuring", "streaming"};
  const char *activity = rh_words_next(from);
  said->activity = "working"; /* a constant, because it outlives the line */
  for (size_t k = 0; activity && k < sizeof known / sizeof *known; k++)
    if (strcmp(activity, known[k]) == 0) said->activity = known[k];
  return activity && rh_word_u64(rh_words_next(from), &said->done) &&
         rh_word_u64(rh_words_next(from), &said->total) && !from->rest;
}

static int read_param(rh_words *from, rh_own_message *said) {
  rh_used_param *param = &said->param;
  uint64_t is_word;
  const rh_words key = {rh_words_next(from)};
  if (!rh_words_rest(&key, param->key, sizeof param->key) ||
      !rh_word_i64(rh_words_next(from), &param->number) ||
      !rh_word_u64(rh_words_next(from), &is_word) || is_word > 1)
    return 0;
  param->is_word = (uint32_t)is_word;
  rh_words_rest(from, param->text, sizeof param->text);
  return 1;
}

static int read_field(rh_words *from, rh_own_message *said) {
  rh_result_field *field = &said->field;
  const char *type = rh_words_next(from);
  uint64_t bits;
  field->type = type ? rh_type_from_name(type) : 0;
  if (!field->type || !rh_word_u64(rh_words_next(from), &bits)) return 0;
  memcpy(&field->value, &bits, sizeof bits);
  rh_words_rest(from, field->name, sizeof field->name); /* some have none */
  return 1;
}

static int read_memory(rh_words *from, rh_own_message *said) {
  return rh_word_u64(rh_words_next(from), &said->scratch_bytes) &&
         rh_word_u64(rh_words_next(from), &said->local_bytes) &&
         rh_word_u64(rh_words_next(from), &said->in_place) && said->in_place <= 1 && !from->rest;
}

static int read_error(rh_words *from, rh_own_message *said) {
  int64_t status, code;
  if (!rh_word_i64(rh_words_next(from), &status) || !rh_word_i64(rh_words_next(from), &code) ||
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
         rh_words_rest(from, said->error.message, sizeof said->error.message);
}

static int read_wrong(rh_words *from, rh_own_message *said) {
  said->error.status = RH_E_WRONG;
  return rh_words_rest(from, said->error.message, sizeof said->error.message);
}

static int read_dropped(rh_words *from, rh_own_message *said) {
  return rh_word_u64(rh_words_next(from), &said->done) && !from->rest;
}

static int read_note(rh_words *from, rh_own_message *said) {
  return rh_words_rest(from, said->text, sizeof said->text);
}

static const struct {
  const char *verb;
  rh_own_word word;
  int (*read)(rh_words *from, rh_own_message *said);
} lines[] = {
    {"phase", RH_OWN_PHASE, read_phase},          {"log", RH_OWN_LOG, read_log},
    {"progress", RH_OWN_PROGRESS, read_progress}, {"param", RH_OWN_PARAM, read_param},
    {"field", RH_OWN_FIELD, read_field},          {"note", RH_OWN_NOTE, read_note},
    {"dropped", RH_OWN_DROPPED, read_dropped},    {"memory", RH_OWN_MEMORY, read_memory},
    {"error", RH_OWN_ERROR, read_error},          {"part", RH_OWN_PART, read_note},
    {"wrong", RH_OWN_WRONG, read_wrong},
};

rh_own_word rh_own_line_read(const char *line, size_t length, rh_own_message *said) {
  char copy[LINE_BYTES + 1];
  rh_words from = {copy};
  *said = (rh_own_message){0};
  if (length > LINE_BYTES || !rh_is_plain_utf8(line, length)) return RH_OWN_NONE;
  memcpy(copy, line, length);
  copy[length] = 0;
  const char *verb = rh_words_next(&from);
  for (size_t k = 0; verb && k < sizeof lines / sizeof *lines; k++)
    if (strcmp(verb, lines[k].verb) == 0)
      return lines[k].read(&from, said) ? lines[k].word : RH_OWN_NONE;
  return RH_OWN_NONE;
}
