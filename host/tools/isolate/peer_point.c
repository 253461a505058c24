#include "internal.h"

static rh_status report_refusal(const rh_peer *me, const rh_peer_message *said, rh_status status,
                                rh_error *error) {
  return rh_fail(error, status, "%s: %s", me->name, said->text);
}

/* Sends a question and expects one kind of answer. A refusal ends the point; an unexpected
 * answer ends the process. */
static rh_status ask_for(rh_peer *me, const rh_peer_question *question, rh_peer_word expected,
                         rh_peer_message *said, rh_error *error) {
  rh_peer_word word;
  RH_TRY(rh_peer_process_ask(&me->peers->process, question, &word, said, error));
  if (word == expected) return RH_OK;
  if (word == RH_PEER_FAILED && expected != RH_PEER_CLOSED)
    return report_refusal(me, said, RH_E_PLUGIN, error);
  if (word == RH_PEER_DECLINED && expected == RH_PEER_OPENED)
    return report_refusal(me, said, RH_DECLINED, error);
  return rh_peer_process_protocol_error(&me->peers->process, "answered something else", error);
}

/* Their number, and the length and the number side by side, or 0 0; the places in the file. */
static void add_segments(rh_text *line, const rh_peer *me, const rh_bench_data *data) {
  const rh_peer_places places = rh_peer_places_of(me, data);
  if (!data->lengths) return;
  const rh_layout *layout = &data->lengths->layout;
  rh_text_add(line, " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, layout->segments,
              layout->length, layout->inner, places.offsets, places.results);
}

/* "sum f32", or "own:0" of one of the users' operators and the type of its base. */
static void add_problem(rh_text *line, const rh_peer *me, const rh_bench_data *data) {
  uint32_t k = 0;
  while (k < me->peers->n_own && &me->peers->own[k]->face != data->op) k++;
  if (data->op->is_custom) rh_text_add(line, "own:%u %s", k, rh_type_name(data->op->type));
  else rh_text_add(line, "%s %s", data->op->name, rh_type_name(data->op->type));
  rh_text_add(line, " %" PRIu64 " %" PRIu64 " %" PRIu64, data->n, data->copies, data->stride);
  add_segments(line, me, data);
  for (k = 0; data->op->is_custom && k < data->op->n_operands; k++)
    rh_text_add(line, " %" PRIu64, data->offsets[k]);
}

/* "open", "segments" or "ask" */
static rh_status ask_for_point(rh_peer *me, const char *verb, const rh_bench_data *data,
                               rh_peer_message *said, rh_error *error) {
  rh_text line = {0};
  rh_phase phase = strcmp(verb, "ask") == 0 ? RH_PHASE_query : RH_PHASE_setup;
  rh_text_add(&line, "%s %s ", verb, me->name);
  add_problem(&line, me, data);
  rh_text_add(&line, "\n");
  if (line.failed) return rh_fail(error, RH_E_NOMEM, "no memory for a question");
  rh_peer_question question = {line.s, me->name, verb, phase, data->op->base, data->op->type};
  /* A redhost child is closed after any answer, because it has opened a plugin. */
  if (me->peers->process.own.role) me->opened_in = me->peers->process.starts;
  rh_status status = ask_for(me, &question, RH_PEER_OPENED, said, error);
  rh_text_finish(&line);
  return status;
}

static void note_opened(rh_peer *me, const rh_peer_message *said, rh_opened *opened) {
  const rh_opened *noted = &me->peers->process.own.noted;
  *opened = said->opened;
  opened->launches = said->launches;
  opened->host_clock = !said->device;
  rh_copy_plain(opened->params, sizeof opened->params, said->text);
  opened->scratch_bytes = noted->scratch_bytes;
  opened->local_bytes = noted->local_bytes;
  opened->in_place = noted->in_place;
  opened->n_used = noted->n_used;
  memcpy(opened->used, noted->used, noted->n_used * sizeof *noted->used);
  snprintf(opened->params_note, sizeof opened->params_note, "%s", noted->params_note);
  me->has_parts = said->has_parts;
}

/* Finds what its value will be of; where the first result is the value, it says 0. */
static void take_operator(rh_peer *me, const rh_bench_data *data) {
  const rh_custom *custom = rh_custom_of(data->op);
  me->op = data->op->base;
  me->type = data->op->type;
  me->n_fields = data->op->n_results;
  me->has_index = data->op->is_custom && rh_custom_keeps_index(custom);
  if (me->has_index) {
    me->op = custom->parts[0].op;
    me->type = custom->parts[0].type;
  } else if (me->n_fields) {
    me->op = RH_OP_sum;
    me->type = RH_TYPE_f64;
  }
  me->segmented = (rh_bench_data){0};
  if (!data->lengths) return;
  me->segmented = *data;
  me->op = RH_OP_sum; /* in place of a value, it says 0 */
  me->type = RH_TYPE_f64;
  me->has_index = 0;
  me->n_fields = 0;
}

rh_status rh_peer_open(void *self, const rh_bench_data *data, rh_opened *opened, rh_error *error) {
  rh_peer *me = self;
  rh_peer_message said;
  *opened = (rh_opened){0};
  take_operator(me, data);
  if (data->lengths) RH_TRY(rh_layout_check(&data->lengths->layout, data->op, data->n, error));
  RH_TRY(rh_peers_bind_data(me->peers, data, error));
  RH_TRY(rh_peers_ensure_running(me->peers, error));
  RH_TRY(rh_peer_hold_data(me, data, error));
  RH_TRY(ask_for_point(me, data->lengths ? "segments" : "open", data, &said, error));
  me->opened_in = me->peers->process.starts;
  note_opened(me, &said, opened);
  return RH_OK;
}

rh_status rh_peer_ask(void *self, const rh_bench_data *data, rh_opened *opened, rh_error *error) {
  rh_peer *me = self;
  rh_peer_message said;
  *opened = (rh_opened){0};
  RH_TRY(rh_peers_bind_data(me->peers, data, error));
  RH_TRY(rh_peers_ensure_running(me->peers, error));
  RH_TRY(ask_for_point(me, "ask", data, &said, error));
  note_opened(me, &said, opened);
  return RH_OK;
}

static int is_open(const rh_peer *me) {
  return me->peers->process.runs && me->opened_in == me->peers->process.starts;
}

/* Asks about the point that is open: "take good device 3", of which `rest` is what follows the
 * name. */
static rh_status ask_about(rh_peer *me, const char *verb, const char *rest, rh_phase phase,
                           rh_peer_word expected, rh_peer_message *said, rh_error *error) {
  char line[128];
  const rh_peer_question question = {line, me->name, verb, phase, me->op, me->type};
  if (!is_open(me))
    return rh_fail(error, RH_E_PLUGIN, "%s: its process was lost with another peer: %s", me->name,
                   me->peers->process.why);
  snprintf(line, sizeof line, "%s %s%s\n", verb, me->name, rest);
  return ask_for(me, &question, expected, said, error);
}

/* The results of a user's operator, of which the first is its value, unless that has an index. */
static void take_fields(const rh_peer *me, rh_result *result) {
  const rh_peer_own *own = &me->peers->process.own;
  result->n_fields = me->n_fields;
  memcpy(result->fields, own->fields, me->n_fields * sizeof *own->fields);
  if (!me->n_fields || me->has_index) return;
  result->type = result->fields[0].type;
  memcpy(&result->value, &result->fields[0].value, sizeof result->value);
}

rh_status rh_peer_take(void *self, const rh_take *take, rh_taken *taken, rh_error *error) {
  rh_peer *me = self;
  rh_peer_process *process = &me->peers->process;
  char rest[32];
  rh_peer_message said;
  snprintf(rest, sizeof rest, " %s %u",
           take->kind == RH_TAKE_DEVICE  ? "device"
           : take->kind == RH_TAKE_HOST  ? "host"
           : take->kind == RH_TAKE_CHUNK ? "chunk"
                                         : "latency",
           take->batch);
  RH_TRY(ask_about(me, "take", rest, RH_PHASE_run, RH_PEER_TAKEN, &said, error));
  if (said.device && take->kind != RH_TAKE_DEVICE)
    return rh_peer_process_protocol_error(process, "used the device's clock instead of the host's",
                                          error);
  process->losses = 0;
  *taken = (rh_taken){said.seconds, said.device, said.result};
  if (process->own.n_fields != me->n_fields)
    return rh_peer_process_protocol_error(process, "gave other fields", error);
  take_fields(me, &taken->result);
  snprintf(taken->result.strategy, sizeof taken->result.strategy, "%s", me->name);
  return RH_OK;
}

rh_status rh_peer_parts(void *self, rh_part *parts, uint32_t *n_parts, double *host_share_s,
                        rh_error *error) {
  rh_peer *me = self;
  rh_peer_message said;
  *n_parts = 0;
  if (!me->has_parts || !is_open(me)) return RH_OK;
  RH_TRY(ask_about(me, "parts", "", RH_PHASE_run, RH_PEER_PARTS, &said, error));
  memcpy(parts, said.parts, said.n_parts * sizeof *parts);
  *n_parts = said.n_parts;
  *host_share_s = said.host_share_s;
  return RH_OK;
}

/* If the process is lost here, `why` keeps the reason for the other samplers whose points it had
 * open. */
rh_status rh_peer_close(void *self, rh_error *error) {
  rh_peer *me = self;
  rh_peer_message said;
  rh_status status = RH_OK;
  if (is_open(me))
    status = ask_about(me, "close", "", RH_PHASE_teardown, RH_PEER_CLOSED, &said, error);
  me->peers->process.own.logs = 0;
  me->opened_in = 0;
  rh_peer_release_data(me);
  return status;
}

/* ---- The results of segments, which a program writes behind the data that it got ---- */

/* The element at the index that a program names, as a value. */
static rh_status load_indexed(const rh_bench_data *data, uint64_t s, const void *result, void *to,
                              rh_error *error) {
  const rh_layout *layout = &data->lengths->layout;
  uint64_t length = rh_layout_length(layout, s), size = rh_type_size(data->op->type), index;
  memcpy(&index, result, sizeof index);
  if (index >= length)
    return rh_fail(error, RH_E_WRONG, "segment %llu: returned index %lld, of %llu elements",
                   (unsigned long long)s, (long long)index, (unsigned long long)length);
  uint64_t inner = layout->kind == RH_LAYOUT_AXIS ? layout->inner : 1;
  const char *first = (const char *)data->elements + rh_layout_first(layout, s) * size;
  data->op->abi->load(to, first + index * (inner - 1) * size, index);
  return RH_OK;
}

/* Values of sums are results; others are made of one as of an element. */
static const rh_op *loader_of(const rh_operator *op) {
  rh_type result = rh_op_result_type(op->base, op->type);
  int is_float = rh_type_is_float(op->type);
  if (op->base == RH_OP_prod && is_float) return rh_op_find(RH_OP_prod, result);
  if (rh_op_is_arithmetic(op->base) || (op->base == RH_OP_amax && !is_float)) return NULL;
  return op->abi;
}

static rh_status to_values(const rh_bench_data *data, const char *results, uint64_t size, char *to,
                           rh_error *error) {
  const rh_operator *op = data->op;
  const rh_op *loads = loader_of(op);
  uint32_t bytes = op->abi->value_size;
  int is_indexed = (op->abi->flags & RH_OP_INDEXED) != 0;
  for (uint64_t s = 0; s < data->lengths->layout.segments; s++, results += size, to += bytes) {
    if (is_indexed) {
      RH_TRY(load_indexed(data, s, results, to, error));
    } else if (loads) {
      loads->load(to, results, 0);
    } else {
      memset(to, 0, bytes);
      memcpy(to, results, size < bytes ? size : bytes);
    }
  }
  return RH_OK;
}

rh_status rh_peer_values(void *self, void *to, rh_error *error) {
  rh_peer *me = self;
  rh_peers *peers = me->peers;
  const rh_bench_data *data = &me->segmented;
  const rh_peer_places places = rh_peer_places_of(me, data);
  uint64_t bytes = data->lengths->layout.segments * places.result_bytes;
  int is_own = peers->process.own.role != NULL;
  char *results = to;
  size_t done;
  rh_peer_message said;
  /* Those of another peer of the program may stand there. */
  if (bytes && fallocate(peers->data, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                         (off_t)places.results, (off_t)bytes) != 0)
    return rh_fail(error, RH_E_PLUGIN, "%s: its results cannot be taken: %s", me->name,
                   strerror(errno));
  RH_TRY(ask_about(me, "values", "", RH_PHASE_run, RH_PEER_VALUED, &said, error));
  if (!is_own) RH_TRY(rh_alloc(&results, bytes + 1, 1, "a peer's results", error));
  rh_status status = RH_OK;
  if (rh_read_all(peers->data, results, bytes, places.results, &done) != 0 || done != bytes)
    status = rh_fail(error, RH_E_PLUGIN, "%s: its results cannot be read", me->name);
  if (status == RH_OK && !is_own) status = to_values(data, results, places.result_bytes, to, error);
  if (!is_own) free(results);
  return status;
}
