#include "internal.h"

/* ---- The data, in one file of a program, which holds some only while a point is open ---- */

/* Of a point with segments: where the offsets stand in the file, and the results. */
typedef struct places {
  uint64_t offsets, results, result_bytes; /* bytes: of one result */
  uint64_t end;
} places;

static uint64_t aligned(uint64_t bytes) { return (bytes + 63) / 64 * 64; }

/* Programs answer with results, and redhost's own children with values. */
static uint64_t result_bytes(const rh_peer *me, const rh_operator *op) {
  if (me->peers->role) return op->abi->value_size;
  if (rh_op_flags(op->base, op->type) & RH_OP_INDEXED) return sizeof(int64_t);
  return rh_type_size(rh_op_result_type(op->base, op->type));
}

static places places_of(const rh_peer *me, const rh_bench_data *data) {
  const rh_lengths *lengths = data->lengths;
  places at = {.end = rh_bench_data_bytes(data)};
  if (!lengths) return at;
  uint64_t segments = lengths->layout.segments;
  at.offsets = aligned(at.end);
  at.results =
      aligned(at.offsets + (lengths->offsets ? (segments + 1) * sizeof *lengths->offsets : 0));
  at.result_bytes = result_bytes(me, data->op);
  at.end = at.results + segments * at.result_bytes;
  return at;
}

/* The elements, and behind them the offsets of segments and room for results. */
static int write_data(const rh_peer *me, const rh_bench_data *data) {
  const places at = places_of(me, data);
  int file = me->peers->data;
  if (ftruncate(file, 0) != 0) return -1;
  if (rh_write_all(file, data->elements, rh_bench_data_bytes(data), 0) != 0) return -1;
  if (!data->lengths) return 0;
  if (data->lengths->offsets &&
      rh_write_all(file, data->lengths->offsets,
                   (data->lengths->layout.segments + 1) * sizeof *data->lengths->offsets,
                   at.offsets) != 0)
    return -1;
  return ftruncate(file, (off_t)at.end);
}

/* All points that are open at a time are of the same data. */
static rh_status hold_data(rh_peer *me, const rh_bench_data *data, rh_error *error) {
  rh_peers *peers = me->peers;
  if (data->region) return RH_OK; /* the process maps the region */
  if (!peers->n_holding && write_data(me, data) != 0)
    return rh_fail(error, RH_E_NOMEM, "%s: no memory to hand over %" PRIu64 " bytes: %s", me->name,
                   places_of(me, data).end, strerror(errno));
  peers->n_holding++;
  me->holds_data = 1;
  return RH_OK;
}

/* ---- Questions ---- */

/* Sends a question and expects one kind of answer. A refusal ends the point; an unexpected
 * answer ends the process. */
static rh_status ask_for(rh_peer *me, const rh_peer_question *question, rh_peer_word expected,
                         rh_error *error) {
  rh_peers *peers = me->peers;
  RH_TRY(rh_peers_ask(peers, question, error));
  if (peers->word == expected) return RH_OK;
  if (peers->word == RH_PEER_FAILED && expected != RH_PEER_CLOSED)
    return rh_fail(error, RH_E_PLUGIN, "%s: %s", me->name, peers->said.text);
  if (peers->word == RH_PEER_DECLINED && expected == RH_PEER_OPENED)
    return rh_fail(error, RH_DECLINED, "%s: %s", me->name, peers->said.text);
  return rh_peers_protocol_error(peers, "answered something else", error);
}

/* Of segments: their number, and the length and the number side by side, or 0 0; the places in the
 * file. */
static void ask_program(rh_text *line, const rh_peer *me, const rh_bench_data *data) {
  const places at = places_of(me, data);
  rh_text_add(line, "%s %s %s %s %" PRIu64 " %" PRIu64 " %" PRIu64,
              data->lengths ? "segments" : "open", me->name, data->op->name,
              rh_type_name(data->op->type), data->n, data->copies, data->stride);
  if (data->lengths) {
    const rh_layout *layout = &data->lengths->layout;
    rh_text_add(line, " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, layout->segments,
                layout->length, layout->inner, at.offsets, at.results);
  }
  rh_text_add(line, "\n");
}

static void ask_own(rh_text *line, const rh_peer *me, const char *verb, const rh_bench_data *data) {
  const rh_peers *peers = me->peers;
  const places at = places_of(me, data);
  rh_own_point point = {.data = *data,
                        .op = data->op->base,
                        .type = data->op->type,
                        .own = peers->n_own,
                        .offsets_at = at.offsets,
                        .results_at = at.results,
                        .region_bytes = data->region ? data->region->bytes : 0};
  for (uint32_t k = 0; k < peers->n_own; k++)
    if (&peers->own[k]->face == data->op) point.own = k;
  if (data->lengths) point.layout = data->lengths->layout;
  for (uint32_t k = 0; data->op->is_custom && k < data->op->n_operands; k++)
    point.operands[k] = data->offsets[k];
  rh_own_line_add(line, verb, &point, sizeof point);
}

/* "open" or "ask" */
static rh_status ask_for_point(rh_peer *me, const char *verb, const rh_bench_data *data,
                               rh_opened *opened, rh_error *error) {
  RH_FINISHED(rh_text) line = {0};
  if (me->peers->role) ask_own(&line, me, verb, data);
  else ask_program(&line, me, data);
  if (line.failed) return rh_fail(error, RH_E_NOMEM, "no memory for a question");
  rh_peer_question question = {line.s, me->name, verb, data->op->base, data->op->type};
  /* A redhost child is closed after any answer, because it has opened a plugin. */
  if (me->peers->role) me->opened_in = me->peers->starts;
  RH_TRY(ask_for(me, &question, RH_PEER_OPENED, error));
  *opened = me->peers->said.opened;
  return RH_OK;
}

static rh_status peer_open(void *self, const rh_bench_data *data, rh_opened *opened,
                           rh_error *error) {
  rh_peer *me = self;
  *opened = (rh_opened){0};
  me->data = *data;
  if (data->lengths) RH_TRY(rh_layout_check(&data->lengths->layout, data->op, data->n, error));
  RH_TRY(rh_peers_run(me->peers, data, error));
  RH_TRY(hold_data(me, data, error));
  RH_TRY(ask_for_point(me, "open", data, opened, error));
  me->opened_in = me->peers->starts;
  return RH_OK;
}

static rh_status peer_ask(void *self, const rh_bench_data *data, rh_opened *opened,
                          rh_error *error) {
  rh_peer *me = self;
  *opened = (rh_opened){0};
  RH_TRY(rh_peers_run(me->peers, data, error));
  return ask_for_point(me, "ask", data, opened, error);
}

static int is_open(const rh_peer *me) {
  return me->peers->runs && me->opened_in == me->peers->starts;
}

/* Asks about the point that is open: "take good device 3", of which `rest` is what follows the
 * name.  With segments, the value of a sample is 0. */
static rh_status ask_about(rh_peer *me, const char *verb, const char *rest, rh_peer_word expected,
                           rh_error *error) {
  char line[128];
  const rh_operator *op = me->data.lengths ? NULL : me->data.op;
  const rh_peer_question question = {line, me->name, verb, op ? op->base : RH_OP_sum,
                                     op ? op->type : RH_TYPE_f64};
  if (!is_open(me))
    return rh_fail(error, RH_E_PLUGIN, "%s: its process was lost with another peer: %s", me->name,
                   me->peers->why);
  snprintf(line, sizeof line, "%s %s%s\n", verb, me->name, rest);
  return ask_for(me, &question, expected, error);
}

static rh_status peer_take(void *self, const rh_take *take, rh_taken *taken, rh_error *error) {
  rh_peer *me = self;
  rh_peers *peers = me->peers;
  const char *kind = take->kind == RH_TAKE_DEVICE ? "device"
                     : take->kind == RH_TAKE_HOST ? "host"
                                                  : "latency";
  char rest[32];
  if (peers->role) snprintf(rest, sizeof rest, " %u %u", take->kind, take->batch);
  else snprintf(rest, sizeof rest, " %s %u", kind, take->batch);
  RH_TRY(ask_about(me, "take", rest, RH_PEER_TAKEN, error));
  *taken = peers->said.taken;
  if (taken->stamped && take->kind != RH_TAKE_DEVICE)
    return rh_peers_protocol_error(peers, "used the device's clock instead of the host's", error);
  peers->losses = 0;
  if (taken->result.n_fields != (me->data.lengths ? 0 : me->data.op->n_results))
    return rh_peers_protocol_error(peers, "gave other fields", error);
  snprintf(taken->result.strategy, sizeof taken->result.strategy, "%s", me->name);
  return RH_OK;
}

static rh_status peer_parts(void *self, rh_parts *parts, rh_error *error) {
  rh_peer *me = self;
  *parts = (rh_parts){.n = 0};
  if (!is_open(me)) return RH_OK;
  RH_TRY(ask_about(me, "parts", "", RH_PEER_PARTS, error));
  *parts = me->peers->said.parts;
  return RH_OK;
}

/* If the process is lost here, `why` keeps the reason for the other samplers whose points it had
 * open. */
static rh_status peer_close(void *self, rh_error *error) {
  rh_peer *me = self;
  rh_peers *peers = me->peers;
  rh_status status = RH_OK;
  if (is_open(me)) status = ask_about(me, "close", "", RH_PEER_CLOSED, error);
  peers->logs = 0;
  me->opened_in = 0;
  if (!me->holds_data) return status;
  me->holds_data = 0;
  /* If this fails, the memory is released later. */
  if (--peers->n_holding == 0 && ftruncate(peers->data, 0) != 0) return status;
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

static rh_status peer_values(void *self, void *to, rh_error *error) {
  rh_peer *me = self;
  rh_peers *peers = me->peers;
  const rh_bench_data *data = &me->data;
  const places at = places_of(me, data);
  uint64_t bytes = data->lengths->layout.segments * at.result_bytes;
  RH_FREED(char) of_program = NULL;
  char *results = to;
  size_t done;
  /* Those of another peer of the program may stand there. */
  if (bytes && fallocate(peers->data, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)at.results,
                         (off_t)bytes) != 0)
    return rh_fail(error, RH_E_PLUGIN, "%s: its results cannot be taken: %s", me->name,
                   strerror(errno));
  RH_TRY(ask_about(me, "values", "", RH_PEER_VALUED, error));
  if (!peers->role) {
    RH_TRY(RH_NEW(&of_program, bytes + 1, "a peer's results", error));
    results = of_program;
  }
  if (rh_read_all(peers->data, results, bytes, at.results, &done) != 0 || done != bytes)
    return rh_fail(error, RH_E_PLUGIN, "%s: its results cannot be read", me->name);
  return peers->role ? RH_OK : to_values(data, results, at.result_bytes, to, error);
}

/* ---- The sampler ---- */

static void finish_strategy(void *self) { rh_peers_finish(((rh_peer *)self)->peers); }

/* Peers share a process, which ends with rh_peers_finish. */
static void finish_peer(void *self) { (void)self; }

rh_sampler rh_peers_sampler(rh_peers *peers, uint32_t k) {
  int is_own = peers->role != NULL;
  rh_sampler sampler = {
      .self = &peers->list[k],
      .is_peer = !is_own,
      .reproducible = RH_BITS_VARY, /* peers promise nothing */
      .ask = is_own ? peer_ask : NULL,
      .open = peer_open,
      .take = peer_take,
      .parts = is_own ? peer_parts : NULL,
      .values = peer_values,
      .close = peer_close,
      .finish = is_own ? finish_strategy : finish_peer,
  };
  snprintf(sampler.name, sizeof sampler.name, "%s", peers->list[k].name);
  return sampler;
}
