#include "arrays_time.h"
#include "../../core/base/clock.h"
#include "../../core/base/error.h"
#include "../../core/base/vocabulary.h"
#include "../../core/cl/status.h"
#include "arrays.h"
#include "streamer.h"

typedef struct pass {
  rh_staging *staging;
  rh_ring *ring;
  uint64_t sent, done; /* chunks */
  rh_ring_slot *slots[RH_STREAMER_AHEAD];
  cl_event events[RH_STREAMER_AHEAD];
} pass;

static rh_status end_one(pass *p, rh_error *error) {
  uint64_t k = p->done % RH_STREAMER_AHEAD;
  cl_int code = clWaitForEvents(1, &p->events[k]);
  clReleaseEvent(p->events[k]);
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
  clFinish(staging->copies);
  while (p.done < p.sent) clReleaseEvent(p.events[p.done++ % RH_STREAMER_AHEAD]);
  rh_ring_destroy(p.ring);
  return status;
}

static double time_copy(rh_staging *staging, const rh_source *source, uint64_t chunk,
                        const rh_worker *device) {
  rh_schedule schedule;
  double start = rh_now();
  if (rh_schedule_init(&schedule, source, chunk, 1, NULL) != RH_OK) return 0;
  rh_status status = copy_once(staging, &schedule, device, NULL);
  rh_schedule_finish(&schedule);
  return status == RH_OK ? rh_now() - start : 0;
}

/* The shorter of two passes: at the first one, the device may obtain its memory. */
double rh_arrays_time(rh_context *context, const void *array, uint64_t bytes) {
  static const rh_type type = RH_TYPE_u8;
  const rh_job_spec job = {.operation = {.op = rh_operator_builtin(RH_OP_sum, type), .n = bytes}};
  rh_worker device = {.context = context, .job = &job, .device = context->device};
  rh_staging staging = {0};
  rh_cl_session *session;
  rh_source source;
  double least = 0;
  uint64_t chunk = rh_stream_chunk_n(&device, 1, 1, NULL, RH_CHECK_NONE, context->chunk_bytes);
  rh_worker_plan(&device, rh_stream_processors(1), 0, RH_CHECK_NONE, chunk);
  rh_source_of_arrays(&source, &array, 0, &type, 1, bytes);
  rh_status status = rh_context_session(context, &session, NULL);
  if (status == RH_OK)
    status = rh_staging_open(&staging, session, rh_worker_slots(&device), chunk, NULL);
  for (int k = 0; k < 2 && status == RH_OK; k++) {
    double seconds = time_copy(&staging, &source, chunk, &device);
    if (k == 0 || (seconds > 0 && seconds < least)) least = seconds;
  }
  rh_staging_finish(&staging);
  return least;
}
