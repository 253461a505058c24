#include "internal.h"

#include "../engine/reduction/reduction.h"

typedef struct pass {
  rh_staging *staging;
  rh_ring *ring;
  uint64_t sent, done; /* chunks */
  rh_ring_slot *slots[RH_STREAM_AHEAD];
  cl_event events[RH_STREAM_AHEAD];
} pass;

static rh_status end_one(pass *p, rh_error *error) {
  uint64_t k = p->done % RH_STREAM_AHEAD;
  cl_int code = rh_cl_wait(p->events[k]);
  rh_cl_release_event(p->events[k]);
  rh_ring_give_back(p->ring, p->slots[k]);
  p->done++;
  RH_CL_TRY(error, code, "waiting for a copy");
  return RH_OK;
}

static rh_status send_all(pass *p, rh_error *error) {
  for (;;) {
    uint64_t k = p->sent % RH_STREAM_AHEAD;
    if (p->sent - p->done == RH_STREAM_AHEAD) RH_TRY(end_one(p, error));
    RH_TRY(rh_ring_take(p->ring, &p->slots[k], error));
    if (!p->slots[k]) break;
    RH_TRY(rh_staging_send(p->staging, p->slots[k]->number, p->slots[k]->n, &p->events[k], error));
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
                             .n_slots = staging->n,
                             .n_readers = device->readers,
                             .piece_n = device->piece_n,
                             .memory = staging->memory,
                             .offsets = at_once};
  RH_TRY(rh_ring_create(&p.ring, &spec, error));
  rh_status status = send_all(&p, error);
  rh_cl_finish(staging->copies);
  while (p.done < p.sent) rh_cl_release_event(p.events[p.done++ % RH_STREAM_AHEAD]);
  rh_ring_destroy(p.ring);
  return status;
}

/* ---- Some copies ---- */

typedef struct copies {
  const void *array;
  uint64_t bytes, chunk_n;
  rh_cl_session *session;
  rh_cl_input input; /* of whole copies */
  rh_worker device;  /* of those in chunks, as is what follows */
  rh_job_spec job;
  rh_staging staging;
  rh_source source;
} copies;

static rh_status copy_in_chunks(copies *c, rh_error *error) {
  rh_schedule schedule;
  RH_TRY(rh_schedule_init(&schedule, &c->source, c->chunk_n, 1, error));
  rh_status status = copy_once(&c->staging, &schedule, &c->device, error);
  rh_schedule_finish(&schedule);
  return status;
}

static rh_status copy_whole(copies *c, rh_error *error) {
  RH_TRY(rh_cl_input_write(&c->input, c->session, c->array, c->bytes, error));
  RH_CL_TRY(error, rh_cl_finish(c->session->queue), "waiting for a copy");
  return RH_OK;
}

static rh_status open_chunks(copies *c, rh_context *context, rh_error *error) {
  const rh_operator *op = rh_operator_builtin(RH_OP_sum, RH_TYPE_u8);
  c->job = (rh_job_spec){.operation = {.op = op, .n = c->bytes}};
  c->device = (rh_worker){.context = context, .job = &c->job, .device = context->device};
  c->chunk_n = rh_stream_chunk_n(&c->device, 1, 1, NULL, RH_CHECK_NONE, context->chunk_bytes);
  rh_worker_plan(&c->device, rh_stream_processors(1), 0, RH_CHECK_NONE, c->chunk_n);
  rh_source_of_arrays(&c->source, op, &c->array, 0, c->bytes);
  return rh_staging_open(&c->staging, c->session, c->device.slots, c->chunk_n, error);
}

double rh_copies_s(rh_context *context, const void *array, uint64_t bytes, int in_chunks) {
  const int times = in_chunks ? 2 : 4;
  copies c = {.array = array, .bytes = bytes};
  double least = INFINITY;
  rh_status status = rh_context_session(context, &c.session, NULL);
  if (status == RH_OK)
    status = in_chunks ? open_chunks(&c, context, NULL)
                       : rh_cl_input_reserve(&c.input, c.session, bytes, 1, NULL);
  for (int k = 0; k < times && status == RH_OK; k++) {
    double start = rh_now();
    status = in_chunks ? copy_in_chunks(&c, NULL) : copy_whole(&c, NULL);
    least = fmin(least, rh_now() - start);
  }
  rh_staging_finish(&c.staging);
  rh_cl_input_finish(&c.input);
  return status == RH_OK ? least : 0;
}
