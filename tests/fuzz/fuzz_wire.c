/* host/core/plug, host/tools/isolate: a line from a child process, in which a stranger's code runs.  Tried as what a worker says, as
 * a strategy that a probe describes, and as a request. */
#include "../../host/core/plug/plugin.h"
#include "../../host/core/plug/wire.h"
#include "../../host/tools/isolate/frames.h"
#include "fuzz.h"

static int is_plain_line(const char *s) {
  for (; *s; s++)
    if ((unsigned char)*s < 0x20 || *s == 0x7f) return 0;
  return 1;
}

static void check_params(const rh_facts *facts) {
  RULE(facts->n_params <= RH_MAX_PARAMS);
  for (uint32_t k = 0; k < facts->n_params; k++) {
    const rh_used_param *param = &facts->params[k];
    RULE(memchr(param->key, 0, sizeof param->key) && is_plain_line(param->key));
    RULE(memchr(param->text, 0, sizeof param->text) && is_plain_line(param->text));
  }
}

/* Facts change only by a frame that is about them. */
static void try_frame(const char *line, size_t length) {
  rh_frame frame;
  rh_facts facts, before;
  memset(&facts, 0, sizeof facts);
  facts.n_params = 1;
  before = facts;
  memset(&frame, 0x55, sizeof frame);
  rh_frame_kind kind = rh_frame_read(line, length, &frame, &facts);
  RULE(memchr(frame.text, 0, sizeof frame.text) && is_plain_line(frame.text));
  if (kind == RH_FRAME_READY)
    check_params(&facts);
  else if (kind == RH_FRAME_RESULT)
    RULE(facts.first_s >= 0 && facts.build_s >= 0 && facts.upload_s >= 0);
  else if (kind == RH_FRAME_MEASURED)
    RULE(facts.measured && facts.quick.time.seconds >= 0 && facts.quick.latency.seconds >= 0);
  else
    RULE(memcmp(&facts, &before, sizeof facts) == 0);
  if (kind == RH_FRAME_FAILED) RULE(frame.status && frame.text[0]);
  if (kind == RH_FRAME_PHASE) RULE(rh_work_phase_words(frame.phase));
  if (kind == RH_FRAME_PROGRESS) RULE(frame.activity);
}

static void try_entry(const char *line, size_t length) {
  rh_entry entry;
  json_t *json = json_loadb(line, length, JSON_REJECT_DUPLICATES, NULL);
  memset(&entry, 0x55, sizeof entry);
  if (rh_wire_read_entry(json, &entry) == 0) {
    RULE(rh_strategy_name_is_valid(entry.name));
    RULE(entry.summary && entry.about && entry.version && entry.author && entry.license);
    RULE(entry.build && !entry.path && !entry.shadowed_by && entry.n_params <= 64);
    for (uint32_t k = 0; k < entry.n_params; k++) RULE(entry.params[k].key && entry.params[k].doc);
    for (uint32_t op = 0; op <= RH_N_OPS; op++)
      for (uint32_t type = 0; type <= RH_N_TYPES; type++) {
        const rh_answer *answer = &entry.offers[op][type].answer;
        RULE(memchr(answer->reason, 0, sizeof answer->reason));
      }
    rh_entry_finish(&entry);
  }
  RULE(!entry.name && !entry.params && !entry.n_params);
  json_decref(json);
}

static void try_request(const uint8_t *data, size_t size) {
  rh_child_request request;
  rh_device device;
  uint64_t max_n;
  char *bytes = malloc(size ? size : 1);
  RULE(bytes);
  if (size) memcpy(bytes, data, size);
  if (rh_request_parse(&request, bytes, size) != 0) return;
  size_t length = 0;
  for (const char *path = NULL; (path = rh_request_next(&request, "file", path));)
    length += strlen(path) + sizeof "file=";
  RULE(length < size);
  if (rh_wire_read_request(&request, &device, &max_n) == 0)
    RULE(device.name && device.driver && device.extensions);
  rh_request_finish(&request);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  try_frame((const char *)data, size);
  try_entry((const char *)data, size);
  try_request(data, size);
  return 0;
}
