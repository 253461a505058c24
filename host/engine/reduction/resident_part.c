#include "reduction.h"

/* ---- Nodes ---- */

static uint64_t least_of(uint64_t a, uint64_t b) { return a < b ? a : b; }

static void list_nodes(rh_resident_part *part, const rh_job_spec *job, uint64_t at, uint64_t end) {
  uint64_t tile = rh_partial_tile(job), whole = job->operation.n;
  uint64_t all = whole / tile + (whole % tile != 0);
  for (uint64_t tiles; at < end; at += tiles) {
    uint32_t level = rh_partition_level(at, end, all);
    tiles = least_of(UINT64_C(1) << level, end - at);
    part->nodes[part->n_nodes++] = (rh_partial_chunk){
        .first = at * tile, .n = least_of(tiles * tile, whole - at * tile), .level = level};
  }
  if (whole == 0) part->n_nodes = 1; /* of nothing: an empty one */
}

static const rh_partial_chunk *largest_node(const rh_resident_part *part) {
  const rh_partial_chunk *largest = part->nodes;
  for (uint32_t k = 1; k < part->n_nodes; k++)
    if (part->nodes[k].n > largest->n) largest = &part->nodes[k];
  return largest;
}

static rh_status make_nodes(rh_resident_part *part, const rh_job_spec *job, uint64_t first,
                            uint64_t end, rh_error *error) {
  enum { MOST = 128 }; /* one of each level on the way up, and on the way down */
  uint32_t size = job->operation.op->abi->value_size;
  RH_TRY(RH_NEW(&part->nodes, MOST, "a device's part", error));
  list_nodes(part, job, first, end);
  RH_TRY(rh_alloc(&part->fetched, part->n_nodes, RH_ANY_VALUE_BYTES, "a device's part", error));
  part->first = part->nodes[0].first;
  for (uint32_t k = 0; k < part->n_nodes; k++) {
    part->n += part->nodes[k].n;
    part->nodes[k].value = part->fetched + (size_t)k * size;
  }
  return RH_OK;
}

/* ---- Room for the elements ---- */

static int is_in_host_memory(const rh_resident_part *part) {
  return !part->job.device || part->job.device->shares_memory;
}

static rh_status make_room(rh_resident_part *part, rh_error *error) {
  if (part->job.device)
    RH_TRY(rh_cl_input_fits(part->job.device, part->bytes, part->job.spec.operation.what, error));
  if (is_in_host_memory(part)) return rh_region_alloc(&part->region, part->bytes, error);
  return rh_cl_input_reserve(&part->input, part->job.instance_spec.session, part->bytes, 1, error);
}

/* ---- Setting up ---- */

static rh_status set_up(rh_resident_part *part, int check, rh_error *error) {
  rh_job *job = &part->job;
  RH_TRY(rh_job_instantiate(job, error));
  RH_TRY(rh_stream_try(job, check, error));
  rh_status status = make_room(part, error);
  job->context->device_failed |= status != RH_OK;
  RH_TRY(status);
  part->waits = !job->device || job->answer.finishes_on_host;
  if (part->waits) return RH_OK;
  return rh_cl_buffer(job->instance_spec.session, CL_MEM_READ_WRITE,
                      (uint64_t)part->n_nodes * RH_ANY_VALUE_BYTES, NULL,
                      "allocating the parts' values", &part->values, error);
}

rh_status rh_resident_part_init(rh_resident_part *part, rh_context *context, const rh_job_spec *job,
                                uint64_t first, uint64_t end, int check, rh_error *error) {
  rh_job_spec own = *job;
  *part = (rh_resident_part){.whole_n = own.operation.n};
  RH_TRY(make_nodes(part, job, first, end, error));
  own.operation.n = part->n;
  part->bytes = rh_operand_layout(&own, part->offsets);
  own.operation.n = largest_node(part)->n;
  rh_operand_layout(&own, own.offsets);
  RH_TRY(rh_job_init(&part->job, context, &own, error));
  return set_up(part, check, error);
}

void rh_resident_part_finish(rh_resident_part *part) {
  if (part->job.instance_spec.session) rh_cl_finish(part->job.instance_spec.session->queue);
  rh_job_finish(&part->job);
  rh_cl_release_buffer(part->values);
  rh_cl_input_finish(&part->input);
  rh_region_finish(&part->region);
  free(part->nodes);
  free(part->fetched);
  *part = (rh_resident_part){0};
}

/* ---- Elements ---- */

enum {
  MOST_LEVEL = 11 /* of a piece, 2^level tiles of 2 KiB: 4 MiB stay in a processor's cache */
};

/* All pieces of the elements on their way. */
typedef struct load {
  rh_resident *of;
  rh_partial *facts;
  pthread_t caller; /* in whose thread progress is reported */
  uint64_t piece_n; /* elements of one, which has 2^level tiles */
  uint32_t level;
  uint64_t offsets[RH_MOST_OPERANDS], bytes, element_bytes;
  pthread_mutex_t doors[RH_MOST_WORKERS]; /* of the parts: a session is one thread's at a time */
  pthread_mutex_t lock;                   /* of the facts and what follows */
  rh_error error;
  atomic_int stop;
} load;

/* Where element `first` of all of operand k is on the host, or null: the device has memory of its
 * own. */
static void *place_of(const rh_resident_part *part, uint32_t k, uint64_t first) {
  if (!is_in_host_memory(part)) return NULL;
  return (char *)part->region.address + part->offsets[k] +
         (first - part->first) * rh_type_size(part->job.spec.operation.op->operands[k].type);
}

static rh_status look_at(load *l, const rh_partial_chunk *piece, rh_error *error) {
  int by_device = l->facts->job->operation.op->is_code; /* the reference, one at a time */
  if (l->facts->check != RH_CHECK_FULL) return RH_OK;
  if (by_device) pthread_mutex_lock(&l->lock);
  rh_status status = rh_partial_refer(l->facts, piece->operands, piece->first, piece->n, 1,
                                      piece->reference, error);
  if (!by_device) pthread_mutex_lock(&l->lock);
  if (status == RH_OK) status = rh_partial_add(l->facts, NULL, piece, error);
  pthread_mutex_unlock(&l->lock);
  return status;
}

static rh_status write_operand(load *l, uint32_t part_k, uint32_t k, const rh_partial_chunk *piece,
                               rh_error *error) {
  const rh_resident_part *part = &l->of->parts[part_k];
  const rh_cl_session *session = part->job.instance_spec.session;
  uint64_t size = rh_type_size(l->of->spec.source->types[k]);
  uint64_t at = part->offsets[k] + (piece->first - part->first) * size;
  pthread_mutex_lock(&l->doors[part_k]);
  cl_int code = rh_cl_write(session->queue, part->input.buffer, CL_TRUE, at, piece->n * size,
                            piece->operands[k], NULL);
  pthread_mutex_unlock(&l->doors[part_k]);
  if (code == CL_SUCCESS) return RH_OK;
  pthread_mutex_lock(&l->lock);
  l->of->failed = part_k;
  pthread_mutex_unlock(&l->lock);
  return rh_cl_fail_short(error, code, "copying the input to the device", session->device,
                          part->bytes, 1);
}

/* From the source to where it stays, or by way of `room`. */
static rh_status load_piece(load *l, uint64_t first, char *room, rh_reference *reference,
                            rh_error *error) {
  const rh_source *source = l->of->spec.source;
  const void *operands[RH_MOST_OPERANDS];
  const rh_partial_chunk piece = {.first = first,
                                  .n = least_of(l->piece_n, source->n - first),
                                  .level = l->level,
                                  .operands = operands,
                                  .reference = reference};
  uint64_t got;
  uint32_t part_k = 0;
  while (first - l->of->parts[part_k].first >= l->of->parts[part_k].n) part_k++;
  for (uint32_t k = 0; k < source->n_operands; k++) {
    void *at = place_of(&l->of->parts[part_k], k, first);
    operands[k] = at = at ? at : room + l->offsets[k];
    RH_TRY(source->read(source, k, first, piece.n, at, &l->stop, &got, error));
  }
  if (atomic_load(&l->stop)) return RH_OK;
  RH_TRY(look_at(l, &piece, error));
  for (uint32_t k = 0; k < source->n_operands && !is_in_host_memory(&l->of->parts[part_k]); k++)
    RH_TRY(write_operand(l, part_k, k, &piece, error));
  return RH_OK;
}

static void load_some(void *of_load, uint64_t k, uint64_t count) {
  load *l = of_load;
  const rh_reporter *reporter = &l->of->spec.devices->context->options.reporter;
  rh_error error = {0};
  uint64_t first = k * l->piece_n;
  rh_status status = RH_OK;
  (void)count;
  if (atomic_load(&l->stop)) return;
  RH_FREED(char) room = malloc(l->bytes);
  RH_FREED(rh_reference) reference = aligned_alloc(_Alignof(rh_reference), sizeof *reference);
  if (!room || !reference) status = rh_fail(&error, RH_E_NOMEM, "no memory for pieces of the data");
  if (status == RH_OK && pthread_equal(pthread_self(), l->caller))
    status = rh_progress(reporter, "streaming", first * l->element_bytes,
                         l->of->spec.source->n * l->element_bytes, &error);
  if (status == RH_OK) status = load_piece(l, first, room, reference, &error);
  if (status == RH_OK) return;
  pthread_mutex_lock(&l->lock);
  if (l->error.status == RH_OK) l->error = error;
  pthread_mutex_unlock(&l->lock);
  atomic_store(&l->stop, 1);
}

/* Pieces end where parts do. */
static void choose_pieces(load *l) {
  rh_job_spec piece = *l->facts->job;
  uint64_t tile = rh_partial_tile(&piece), starts = UINT64_C(1) << MOST_LEVEL;
  for (uint32_t k = 0; k < l->of->spec.n_devices; k++) starts |= l->of->parts[k].first / tile;
  l->level = (uint32_t)__builtin_ctzll(starts);
  l->piece_n = piece.operation.n = tile << l->level;
  l->bytes = rh_operand_layout(&piece, l->offsets);
  l->element_bytes = rh_operator_element_bytes(piece.operation.op);
}

rh_status rh_resident_load(rh_resident *r, rh_partial *facts, rh_error *error) {
  load l = {.of = r, .facts = facts, .caller = pthread_self()};
  uint32_t n_parts = r->spec.n_devices;
  uint64_t n = r->spec.source->n;
  choose_pieces(&l);
  pthread_mutex_init(&l.lock, NULL);
  for (uint32_t k = 0; k < n_parts; k++) pthread_mutex_init(&l.doors[k], NULL);
  rh_share(n / l.piece_n + (n % l.piece_n != 0), 1, load_some, &l);
  for (uint32_t k = 0; k < n_parts; k++) pthread_mutex_destroy(&l.doors[k]);
  pthread_mutex_destroy(&l.lock);
  for (uint32_t k = 0; k < n_parts && l.error.status == RH_OK; k++) {
    rh_resident_part *part = &r->parts[k];
    if (part->n_nodes && part->job.device && !part->input.buffer &&
        rh_cl_input_init(&part->input, part->job.instance_spec.session, part->region.address, 0,
                         part->bytes, 1, &l.error) != RH_OK)
      r->failed = k;
  }
  return rh_error_pass(error, l.error.status, &l.error);
}

rh_status rh_resident_trust(const rh_resident_part *of, const rh_source *source, rh_error *error) {
  enum { SOME = 1 << 21 };
  static const atomic_int goes_on;
  rh_job_spec some = of->job.spec;
  RH_FINISHED(rh_elements_room) room = {.is_copy = 0};
  const rh_partial_chunk *node = largest_node(of);
  some.operation.n = least_of(node->n, SOME);
  const rh_job_part part = {room.operands, node->first, some.operation.n, of->whole_n, 0, 0};
  const rh_segments_part run = rh_segments_run_of(node->first, some.operation.n);
  if (!some.operation.op->is_custom || some.operation.n == 0) return RH_OK;
  RH_TRY(rh_elements_bring(&room, source, NULL, &run, &some, &goes_on, error));
  return rh_job_trust_on(of->job.context, &some, &part, error);
}

/* ---- Reducing ---- */

static rh_data data_of(rh_resident_part *part, const rh_partial_chunk *node) {
  const rh_operator *op = part->job.spec.operation.op;
  uint64_t offsets[RH_MOST_OPERANDS], before = node->first - part->first;
  for (uint32_t k = 0; k < op->n_operands; k++)
    offsets[k] = part->offsets[k] + before * rh_type_size(op->operands[k].type);
  const rh_data data = rh_operands_data(&part->job.operands, op, offsets, part->input.buffer, 0,
                                        part->region.address);
  rh_operands_set_part(&data, op, part->whole_n, node->first);
  return data;
}

static void keep_value(const rh_resident_part *part, uint32_t k, const void *value) {
  size_t size = part->job.instance->op.value_size;
  memcpy(part->fetched + k * size, value, size);
}

static rh_status run_now(rh_resident_part *part, rh_error *error) {
  for (uint32_t k = 0; k < part->n_nodes; k++) {
    _Alignas(16) unsigned char value[RH_ANY_VALUE_BYTES];
    const rh_data data = data_of(part, &part->nodes[k]);
    RH_TRY(rh_instance_call(part->job.instance, &data, part->nodes[k].n, value, error));
    keep_value(part, k, value);
  }
  return RH_OK;
}

static rh_status enqueue_nodes(rh_resident_part *part, int is_last, rh_error *error) {
  const rh_cl_session *session = part->job.instance_spec.session;
  size_t bytes = (size_t)part->n_nodes * part->job.instance->op.value_size;
  for (uint32_t k = 0; k < part->n_nodes; k++) {
    const rh_data data = data_of(part, &part->nodes[k]);
    RH_TRY(rh_instance_run_to(part->job.instance, &data, part->nodes[k].n, part->values, k, error));
  }
  if (!is_last) return RH_OK;
  RH_CL_TRY_IN(session, error,
               rh_cl_read(session->queue, part->values, CL_FALSE, 0, bytes, part->fetched, NULL),
               "reading the result from the device");
  return RH_OK;
}

rh_status rh_resident_part_begin(rh_resident_part *part, int is_last, rh_error *error) {
  const rh_cl_session *session = part->job.instance_spec.session;
  const rh_data data = data_of(part, &part->nodes[0]);
  if (part->waits) return run_now(part, error);
  RH_TRY(part->is_watched ? rh_instance_begin(part->job.instance, &data, part->n, error)
                          : enqueue_nodes(part, is_last, error));
  RH_CL_TRY_IN(session, error, rh_cl_flush(session->queue), "starting the device");
  return RH_OK;
}

rh_status rh_resident_part_end(rh_resident_part *part, rh_error *error) {
  _Alignas(16) unsigned char value[RH_ANY_VALUE_BYTES];
  const rh_cl_session *session = part->job.instance_spec.session;
  if (part->waits) return RH_OK;
  if (!part->is_watched) {
    RH_CL_TRY_IN(session, error, rh_cl_finish(session->queue), "waiting for the device");
    return RH_OK;
  }
  RH_TRY(rh_instance_end(part->job.instance, value, error));
  keep_value(part, 0, value);
  return RH_OK;
}
