#include "streamed.h"
#include "../../core/base/clock.h"
#include "../../core/base/condition.h"
#include "../../core/base/error.h"
#include "../../core/base/vocabulary.h"
#include "streamer.h"

#include <stdlib.h>
#include <string.h>

typedef struct stream stream;

/* A device at work. */
typedef struct worker {
  stream *stream;
  rh_stream_device *device;
  rh_streamer streamer;
  pthread_t thread;
} worker;

/* The state of one run. */
struct stream {
  const rh_stream_spec *spec;
  rh_streamed *out;
  rh_deal deal;
  uint32_t n_workers; /* of the devices that are set up */
  worker *workers;
  double begin_s;
  pthread_mutex_t lock; /* of all that follows, and *out */
  pthread_cond_t ended;
  uint32_t n_started, n_ended; /* workers in threads of their own */
  rh_partial partial;
  uint32_t level;   /* a chunk has 2^level tiles */
  rh_error failure; /* the first that ends it all */
};

static const rh_job_spec *job_of(const stream *s) {
  return s->spec->devices[0].job;
}

/* ---- Checking ---- */

/* `lock` is held if the reference is computed on a device. */
static rh_status refer(const stream *s, rh_ring_slot *slot, rh_error *error) {
  rh_reference *part = slot->note = aligned_alloc(_Alignof(rh_reference), sizeof *part);
  if (!part) return rh_fail(error, RH_E_NOMEM, "no memory for a chunk's reference");
  return rh_partial_refer(&s->partial, slot->operands, slot->first, slot->n, 1, part, error);
}

static rh_status look_at(void *of_worker, const rh_lane *lane, rh_ring_slot *slot,
                         rh_error *error) {
  stream *s = ((worker *)of_worker)->stream;
  (void)lane;
  if (!rh_partial_wants(&s->partial, slot->index)) return RH_OK;
  if (!rh_stream_looks_itself(job_of(s))) return refer(s, slot, error);
  pthread_mutex_lock(&s->lock);
  rh_status status = refer(s, slot, error);
  pthread_mutex_unlock(&s->lock);
  return status;
}

/* ---- Values ---- */

static void note_copy(stream *s, const double copy[2]) {
  double *all = s->out->copies, begin = copy[0] - s->begin_s, end = copy[1] - s->begin_s;
  if (all[1] == 0 || begin < all[0]) all[0] = begin;
  if (end > all[1]) all[1] = end;
}

static void note_times(stream *s, const rh_chunk_times *times) {
  rh_streamed *out = s->out;
  if (times->copy[1] > 0) note_copy(s, times->copy);
  out->read_s += times->read[1] - times->read[0];
  out->copy_s += times->copy[1] - times->copy[0];
  out->run_s += times->run[1] - times->run[0];
  if (out->n_times == RH_STREAM_MOST_TIMES) return;
  rh_chunk_times *to = &out->times[out->n_times++];
  *to = *times;
  for (int k = 0; k < 2; k++) {
    to->read[k] -= s->begin_s;
    to->run[k] -= s->begin_s;
    if (times->copy[1] > 0) to->copy[k] -= s->begin_s;
  }
}

/* What is wrong is said of the whole, in the end. */
static rh_status add_value(stream *s, const rh_lane *lane, const rh_ring_slot *slot,
                           const void *value, rh_error *error) {
  const rh_partial_chunk chunk = {.first = slot->first,
                                  .n = slot->n,
                                  .level = s->level,
                                  .operands = slot->operands,
                                  .may_change = rh_source_is_viewed(s->spec->source),
                                  .reference = slot->note,
                                  .value = value};
  s->out->n += slot->n;
  s->out->chunks++;
  rh_status status = rh_partial_add(&s->partial, &lane->job, &chunk, error);
  return status == RH_E_WRONG ? RH_OK : status;
}

static rh_status take_value(void *of_worker, const rh_lane *lane, const rh_ring_slot *slot,
                            const void *value, const rh_chunk_times *times, rh_error *error) {
  worker *w = of_worker;
  pthread_mutex_lock(&w->stream->lock);
  note_times(w->stream, times);
  rh_status status = add_value(w->stream, lane, slot, value, error);
  pthread_mutex_unlock(&w->stream->lock);
  w->device->chunks++;
  w->device->n += slot->n;
  return status;
}

/* ---- Setting up ---- */

static rh_status set_up(stream *s, uint64_t chunk_n, rh_error *error) {
  const rh_stream_spec *spec = s->spec;
  RH_TRY(rh_stream_devices_set_up(spec->devices, spec->n_devices, rh_stream_processors(1),
                                  spec->source, chunk_n, spec->check, error));
  for (uint32_t k = 0; k < spec->n_devices; k++)
    if (spec->devices[k].is_up)
      s->workers[s->n_workers++] = (worker){.stream = s, .device = &spec->devices[k]};
  return rh_deal_init(&s->deal, spec->source, chunk_n, s->n_workers, error);
}

static void describe(const stream *s) {
  rh_streamed *out = s->out;
  out->is_pinned = out->in_place = 1;
  out->chunk_n = s->deal.chunk_n;
  for (uint32_t k = 0; k < s->n_workers; k++) {
    const rh_stream_device *device = s->workers[k].device;
    const rh_slots *slots = &device->lane.road.slots;
    out->slot_bytes = slots->bytes;
    out->slots += slots->n;
    out->readers += device->readers;
    out->in_place &= !device->lane.job.device || slots->shares;
    out->is_pinned &= slots->is_pinned || !device->lane.job.device;
    out->setup_s += device->lane.job.setup_s;
  }
}

/* ---- Working ---- */

static void stop_all(stream *s, const rh_error *why) {
  pthread_mutex_lock(&s->lock);
  if (s->failure.status == RH_OK) s->failure = *why;
  pthread_mutex_unlock(&s->lock);
  for (uint32_t k = 0; k < s->n_workers; k++)
    if (s->workers[k].streamer.ring) rh_ring_stop(s->workers[k].streamer.ring, why);
}

static void work(worker *w) {
  stream *s = w->stream;
  rh_error error = {0};
  if (rh_streamer_run(&w->streamer, &error) == RH_OK) return;
  int others_can = w->streamer.lane_failed && error.status != RH_E_CANCELLED &&
                   !s->spec->source->in_order && rh_deal_give_up(&s->deal, w->streamer.spec.hand);
  if (others_can)
    w->device->failure = error;
  else
    stop_all(s, &error);
}

static void *worker_main(void *of_worker) {
  worker *w = of_worker;
  stream *s = w->stream;
  work(w);
  pthread_mutex_lock(&s->lock);
  s->n_ended++;
  pthread_cond_signal(&s->ended);
  pthread_mutex_unlock(&s->lock);
  return NULL;
}

static rh_status begin(stream *s, uint32_t k, const rh_reporter *reporter, rh_error *error) {
  worker *w = &s->workers[k];
  const rh_streamer_spec spec = {.lane = &w->device->lane,
                                 .deal = &s->deal,
                                 .hand = k,
                                 .n_readers = w->device->readers,
                                 .n_checkers = w->device->checkers,
                                 .piece_n = w->device->piece_n,
                                 .look = look_at,
                                 .looks_itself = rh_stream_looks_itself(job_of(s)),
                                 .take = take_value,
                                 .user = w,
                                 .reporter = k == 0 ? reporter : NULL};
  return rh_streamer_begin(&w->streamer, &spec, error);
}

static rh_status start_others(stream *s, rh_error *error) {
  for (uint32_t k = 1; k < s->n_workers; k++) {
    if (pthread_create(&s->workers[k].thread, NULL, worker_main, &s->workers[k]) != 0)
      return rh_fail(error, RH_E_NOMEM, "no thread could be started for a device");
    s->n_started++;
  }
  return RH_OK;
}

/* This thread's own device may be done, or have failed, long before the others. */
static void wait_for_others(stream *s, const rh_reporter *reporter) {
  rh_error error = {0};
  pthread_mutex_lock(&s->lock);
  while (s->n_ended < s->n_started) {
    rh_condition_wait(&s->ended, &s->lock, rh_now() + rh_report_period_s);
    pthread_mutex_unlock(&s->lock);
    if (rh_deal_report(&s->deal, reporter, &error) != RH_OK) stop_all(s, &error);
    pthread_mutex_lock(&s->lock);
  }
  pthread_mutex_unlock(&s->lock);
  for (uint32_t k = 0; k < s->n_started; k++) pthread_join(s->workers[k + 1].thread, NULL);
}

static rh_status stream_chunks(stream *s, rh_error *error) {
  const rh_reporter *reporter = &s->workers[0].device->context->options.reporter;
  rh_status status = RH_OK;
  s->begin_s = rh_now();
  s->out->was_read = 1;
  for (uint32_t k = 0; k < s->n_workers && status == RH_OK; k++)
    status = begin(s, k, reporter, error);
  if (status == RH_OK) status = start_others(s, error);
  if (status == RH_OK)
    work(&s->workers[0]);
  else
    stop_all(s, error ? error : &(rh_error){.status = status});
  wait_for_others(s, reporter);
  s->out->seconds = rh_now() - s->begin_s;
  if (s->failure.status == RH_OK) return rh_source_check_unchanged(s->spec->source, error);
  if (error) *error = s->failure;
  return s->failure.status;
}

/* ---- The whole ---- */

static rh_status conclude(stream *s, rh_error *error) {
  rh_streamed *out = s->out;
  rh_status status =
      rh_partial_conclude(&s->partial, &out->result, &out->reference, &out->verdict, error);
  if (status != RH_OK && status != RH_E_WRONG) return status;
  out->depth = rh_partial_depth(&s->partial);
  out->checked = s->partial.checked;
  for (uint32_t k = 0; k < s->n_workers; k++)
    if (s->workers[k].device->failure.status != RH_OK)
      rh_stream_device_warn(s->workers[k].device, "failed, and the others took its chunks");
  return RH_OK;
}

static rh_status check_count(const rh_stream_spec *spec, rh_error *error) {
  if (spec->source->n != UINT64_MAX || spec->devices[0].job->operation.op->count_slot < 0)
    return RH_OK;
  return rh_fail(error, RH_E_USAGE,
                 "the map uses n, which is known only at the end of a pipe of raw elements; pipe "
                 "them in as .npy");
}

static uint64_t element_bytes(const rh_job_spec *job) {
  return rh_operator_element_bytes(job->operation.op);
}

static rh_status open_stream(stream *s, const rh_stream_spec *spec, rh_streamed *out,
                             rh_error *error) {
  *s = (stream){.spec = spec, .out = out};
  *out = (rh_streamed){.times = calloc(RH_STREAM_MOST_TIMES, sizeof(rh_chunk_times))};
  pthread_mutex_init(&s->lock, NULL);
  rh_condition_init(&s->ended);
  s->workers = calloc(spec->n_devices, sizeof *s->workers);
  rh_partial_init(&s->partial, job_of(s), spec->source->n, (uint32_t)spec->check);
  if (!out->times || !s->workers) return rh_fail(error, RH_E_NOMEM, "no memory for a stream");
  return check_count(spec, error);
}

static void close_stream(stream *s) {
  for (uint32_t k = 0; k < s->n_workers; k++) rh_streamer_finish(&s->workers[k].streamer);
  rh_deal_finish(&s->deal);
  rh_partial_finish(&s->partial);
  free(s->workers);
  pthread_cond_destroy(&s->ended);
  pthread_mutex_destroy(&s->lock);
}

rh_status rh_stream_run(const rh_stream_spec *spec, rh_streamed *out, rh_error *error) {
  stream s;
  uint64_t chunk_n = rh_stream_chunk_n(spec->devices, spec->n_devices, 1, spec->source, spec->check,
                                       spec->chunk_bytes);
  rh_status status = open_stream(&s, spec, out, error);
  while (status == RH_OK && s.partial.fold.unit << s.level < chunk_n) s.level++;
  if (status == RH_OK) status = set_up(&s, chunk_n, error);
  if (status == RH_OK) {
    describe(&s);
    status = stream_chunks(&s, error);
  }
  if (status == RH_OK) status = conclude(&s, error);
  out->bytes = out->n * element_bytes(job_of(&s));
  close_stream(&s);
  return status;
}

void rh_streamed_finish(rh_streamed *streamed) {
  free(streamed->times);
  *streamed = (rh_streamed){0};
}
