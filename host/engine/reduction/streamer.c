#include "reduction.h"

enum { MOST_IN_FLIGHT = 2 * RH_STREAM_AHEAD };

/* One worker's part of a reduction: the chunks that it gets go from its ring to its device, copies
 * ahead of reductions, and reductions ahead of waiting for their values. */
typedef struct rh_streamer {
  rh_reduction *of;
  rh_worker *device; /* set up; borrowed */
  uint32_t number;   /* in the schedule; that of 0 reports progress */
  rh_ring *ring;
  uint64_t sent, run, fetched; /* chunks */
  int device_failed;           /* 1: it was the device that failed, and another could go on */
} streamer;

/* ---- Reading ---- */

static rh_status look_at(void *of_streamer, rh_ring_slot *slot, rh_error *error) {
  const rh_partial *partial = ((const streamer *)of_streamer)->of->partial;
  if (!rh_check_wants(partial->check, slot->index)) return RH_OK;
  rh_reference *part = slot->note = aligned_alloc(_Alignof(rh_reference), sizeof *part);
  if (!part) return rh_fail(error, RH_E_NOMEM, "no memory for a chunk's reference");
  return rh_partial_refer(partial, slot->operands, slot->first, slot->n, 1, part, error);
}

static rh_status begin_reading(streamer *s, rh_error *error) {
  const rh_worker *device = s->device;
  const rh_ring_spec ring = {.schedule = &s->of->schedule,
                             .worker = s->number,
                             .n_slots = device->staging->n,
                             .n_readers = device->readers,
                             .piece_n = device->piece_n,
                             .memory = device->staging->memory,
                             .offsets = device->offsets,
                             .views = !device->chunk.device,
                             .check = device->job->operation.op->is_code ? NULL : look_at,
                             .user = s,
                             .reporter = s->number == 0 ? s->of->spec.reporter : NULL};
  rh_view_guard_again();
  return rh_ring_create(&s->ring, &ring, error);
}

/* ---- One chunk on the device ---- */

/* The bytes of a slot that a chunk takes, up to the end of its last operand. */
static uint64_t used_bytes(const rh_worker *device, uint64_t n) {
  const rh_operator *op = device->chunk.spec.operation.op;
  uint32_t last = op->n_operands - 1;
  return device->offsets[last] + n * rh_type_size(op->operands[last].type);
}

static rh_data data_of(rh_worker *device, const rh_ring_slot *slot) {
  const rh_operator *op = device->chunk.spec.operation.op;
  rh_operands *operands = &device->chunk.operands;
  const rh_staging *staging = device->staging;
  cl_mem buffer = staging->shares ? staging->pinned[slot->number] : staging->input[slot->number];
  int is_host = !device->chunk.device;
  const rh_data data = rh_operands_data(operands, op, device->offsets, is_host ? NULL : buffer, 0,
                                        is_host ? slot->operands[0] : slot->memory);
  for (uint32_t k = 0; data.operands && is_host && k < op->n_operands; k++)
    operands->arrays.operands[k] = slot->operands[k];
  rh_operands_set_part(&data, op, device->whole_n, slot->first);
  return data;
}

static unsigned char *value_of(const rh_worker *device, const rh_ring_slot *slot) {
  return device->staging->read_values + (size_t)slot->number * RH_ANY_VALUE_BYTES;
}

/* The events of a reduction's first and last command. */
static cl_event *place_for_event(void *of_slot, const char *stage) {
  rh_ring_slot *slot = of_slot;
  (void)stage;
  if (!slot->first_done) return &slot->first_done;
  rh_cl_release_event(slot->last_done);
  slot->last_done = NULL;
  return &slot->last_done;
}

static rh_status enqueue(rh_worker *device, rh_ring_slot *slot, const rh_data *data,
                         rh_error *error) {
  rh_cl_session *session = device->chunk.instance_spec.session;
  const rh_cl_tap tap = {slot, place_for_event};
  size_t k = slot->number, size = device->chunk.instance->op.value_size;
  RH_CL_TRY_IN(session, error, rh_cl_barrier(session->queue, slot->sent), "waiting for a copy");
  session->tap = &tap;
  rh_status status =
      rh_instance_run_to(device->chunk.instance, data, slot->n, device->staging->values, k, error);
  session->tap = NULL;
  RH_TRY(status);
  RH_CL_TRY_IN(session, error,
               rh_cl_read(session->queue, device->staging->values, CL_FALSE, k * size, size,
                          value_of(device, slot), place_for_event(slot, "")),
               "reading a value");
  RH_CL_TRY_IN(session, error, rh_cl_flush(session->queue), "reducing a chunk");
  return RH_OK;
}

/* Strategies of the host, and those that finish on it, are done when they return. */
static rh_status run_now(rh_worker *device, rh_ring_slot *slot, const rh_data *data,
                         rh_error *error) {
  unsigned char *value = value_of(device, slot);
  if (slot->sent)
    RH_CL_TRY_IN(device->chunk.instance_spec.session, error, rh_cl_wait(slot->sent),
                 "waiting for a copy");
  slot->run_s[0] = rh_now();
  rh_status status = device->chunk.device
                         ? rh_instance_run(device->chunk.instance, data, slot->n, error)
                         : rh_instance_call(device->chunk.instance, data, slot->n, value, error);
  if (status == RH_OK && device->chunk.device)
    status = rh_instance_value(device->chunk.instance, value, error);
  slot->run_s[1] = rh_now();
  return status;
}

static rh_status reduce(rh_worker *device, rh_ring_slot *slot, rh_error *error) {
  const rh_data data = data_of(device, slot);
  if (device->chunk.device && !device->chunk.answer.finishes_on_host)
    return enqueue(device, slot, &data, error);
  return run_now(device, slot, &data, error);
}

/* ---- Its value and times ---- */

static double time_of(const rh_worker *device, cl_event event, cl_profiling_info what) {
  cl_ulong ns = 0;
  if (rh_cl_moment(event, what, &ns) != CL_SUCCESS) return 0;
  return 1e-9 * (double)ns + device->staging->clock_offset;
}

static void note_times(const rh_worker *device, const rh_ring_slot *slot, rh_chunk_times *times) {
  *times = (rh_chunk_times){.index = slot->index};
  memcpy(times->read, slot->read_s, sizeof times->read);
  memcpy(times->run, slot->run_s, sizeof times->run);
  if (slot->sent && !device->staging->shares) {
    times->copy[0] = time_of(device, slot->sent, CL_PROFILING_COMMAND_START);
    times->copy[1] = time_of(device, slot->sent, CL_PROFILING_COMMAND_END);
  }
  if (!slot->first_done) return;
  times->run[0] = time_of(device, slot->first_done, CL_PROFILING_COMMAND_START);
  times->run[1] = time_of(device, slot->last_done ? slot->last_done : slot->first_done,
                          CL_PROFILING_COMMAND_END);
  /* NVIDIA's driver 580 gives no begin of some kernels that waited for a copy: 0.  None begins
   * before its copy has ended. */
  if (times->run[0] < times->copy[1]) times->run[0] = times->copy[1];
}

/* The last command of those that have events. */
static cl_event last_event(const rh_ring_slot *slot) {
  return slot->last_done ? slot->last_done : slot->first_done;
}

static void drop(rh_ring_slot *slot) {
  rh_cl_release_event(slot->sent);
  rh_cl_release_event(slot->first_done);
  rh_cl_release_event(slot->last_done);
  slot->sent = slot->first_done = slot->last_done = NULL;
}

static rh_status fetch(rh_worker *device, rh_ring_slot *slot, void *value, rh_chunk_times *times,
                       rh_error *error) {
  cl_event done = last_event(slot);
  if (done)
    RH_CL_TRY_IN(device->chunk.instance_spec.session, error, rh_cl_wait(done),
                 "waiting for a chunk's value");
  memcpy(value, value_of(device, slot), device->chunk.instance->op.value_size);
  note_times(device, slot, times);
  drop(slot);
  if (!device->chunk.device) return RH_OK;
  RH_TRY(rh_staging_return(device->staging, slot->number, error));
  slot->memory = device->staging->memory[slot->number];
  return RH_OK;
}

/* ---- What becomes of both ---- */

static void count_times(rh_reduction *r, rh_chunk_times *times) {
  int is_copied = times->copy[1] > 0;
  for (int k = 0; k < 2; k++) {
    times->read[k] -= r->begin_s;
    times->run[k] -= r->begin_s;
    if (is_copied) times->copy[k] -= r->begin_s;
  }
  if (is_copied && (r->copies[1] == 0 || times->copy[0] < r->copies[0]))
    r->copies[0] = times->copy[0];
  if (is_copied && times->copy[1] > r->copies[1]) r->copies[1] = times->copy[1];
  r->read_s += times->read[1] - times->read[0];
  r->copy_s += times->copy[1] - times->copy[0];
  r->run_s += times->run[1] - times->run[0];
  if (r->n_times < RH_REDUCTION_MOST_TIMES) r->times[r->n_times++] = *times;
}

rh_status rh_reduction_add(rh_reduction *r, const rh_job *by, const rh_partial_chunk *chunk,
                           rh_error *error) {
  if (r->spec.stop && atomic_load(r->spec.stop))
    return rh_fail(error, RH_E_CANCELLED, "another rank has failed");
  r->n += chunk->n;
  r->chunks++;
  rh_status status = rh_partial_add(r->partial, by, chunk, error);
  return status == RH_E_WRONG && !r->spec.ends_if_wrong ? RH_OK : status;
}

static rh_status take_value(const streamer *s, const rh_ring_slot *slot, const void *value,
                            rh_chunk_times *times, rh_error *error) {
  rh_reduction *r = s->of;
  const rh_source *source = r->spec.source;
  const rh_partial_chunk chunk = {.first = slot->first,
                                  .n = slot->n,
                                  .level = r->level,
                                  .operands = slot->operands,
                                  .may_change = source->arrays[0] || rh_source_is_viewed(source),
                                  .reference = slot->note,
                                  .value = value};
  pthread_mutex_lock(&r->crew.lock);
  count_times(r, times);
  rh_status status = rh_reduction_add(r, &s->device->chunk, &chunk, error);
  pthread_mutex_unlock(&r->crew.lock);
  s->device->chunks++;
  s->device->n += slot->n;
  return status;
}

/* ---- Chunks, from the ring to the device ---- */

static rh_status of_device(streamer *s, rh_status status) {
  s->device_failed = status != RH_OK;
  return status;
}

static rh_status send_next(streamer *s, int *is_over, rh_error *error) {
  const rh_worker *device = s->device;
  rh_ring_slot *slot;
  RH_TRY(rh_ring_take(s->ring, &slot, error));
  *is_over = !slot;
  if (!slot) return RH_OK;
  s->sent++;
  if (device->job->operation.op->is_code) { /* a device computes references, for one at a time */
    pthread_mutex_lock(&s->of->crew.lock);
    rh_status status = look_at(s, slot, error);
    pthread_mutex_unlock(&s->of->crew.lock);
    RH_TRY(status);
  }
  if (!device->chunk.device) return RH_OK;
  return of_device(s, rh_staging_send(device->staging, slot->number, used_bytes(device, slot->n),
                                      &slot->sent, error));
}

static rh_status fetch_next(streamer *s, rh_error *error) {
  _Alignas(16) unsigned char value[RH_ANY_VALUE_BYTES];
  rh_ring_slot *slot = rh_ring_slot_of(s->ring, s->fetched);
  rh_chunk_times times;
  RH_TRY(of_device(s, fetch(s->device, slot, value, &times, error)));
  s->fetched++;
  RH_TRY(take_value(s, slot, value, &times, error));
  rh_schedule_done(&s->of->schedule, s->number, slot->index, slot->n);
  free(slot->note);
  slot->note = NULL;
  rh_ring_give_back(s->ring, slot);
  return RH_OK;
}

/* 1: a chunk may and can be sent without waiting.  While nothing is ready, the first of two is
 * awaited: a chunk that is read, or the value of one that is on its way.  A thread that waited for
 * the value alone would leave the device's copies idle. */
static int is_sendable(streamer *s) {
  const double glance_s = 50e-6;
  if (s->sent - s->run >= RH_STREAM_AHEAD || s->sent - s->fetched >= MOST_IN_FLIGHT) return 0;
  if (s->sent == s->fetched || rh_ring_await(s->ring, 0)) return 1;
  if (s->run < s->sent) return 0;
  cl_event done = last_event(rh_ring_slot_of(s->ring, s->fetched));
  /* Waiting for it says why a command failed, or could not be asked. */
  while (done && !rh_cl_is_done(done))
    if (rh_ring_await(s->ring, glance_s)) return 1;
  return 0;
}

static rh_status reduce_chunks(streamer *s, rh_error *error) {
  int is_over = 0;
  while (!is_over || s->fetched < s->sent) {
    while (!is_over && is_sendable(s)) RH_TRY(send_next(s, &is_over, error));
    if (s->run < s->sent) {
      RH_TRY(of_device(s, reduce(s->device, rh_ring_slot_of(s->ring, s->run), error)));
      s->run++;
    }
    if (s->fetched < s->run && (s->run - s->fetched == RH_STREAM_AHEAD || s->run == s->sent))
      RH_TRY(fetch_next(s, error));
  }
  return RH_OK;
}

/* The device may still be reading slots. */
static void finish(streamer *s) {
  const rh_staging *staging = s->device->staging;
  rh_cl_finish(staging->copies);
  if (staging->session) rh_cl_finish(staging->session->queue);
  for (; s->fetched < s->sent; s->fetched++) drop(rh_ring_slot_of(s->ring, s->fetched));
  rh_ring_destroy(s->ring);
}

/* ---- All workers ---- */

static void stop_all(rh_reduction *r, const rh_error *why) {
  rh_crew_fail(&r->crew, why);
  for (uint32_t k = 0; k < r->n_streamers; k++)
    if (r->streamers[k].ring) rh_ring_stop(r->streamers[k].ring, why);
}

static void work(streamer *s) {
  rh_error error = {0};
  if (reduce_chunks(s, &error) == RH_OK) return;
  int is_its_own = s->device_failed && error.status != RH_E_CANCELLED;
  if (is_its_own) s->device->failure = error;
  if (!is_its_own || s->of->spec.source->in_order ||
      !rh_schedule_give_up(&s->of->schedule, s->number))
    stop_all(s->of, &error);
}

static void *worker_main(void *of_streamer) {
  streamer *s = of_streamer;
  work(s);
  rh_crew_leave(&s->of->crew);
  return NULL;
}

static void report(void *of_reduction) {
  rh_reduction *r = of_reduction;
  rh_error why = {0};
  if (rh_schedule_report(&r->schedule, r->spec.reporter, &why) != RH_OK) stop_all(r, &why);
}

static rh_status start_all(rh_reduction *r, uint64_t at, uint64_t count, rh_error *error) {
  rh_schedule *schedule = &r->schedule;
  RH_TRY(RH_NEW(&r->streamers, r->spec.n_devices, "a reduction", error));
  for (uint32_t k = 0; k < r->spec.n_devices; k++) {
    rh_worker *device = &r->spec.devices[k];
    if (!device->is_up || device->failure.status != RH_OK) continue;
    r->streamers[r->n_streamers] = (streamer){.of = r, .device = device, .number = r->n_streamers};
    r->n_streamers++;
  }
  RH_TRY(rh_schedule_init(schedule, r->spec.source, r->tile << r->level, r->n_streamers, error));
  if (count != UINT64_MAX) {
    uint64_t stop = r->spec.first + r->spec.n;
    if (schedule->n > stop) schedule->n = stop;
    schedule->next = at >> r->level;
    schedule->end = schedule->next + count;
  }
  for (uint32_t k = 0; k < r->n_streamers; k++) RH_TRY(begin_reading(&r->streamers[k], error));
  for (uint32_t k = 1; k < r->n_streamers; k++)
    RH_TRY(rh_crew_start(&r->crew, worker_main, &r->streamers[k], error));
  return RH_OK;
}

rh_status rh_reduction_stream(rh_reduction *r, uint64_t at, uint64_t count, rh_error *error) {
  rh_error why = {0};
  /* This thread's own device may be done, or have failed, long before the others. */
  if (start_all(r, at, count, &why) == RH_OK) work(&r->streamers[0]);
  else stop_all(r, &why);
  rh_status status = rh_crew_wait(&r->crew, report, r, error);
  for (uint32_t k = 0; k < r->n_streamers; k++) finish(&r->streamers[k]);
  rh_schedule_finish(&r->schedule);
  r->n_streamers = 0;
  free(r->streamers);
  return status;
}
