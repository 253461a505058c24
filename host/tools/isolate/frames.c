#include "frames.h"
#include "../../core/base/json_value.h"

#include "../../core/base/text.h"

#include <stdio.h>
#include <string.h>

static const struct {
  const char *name, *words;
} phases[] = {
#define RH_X(name, words) {#name, words},
    RH_PHASE_WORDS(RH_X)
#undef RH_X
};
enum { N_PHASES = sizeof phases / sizeof *phases };

const char *rh_work_phase_words(rh_work_phase phase) {
  return phases[phase].words;
}

/* ---- Writing ----------------------------------------------------------------------------------------------------- */

/* All 64 bits of an unsigned number, in JSON's signed one. */
static json_int_t bits(uint64_t value) {
  return (json_int_t)value;
}

json_t *rh_frame_phase(rh_work_phase phase) {
  return json_pack("{s:s}", "phase", phases[phase].name);
}

static json_t *pack_param(const rh_used_param *param) {
  return json_pack("[o,o,I,i]", rh_json_bytes(param->key), rh_json_bytes(param->text),
                   (json_int_t)param->number, (int)param->is_word);
}

json_t *rh_frame_ready(const rh_facts *facts) {
  const rh_answer *answer = &facts->answer;
  json_t *params = json_array();
  for (uint32_t k = 0; k < facts->n_params; k++)
    json_array_append_new(params, pack_param(&facts->params[k]));
  return json_pack("{s:{s:[I,I,I,I,I], s:o, s:i, s:o}}", "ready", "answer", bits(answer->launches),
                   bits(answer->finishes_on_host), bits(answer->scratch_bytes),
                   bits(answer->local_bytes), bits(answer->depth), "params", params, "from",
                   (int)facts->params_from, "note", rh_json_bytes(facts->params_note));
}

json_t *rh_frame_result(const rh_facts *facts) {
  uint64_t value[2];
  memcpy(value, facts->value, sizeof value);
  return json_pack("{s:[I,I,f,i,I,I,i,f,f]}", "result", bits(value[0]), bits(value[1]),
                   facts->first_s, (int)facts->on_device, bits(facts->builds),
                   bits(facts->builds_cached), (int)facts->in_place, facts->build_s,
                   facts->upload_s);
}

static json_t *pack_median(const rh_median *median) {
  return json_pack("[f,f,I]", median->seconds, median->spread, bits(median->samples));
}

json_t *rh_frame_measured(const rh_facts *facts) {
  const rh_quick *quick = &facts->quick;
  return json_pack("{s:[o,o,I]}", "measured", pack_median(&quick->latency),
                   pack_median(&quick->time), bits(quick->batch));
}

json_t *rh_frame_failed(const rh_error *error) {
  return json_pack("{s:[i,i], s:o}", "failed", (int)error->status, (int)error->cl_code, "message",
                   rh_json_bytes(error->message));
}

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

static int is_count(json_int_t number) {
  return number >= 0 && number <= UINT32_MAX;
}

static rh_frame_kind read_phase(const char *name, rh_frame *frame) {
  for (int k = 0; k < N_PHASES; k++)
    if (strcmp(name, phases[k].name) == 0) {
      frame->phase = (rh_work_phase)k;
      return RH_FRAME_PHASE;
    }
  return RH_FRAME_GARBAGE;
}

static rh_frame_kind read_log(json_t *json, rh_frame *frame) {
  json_int_t level;
  const char *text;
  if (json_unpack(json, "[I,s!]", &level, &text) != 0 || level < RH_LOG_ERROR ||
      level > RH_LOG_DEBUG)
    return RH_FRAME_GARBAGE;
  frame->level = (uint32_t)level;
  rh_copy_plain(frame->text, sizeof frame->text, text);
  return RH_FRAME_LOG;
}

static rh_frame_kind read_progress(json_t *json, rh_frame *frame) {
  static const char *const known[] = {"upload", "measuring"};
  const char *activity;
  json_int_t done, total;
  if (json_unpack(json, "[s,I,I!]", &activity, &done, &total) != 0) return RH_FRAME_GARBAGE;
  frame->activity = "working"; /* it is kept for longer than the line */
  for (size_t k = 0; k < sizeof known / sizeof *known; k++)
    if (strcmp(activity, known[k]) == 0) frame->activity = known[k];
  frame->done = (uint64_t)done;
  frame->total = (uint64_t)total;
  return RH_FRAME_PROGRESS;
}

static int read_params(const json_t *json, rh_facts *facts) {
  size_t n = json_array_size(json);
  if (!json_is_array(json) || n > RH_MAX_PARAMS) return -1;
  for (size_t k = 0; k < n; k++) {
    const char *key, *text;
    json_int_t number;
    int is_word;
    rh_used_param *param = &facts->params[k];
    if (json_unpack(json_array_get(json, k), "[s,s,I,i!]", &key, &text, &number, &is_word) != 0)
      return -1;
    rh_copy_plain(param->key, sizeof param->key, key);
    rh_copy_plain(param->text, sizeof param->text, text);
    param->number = number;
    param->is_word = is_word != 0;
  }
  facts->n_params = (uint32_t)n;
  return 0;
}

static rh_frame_kind read_ready(json_t *json, rh_facts *facts) {
  json_int_t launches, on_host, scratch, local, depth;
  json_t *params;
  const char *note;
  int from;
  rh_facts read = {0};
  if (json_unpack(json, "{s:[I,I,I,I,I!], s:o, s:i, s:s!}", "answer", &launches, &on_host, &scratch,
                  &local, &depth, "params", &params, "from", &from, "note", &note) != 0 ||
      from < 0 || from >= RH_N_PARAMS_FROM || !is_count(launches) ||
      read_params(params, &read) != 0)
    return RH_FRAME_GARBAGE;
  read.answer = (rh_answer){
      .struct_size = sizeof read.answer,
      .launches = (uint32_t)launches,
      .finishes_on_host = on_host != 0,
      .scratch_bytes = (uint64_t)scratch,
      .local_bytes = (uint64_t)local,
      .depth = (uint64_t)depth,
  };
  read.params_from = (uint32_t)from;
  rh_copy_plain(read.params_note, sizeof read.params_note, note);
  *facts = read;
  return RH_FRAME_READY;
}

static rh_frame_kind read_result(json_t *json, rh_facts *facts) {
  json_int_t low, high, builds, cached;
  int on_device, in_place;
  double first_s, build_s, upload_s;
  if (json_unpack(json, "[I,I,F,i,I,I,i,F,F!]", &low, &high, &first_s, &on_device, &builds, &cached,
                  &in_place, &build_s, &upload_s) != 0 ||
      !is_count(builds) || !is_count(cached) || first_s < 0 || build_s < 0 || upload_s < 0)
    return RH_FRAME_GARBAGE;
  uint64_t value[2] = {(uint64_t)low, (uint64_t)high};
  memcpy(facts->value, value, sizeof value);
  facts->first_s = first_s;
  facts->on_device = on_device != 0;
  facts->builds = (uint32_t)builds;
  facts->builds_cached = (uint32_t)cached;
  facts->in_place = in_place != 0;
  facts->build_s = build_s;
  facts->upload_s = upload_s;
  return RH_FRAME_RESULT;
}

static int read_median(json_t *json, rh_median *median) {
  double seconds, spread;
  json_int_t samples;
  if (json_unpack(json, "[F,F,I!]", &seconds, &spread, &samples) != 0 || !is_count(samples) ||
      seconds < 0 || spread < 0)
    return -1;
  *median = (rh_median){seconds, spread, (uint32_t)samples};
  return 0;
}

static rh_frame_kind read_measured(json_t *json, rh_facts *facts) {
  json_t *latency, *time;
  json_int_t batch;
  rh_quick quick = {0};
  if (json_unpack(json, "[o,o,I!]", &latency, &time, &batch) != 0 || !is_count(batch) ||
      read_median(latency, &quick.latency) != 0 || read_median(time, &quick.time) != 0)
    return RH_FRAME_GARBAGE;
  quick.batch = (uint32_t)batch;
  facts->quick = quick;
  facts->measured = 1;
  return RH_FRAME_MEASURED;
}

static rh_frame_kind read_failed(json_t *json, const char *message, rh_frame *frame) {
  int status, code;
  if (json_unpack(json, "[i,i!]", &status, &code) != 0) return RH_FRAME_GARBAGE;
  switch (status) {
#define RH_X(name, number, text)                                                                   \
  case name: break;
    RH_STATUS_LIST(RH_X)
#undef RH_X
  default: return RH_FRAME_GARBAGE;
  }
  if (status == RH_OK || status == RH_E_WRONG || !*message) return RH_FRAME_GARBAGE;
  frame->status = status;
  frame->code = code;
  rh_copy_plain(frame->text, sizeof frame->text, message);
  return RH_FRAME_FAILED;
}

static rh_frame_kind read_object(json_t *json, rh_frame *frame, rh_facts *facts) {
  json_t *body;
  const char *text;
  json_int_t number;
  if (json_unpack(json, "{s:s!}", "phase", &text) == 0) return read_phase(text, frame);
  if (json_unpack(json, "{s:o!}", "log", &body) == 0) return read_log(body, frame);
  if (json_unpack(json, "{s:o!}", "progress", &body) == 0) return read_progress(body, frame);
  if (json_unpack(json, "{s:o!}", "ready", &body) == 0) return read_ready(body, facts);
  if (json_unpack(json, "{s:o!}", "result", &body) == 0) return read_result(body, facts);
  if (json_unpack(json, "{s:o!}", "measured", &body) == 0) return read_measured(body, facts);
  if (json_unpack(json, "{s:o, s:s!}", "failed", &body, "message", &text) == 0)
    return read_failed(body, text, frame);
  if (json_unpack(json, "{s:I!}", "redhost-work", &number) == 0)
    return number == RH_WORK_VERSION ? RH_FRAME_HELLO : RH_FRAME_GARBAGE;
  if (json_unpack(json, "{s:I!}", "done", &number) == 0 && number >= 0) {
    frame->done = (uint64_t)number;
    return RH_FRAME_DONE;
  }
  return RH_FRAME_GARBAGE;
}

rh_frame_kind rh_frame_read(const char *line, size_t length, rh_frame *frame, rh_facts *facts) {
  memset(frame, 0, sizeof *frame);
  json_t *json = json_loadb(line, length, JSON_REJECT_DUPLICATES, NULL);
  rh_frame_kind kind = json_is_object(json) ? read_object(json, frame, facts) : RH_FRAME_GARBAGE;
  json_decref(json);
  return kind;
}
