#include "copies.h"
#include "../core/base/clock.h"
#include "../core/base/error.h"
#include "../core/cl/commands.h"
#include "../core/cl/status.h"
#include "../engine/reduction/streamer.h"

typedef struct pass {
  rh_staging *staging;
  rh_ring *ring;
  uint64_t sent, done; /* chunks */
  rh_ring_slot *slots[RH_STREAMER_AHEAD];
  cl_event events[RH_STREAMER_AHEAD];
} pass;

static rh_status end_one(pass *p, rh_error *error) {
  uint64_t k = p->done % RH_STREAMER_AHEAD;
  cl_int code = rh_cl_wait(p->events[k]);
  rh_cl_release_event(p->events[k]);
  rh_ring_give_back(p->ring, p->slots[k]);
  p->done++;
  RH_CL_TRY(error, code, "waiting for a copy");
  return RH_OK;
}

static rh_status send_all(pass *p, rh_error *error) {
  for (;;) {
    uint64_t k = p->sent % RH_STREAMER_AHEAD;
    if (p->sent - p->done == RH_STREAMER_AHEAD) RH_TRY(end_one(p, error));
    RH_TRY(rh_ring_take(p->ring, &p->slots[k], error));
    if (!p->slots[k]) break;
    RH_TRY(rh_slots_send(&p->staging->slots, p->slots[k]->number, p->slots[k]->n, &p->events[k],
                         error));
    p->sent++;
  }
  while (p->done < p->sent) RH_TRY(end_one(p, error));
  return RH_OK;
}

static rh_status copy_once(rh_staging *staging, rh_schedule *schedule, const rh_worker *device,
                           rh_error *error) {
  static const uint64_t at_once[] = {0};
  pass p = {.staging = staging};
  const rh_ring_spec spec = {.schedule = schedule,
                             .n_slots = staging->slots.n,
                             .n_readers = device->readers,
                             .piece_n = device->piece_n,
                             .memory = staging->slots.memory,
                             .offsets = at_once};
  RH_TRY(rh_ring_create(&p.ring, &spec, error));
  rh_status status = send_all(&p, error);
  rh_cl_finish(staging->copies);
  while (p.done < p.sent) rh_cl_release_event(p.events[p.done++ % RH_STREAMER_AHEAD]);
  rh_ring_destroy(p.ring);
  return status;
}

static rh_status copy_in_chunks(rh_copies *c, rh_error *error) {
  rh_schedule schedule;
  RH_TRY(rh_schedule_init(&schedule, &c->source, c->chunk, 1, error));
  rh_status status = copy_once(&c->staging, &schedule, &c->device, error);
  rh_schedule_finish(&schedule);
  return status;
}

static rh_status copy_whole(rh_copies *c, rh_error *error) {
  RH_TRY(rh_cl_input_write(&c->input, c->session, c->array, c->bytes, error));
  RH_CL_TRY(error, rh_cl_finish(c->session->queue), "waiting for a copy");
  return RH_OK;
}

rh_status rh_copies_take(void *copies, const rh_take *how, rh_taken *taken, rh_error *error) {
  rh_copies *c = copies;
  (void)how;
  double start = rh_now();
  RH_TRY(c->session ? copy_whole(c, error) : copy_in_chunks(c, error));
  *taken = (rh_taken){.seconds = rh_now() - start};
  return RH_OK;
}

static rh_status open_chunks(rh_copies *c, rh_context *context, const rh_cl_session *session,
                             rh_error *error) {
  static const rh_type type = RH_TYPE_u8;
  c->job = (rh_job_spec){.operation = {.op = rh_operator_builtin(RH_OP_sum, type), .n = c->bytes}};
  c->device = (rh_worker){.context = context, .job = &c->job, .device = context->device};
  c->chunk = rh_stream_chunk_n(&c->device, 1, 1, NULL, RH_CHECK_NONE, context->chunk_bytes);
  rh_worker_plan(&c->device, rh_stream_processors(1), 0, RH_CHECK_NONE, c->chunk);
  rh_source_of_arrays(&c->source, &c->array, 0, &type, 1, c->bytes);
  return rh_staging_open(&c->staging, session, rh_worker_slots(&c->device), c->chunk, error);
}

rh_status rh_copies_open(rh_copies *c, rh_context *context, const void *array, uint64_t bytes,
                         int in_chunks, rh_error *error) {
  rh_cl_session *session;
  *c = (rh_copies){.array = array, .bytes = bytes};
  RH_TRY(rh_context_session(context, &session, error));
  if (in_chunks) return open_chunks(c, context, session, error);
  c->session = session;
  return rh_cl_input_reserve(&c->input, session, bytes, 1, error);
}

void rh_copies_close(rh_copies *c) {
  rh_staging_finish(&c->staging);
  rh_cl_input_finish(&c->input);
}
