#include "place.h"
#include "../../core/base/clock.h"
#include "../../core/base/error.h"
#include "../../core/cl/commands.h"
#include "../../core/cl/memory.h"
#include "../../core/run/operand_data.h"

#include <redhost/canonical.h>

#include <stdlib.h>
#include <string.h>

/* ---- Chunks ---- */

static uint32_t element_size(const rh_job_spec *spec) {
  return spec->operation.op->abi->element_size;
}

uint64_t rh_place_chunk_n(const rh_job_spec *spec, uint64_t bytes) {
  uint64_t tiles = 1;
  while (2 * tiles * RH_CANONICAL_TILE_BYTES <= bytes && tiles < UINT64_C(1) << 40) tiles *= 2;
  return tiles * RH_CANONICAL_TILE_BYTES / element_size(spec);
}

static int has_operands(const rh_place *place) {
  return rh_operator_has_operands(place->job.spec.operation.op);
}

/* ---- Setting up ---- */

static rh_status open_staging(rh_place *place, uint32_t n_slots, rh_error *error) {
  uint64_t bytes = rh_operand_layout(&place->job.spec, place->offsets);
  rh_cl_session *session = NULL;
  if (place->job.device) RH_TRY(rh_context_session(place->job.context, &session, error));
  rh_status status = rh_staging_open(place->staging, session, n_slots, bytes, error);
  place->job.context->device_failed |= status != RH_OK;
  return status;
}

static rh_status set_up(rh_place *place, uint32_t n_slots, rh_error *error) {
  RH_TRY(open_staging(place, n_slots, error));
  place->job.instance_spec.session = place->staging->session;
  RH_TRY(rh_job_instantiate(&place->job, error));
  if (has_operands(place)) rh_operands_begin(&place->job.operands, place->job.spec.operation.op);
  return RH_OK;
}

rh_status rh_place_init(rh_place *place, rh_context *context, const rh_job_spec *spec,
                        uint64_t chunk_n, uint32_t n_slots, rh_error *error) {
  rh_job_spec own = *spec;
  *place = (rh_place){.chunk_n = chunk_n, .staging = place->staging, .own = place->own};
  if (!place->staging) place->staging = &place->own;
  own.operation.n = chunk_n;
  rh_operand_layout(&own, own.offsets);
  rh_status status = rh_job_init(&place->job, context, &own, error);
  if (status == RH_OK) status = set_up(place, n_slots, error);
  if (status != RH_OK) rh_job_finish(&place->job);
  return status;
}

void rh_place_finish(rh_place *place) {
  if (place->staging && place->staging->copies) rh_cl_finish(place->staging->copies);
  rh_job_finish(&place->job);
  rh_staging_finish(&place->own);
  *place = (rh_place){0};
}

/* ---- Reducing ---- */

/* The bytes of a slot that a chunk takes, up to the end of its last operand. */
static uint64_t used_bytes(const rh_place *place, uint64_t n) {
  uint32_t last = place->job.spec.operation.op->n_operands - 1;
  return place->offsets[last] + n * rh_type_size(place->job.spec.operation.op->operands[last].type);
}

rh_status rh_place_send(rh_place *place, rh_place_chunk *chunk, rh_error *error) {
  if (!place->job.device) return RH_OK;
  rh_ring_slot *slot = chunk->slot;
  return rh_slots_send(&place->staging->slots, slot->number, used_bytes(place, slot->n),
                       &chunk->sent, error);
}

static rh_data data_of(rh_place *place, const rh_ring_slot *slot) {
  rh_operands *operands = &place->job.operands;
  const rh_operator *op = place->job.spec.operation.op;
  cl_mem buffer = NULL;
  const void *host = place->job.device ? slot->memory : slot->operands[0];
  if (place->job.device)
    buffer = place->staging->slots.shares ? place->staging->slots.pinned[slot->number]
                                          : place->staging->slots.input[slot->number];
  if (!has_operands(place)) return (rh_data){.buffer = buffer, .host = host};
  rh_operands_place(operands, op, place->offsets, buffer, 0, slot->memory);
  for (uint32_t k = 0; !place->job.device && k < op->n_operands; k++)
    operands->arrays.operands[k] = slot->operands[k];
  operands->whole_n = place->whole_n;
  rh_operator_set_base(op, operands->constants, slot->first);
  return (rh_data){.operands = operands};
}

static unsigned char *value_of(const rh_place *place, const rh_ring_slot *slot) {
  return place->staging->read_values + (size_t)slot->number * RH_ANY_VALUE_BYTES;
}

/* The events of a reduction's first and last command. */
static cl_event *on_command(void *of_chunk, const char *stage) {
  rh_place_chunk *chunk = of_chunk;
  (void)stage;
  if (!chunk->first) return &chunk->first;
  rh_cl_release_event(chunk->last);
  chunk->last = NULL;
  return &chunk->last;
}

static rh_status enqueue(rh_place *place, rh_place_chunk *chunk, const rh_data *data,
                         rh_error *error) {
  rh_cl_session *session = place->job.instance_spec.session;
  const rh_cl_tap tap = {chunk, on_command};
  size_t k = chunk->slot->number, size = rh_instance_op(place->job.instance)->value_size;
  RH_CL_TRY_IN(session, error, rh_cl_barrier(session->queue, chunk->sent), "waiting for a copy");
  session->tap = &tap;
  rh_status status = rh_instance_run_to(place->job.instance, data, chunk->slot->n,
                                        place->staging->values, k, error);
  session->tap = NULL;
  RH_TRY(status);
  RH_CL_TRY_IN(session, error,
               rh_cl_read(session->queue, place->staging->values, CL_FALSE, k * size, size,
                          value_of(place, chunk->slot), on_command(chunk, "")),
               "reading a value");
  RH_CL_TRY_IN(session, error, rh_cl_flush(session->queue), "reducing a chunk");
  return RH_OK;
}

/* Strategies of the host, and those that finish on it, are done when they return. */
static rh_status run_now(rh_place *place, rh_place_chunk *chunk, const rh_data *data,
                         rh_error *error) {
  unsigned char *value = value_of(place, chunk->slot);
  if (chunk->sent)
    RH_CL_TRY_IN(place->job.instance_spec.session, error, rh_cl_wait(chunk->sent),
                 "waiting for a copy");
  chunk->run_s[0] = rh_now();
  rh_status status =
      place->job.device ? rh_instance_run(place->job.instance, data, chunk->slot->n, error)
                        : rh_instance_call(place->job.instance, data, chunk->slot->n, value, error);
  if (status == RH_OK && place->job.device)
    status = rh_instance_value(place->job.instance, value, error);
  chunk->run_s[1] = rh_now();
  return status;
}

rh_status rh_place_run(rh_place *place, rh_place_chunk *chunk, rh_error *error) {
  const rh_data data = data_of(place, chunk->slot);
  if (place->job.device && !place->job.answer.finishes_on_host)
    return enqueue(place, chunk, &data, error);
  return run_now(place, chunk, &data, error);
}

/* ---- Values and times ---- */

static double time_of(const rh_place *place, cl_event event, cl_profiling_info what) {
  cl_ulong ns = 0;
  if (rh_cl_moment(event, what, &ns) != CL_SUCCESS) return 0;
  return 1e-9 * (double)ns + place->staging->clock_offset;
}

static void note_times(const rh_place *place, const rh_place_chunk *chunk, rh_chunk_times *times) {
  *times = (rh_chunk_times){.index = chunk->slot->index};
  memcpy(times->read, chunk->slot->read_s, sizeof times->read);
  memcpy(times->run, chunk->run_s, sizeof times->run);
  if (chunk->sent && !place->staging->slots.shares) {
    times->copy[0] = time_of(place, chunk->sent, CL_PROFILING_COMMAND_START);
    times->copy[1] = time_of(place, chunk->sent, CL_PROFILING_COMMAND_END);
  }
  if (!chunk->first) return;
  times->run[0] = time_of(place, chunk->first, CL_PROFILING_COMMAND_START);
  times->run[1] =
      time_of(place, chunk->last ? chunk->last : chunk->first, CL_PROFILING_COMMAND_END);
  /* NVIDIA's driver 580 gives no begin of some kernels that waited for a copy: 0.  None begins
   * before its copy has ended. */
  if (times->run[0] < times->copy[1]) times->run[0] = times->copy[1];
}

/* The last command of those that have events. */
static cl_event last_event(const rh_place_chunk *chunk) {
  return chunk->last ? chunk->last : chunk->first;
}

/* Waiting says why a command failed, or could not be asked. */
int rh_place_is_done(const rh_place_chunk *chunk) {
  cl_event done = last_event(chunk);
  return !done || rh_cl_is_done(done);
}

rh_status rh_place_fetch(rh_place *place, rh_place_chunk *chunk, void *value, rh_chunk_times *times,
                         rh_error *error) {
  rh_ring_slot *slot = chunk->slot;
  cl_event done = last_event(chunk);
  if (done)
    RH_CL_TRY_IN(place->job.instance_spec.session, error, rh_cl_wait(done),
                 "waiting for a chunk's value");
  memcpy(value, value_of(place, slot), rh_instance_op(place->job.instance)->value_size);
  note_times(place, chunk, times);
  rh_place_drop(chunk);
  if (!place->job.device) return RH_OK;
  RH_TRY(rh_slots_return(&place->staging->slots, slot->number, error));
  slot->memory = place->staging->slots.memory[slot->number];
  return RH_OK;
}

void rh_place_drop(rh_place_chunk *chunk) {
  rh_cl_release_event(chunk->sent);
  rh_cl_release_event(chunk->first);
  rh_cl_release_event(chunk->last);
  chunk->sent = chunk->first = chunk->last = NULL;
}
