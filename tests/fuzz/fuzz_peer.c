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
  RULE(said->n_parts <= RH_MAX_PARTS && is_duration(said->host_share_s));
  for (uint32_t k = 0; k < said->n_parts; k++) {
    const rh_part *part = &said->parts[k];
    RULE(part->stage[0] && is_plain(part->stage, sizeof part->stage));
    RULE(is_duration(part->seconds));
  }
}

static void check_taken(const rh_peer_message *said, uint32_t op, rh_type type) {
  const rh_result *result = &said->result;
  RULE(isfinite(said->seconds) && said->seconds > 0);
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
  if (word == RH_PEER_PARTS) check_parts(&said);
  if (word == RH_PEER_TAKEN) check_taken(&said, op, type);
}

static void try_own(const char *line, size_t length) {
  rh_peer_message said;
  memset(&said, 0x55, sizeof said);
  rh_peer_word word = rh_peer_line_read(line, length, 1, RH_OP_sum, RH_TYPE_f32, &said);
  RULE(is_plain(said.text, sizeof said.text));
  RULE(is_plain(said.error.message, sizeof said.error.message));
  RULE(is_plain(said.param.key, sizeof said.param.key));
  RULE(is_plain(said.param.text, sizeof said.param.text));
  if (word == RH_OWN_PHASE) RULE(rh_phase_words(said.phase));
  if (word == RH_OWN_PROGRESS) RULE(said.activity);
  if (word == RH_OWN_PARAM) RULE(said.param.key[0]);
  if (word == RH_OWN_ERROR)
    RULE(said.error.status != RH_OK && said.error.status != RH_E_WRONG && said.error.message[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *line = (const char *)data;
  try_line(line, size, RH_OP_sum, RH_TYPE_f32);
  try_line(line, size, RH_OP_min, RH_TYPE_i8);
  try_line(line, size, RH_OP_argmax, RH_TYPE_u16);
  try_own(line, size);
  return 0;
}
