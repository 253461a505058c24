/* host/tools/isolate: a line from a peer program, which anybody may have written; and one from
 * redhost's own child, which runs untrusted code. */
#include <math.h>

#include "../../host/tools/isolate/internal.h"
#include "fuzz.h"

static int is_plain(const char *s, size_t size) {
  return memchr(s, 0, size) && rh_is_plain_utf8(s, strlen(s));
}

static int is_duration(double seconds) { return isfinite(seconds) && seconds >= 0; }

static void check_parts(const rh_peer_message *said) {
  RULE(said->parts.n <= RH_MAX_PARTS && is_duration(said->parts.host_share_s));
  for (uint32_t k = 0; k < said->parts.n; k++) {
    const rh_part *part = &said->parts.list[k];
    RULE(is_plain(part->stage, sizeof part->stage));
    RULE(is_duration(part->seconds));
  }
}

static void check_taken(const rh_peer_message *said, uint32_t op, rh_type type) {
  const rh_result *result = &said->taken.result;
  RULE(isfinite(said->taken.seconds) && said->taken.seconds > 0);
  RULE(result->type == rh_op_result_type(op, type));
  if (result->type == RH_TYPE_i8) RULE(result->value.i >= -128 && result->value.i <= 127);
  if (result->type == RH_TYPE_u16) RULE(result->value.u <= UINT16_MAX);
}

static void try_line(const char *line, size_t length, uint32_t op, rh_type type) {
  rh_peer_message said;
  memset(&said, 0x55, sizeof said);
  rh_peer_word word = rh_peer_line_read(line, length, 0, op, type, &said);
  RULE(is_plain(said.text, sizeof said.text) && is_plain(said.name, sizeof said.name));
  if (word == RH_PEER_NAMED) RULE(rh_strategy_name_is_valid(said.name) && said.text[0]);
  if (word == RH_PEER_DECLINED || word == RH_PEER_FAILED) RULE(said.text[0]);
  if (word == RH_PEER_OPENED)
    RULE(is_duration(said.opened.build_s) && is_duration(said.opened.upload_s) &&
         is_duration(said.opened.setup_s));
  if (word == RH_PEER_TAKEN) check_taken(&said, op, type);
}

static void check_own(const rh_peer_message *said, rh_peer_word word) {
  if (word == RH_OWN_LOG) RULE(is_plain(said->log.text, sizeof said->log.text));
  if (word == RH_OWN_PHASE) RULE(rh_phase_words(said->phase));
  if (word == RH_OWN_PROGRESS)
    RULE(is_plain(said->progress.activity, sizeof said->progress.activity));
  if (word == RH_PEER_PARTS) check_parts(said);
  if (word == RH_PEER_TAKEN) RULE(said->taken.result.n_fields <= RH_MOST_RESULTS);
  if (word == RH_PEER_OPENED) RULE(said->opened.n_used <= RH_MAX_PARAMS);
  for (uint32_t k = 0; word == RH_PEER_OPENED && k < said->opened.n_used; k++)
    RULE(is_plain(said->opened.used[k].key, sizeof said->opened.used[k].key));
  if (word != RH_OWN_ERROR) return;
  RULE(is_plain(said->error.message, sizeof said->error.message) && said->error.message[0]);
  RULE(said->error.status != RH_OK && said->error.status != RH_E_WRONG);
}

static void try_own(const char *line, size_t length) {
  rh_peer_message said;
  memset(&said, 0x55, sizeof said);
  check_own(&said, rh_peer_line_read(line, length, 1, RH_OP_sum, RH_TYPE_f32, &said));
}

/* Structs of these bytes, behind each word that one follows. */
static void try_structs(const uint8_t *data, size_t size) {
  static const struct {
    const char *word;
    size_t bytes;
  } of[] = {{"opened", sizeof(rh_opened)}, {"taken", sizeof(rh_taken)},
            {"parts", sizeof(rh_parts)},   {"phase", sizeof(rh_phase)},
            {"log", sizeof(rh_own_log)},   {"progress", sizeof(rh_own_progress)},
            {"error", sizeof(rh_error)}};
  for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
    unsigned char bytes[sizeof(rh_peer_message)] = {0};
    rh_text line = {0};
    memcpy(bytes, data, size < of[k].bytes ? size : of[k].bytes);
    rh_own_line_add(&line, of[k].word, bytes, of[k].bytes);
    try_own(line.s, line.length - 1);
    rh_text_finish(&line);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *line = (const char *)data;
  try_line(line, size, RH_OP_sum, RH_TYPE_f32);
  try_line(line, size, RH_OP_min, RH_TYPE_i8);
  try_line(line, size, RH_OP_argmax, RH_TYPE_u16);
  try_own(line, size);
  try_structs(data, size);
  return 0;
}
