#include "streamed.h"
#include "../base/clock.h"
#include "../base/error.h"
#include "../base/log.h"
#include "../base/vocabulary.h"
#include "../reduce/self_test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  /* Together with the others still in the nearest shared cache of a processor. */
  HOST_CHUNK = 4 << 20,
  /* Long compared with what a copy and a launch cost; a dozen of them still fit into the last cache
   * of a GPU's host, from which they are copied. */
  DEVICE_CHUNK = 8 << 20,
  MOST_READERS = 4,
  /* Of data that the host only passes on.  One reader copies 6 to 8 GB/s out of the page cache, and
   * PCIe 5 takes 55. */
  MOST_READERS_FOR_COPIES = 12,
  /* Chunks that are sent before one is reduced, and that are reduced before one is fetched: so many
   * copies and reductions are queued while we wait. */
  AHEAD = 2,
  AHEAD_OF_COPIES = 4,
  MOST_IN_FLIGHT = 2 * AHEAD_OF_COPIES
};

/* The state of one run. */
typedef struct stream {
  const rh_stream_spec *spec;
  rh_lane *lane;
  rh_streamed *out;
  rh_ring *ring;
  rh_fold fold;
  rh_checks checks;
  uint32_t ahead;
  rh_lane_chunk chunks[MOST_IN_FLIGHT]; /* chunk c is in c % MOST_IN_FLIGHT */
  uint64_t sent, run, fetched;          /* chunks */
  double begin_s;
} stream;

/* ---- Checking ---- */

static int checks_itself(const stream *s) {
  return s->spec->job->custom && s->spec->job->custom->code; /* by one device queue */
}

static rh_status refer(const stream *s, rh_ring_slot *slot, rh_error *error) {
  const void *operands[RH_MOST_OPERANDS];
  if (!rh_checks_wants(&s->checks, slot->index)) return RH_OK;
  rh_reference *part = slot->note = aligned_alloc(_Alignof(rh_reference), sizeof *part);
  if (!part) return rh_fail(error, RH_E_NOMEM, "no memory for a chunk's reference");
  for (uint32_t k = 0; k < s->spec->source->n_operands; k++)
    operands[k] = (const char *)slot->memory + s->lane->offsets[k];
  return rh_checks_refer(&s->checks, operands, slot->first, slot->n, part, error);
}

/* In a thread of the ring. */
static rh_status check(void *of_stream, rh_ring_slot *slot, rh_error *error) {
  return refer(of_stream, slot, error);
}

/* ---- Chunks, from the ring through the lane ---- */

static rh_status send_next(stream *s, int *is_over, rh_error *error) {
  rh_lane_chunk *chunk = &s->chunks[s->sent % MOST_IN_FLIGHT];
  rh_ring_slot *slot;
  RH_TRY(rh_ring_take(s->ring, &slot, error));
  *is_over = !slot;
  if (!slot) return RH_OK;
  *chunk = (rh_lane_chunk){.slot = slot};
  s->sent++;
  if (checks_itself(s)) RH_TRY(refer(s, slot, error));
  return rh_lane_send(s->lane, chunk, error);
}

static void note_times(stream *s, const rh_chunk_times *times) {
  rh_streamed *out = s->out;
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

static rh_status add_value(stream *s, rh_ring_slot *slot, void *value, rh_error *error) {
  const rh_lane *lane = s->lane;
  RH_TRY(rh_checks_add(&s->checks, slot->index, slot->first, slot->note, lane->job.device,
                       lane->job.answer.depth, value, error));
  rh_fold_rebase(s->fold.op, value, slot->first);
  s->out->n += slot->n;
  s->out->chunks++;
  return rh_fold_add(&s->fold, 0, slot->index, value, error);
}

static rh_status fetch_next(stream *s, rh_error *error) {
  _Alignas(16) unsigned char value[RH_ANY_VALUE_BYTES];
  rh_lane_chunk *chunk = &s->chunks[s->fetched % MOST_IN_FLIGHT];
  rh_ring_slot *slot = chunk->slot;
  rh_chunk_times times;
  RH_TRY(rh_lane_fetch(s->lane, chunk, value, &times, error));
  s->fetched++;
  note_times(s, &times);
  rh_status status = add_value(s, slot, value, error);
  free(slot->note);
  slot->note = NULL;
  rh_ring_give_back(s->ring, slot);
  return status;
}

static int may_send(const stream *s) {
  return s->sent - s->run < s->ahead && s->sent - s->fetched < 2 * s->ahead;
}

/* Copies go ahead of reductions, and reductions ahead of waiting for their values. */
static rh_status pass_chunks(stream *s, rh_error *error) {
  int is_over = 0;
  while (!is_over || s->fetched < s->sent) {
    while (!is_over && may_send(s) && (s->sent == s->fetched || rh_ring_is_ready(s->ring)))
      RH_TRY(send_next(s, &is_over, error));
    if (s->run < s->sent) {
      RH_TRY(rh_lane_run(s->lane, &s->chunks[s->run % MOST_IN_FLIGHT], error));
      s->run++;
    }
    if (s->fetched < s->run && (s->run - s->fetched == s->ahead || s->run == s->sent))
      RH_TRY(fetch_next(s, error));
  }
  return RH_OK;
}

/* ---- The whole ---- */

/* What no check of the answer would show, on a few elements. */
static rh_status try_strategy(const rh_stream_spec *spec, rh_lane *lane, rh_error *error) {
  if (spec->check != RH_CHECK_FULL) {
    rh_status status = rh_job_self_test(&lane->job, error);
    if (status == RH_E_WRONG && !spec->job->custom)
      rh_redhost_blame(lane->job.redhost, lane->job.strategy->name, lane->job.path, spec->job->op,
                       spec->job->type, 0, lane->chunk_n);
    RH_TRY(status);
  }
  return rh_job_check_order(&lane->job, error);
}

static uint32_t processors(void) {
  long n = sysconf(_SC_NPROCESSORS_ONLN);
  return n > 1 ? (uint32_t)n : 1;
}

/* Does the device have memory of its own? */
static int copies(const rh_stream_spec *spec) {
  return spec->device && !spec->device->shares_memory;
}

/* Those that copy leave a quarter of the processors to the driver and to us. */
static uint32_t count_readers(const rh_stream_spec *spec) {
  uint32_t n = processors(), most = MOST_READERS;
  if (spec->source->in_order) return 1;
  if (copies(spec)) {
    most = MOST_READERS_FOR_COPIES;
    n -= n / 4;
  }
  return n < most ? n : most;
}

static uint32_t count_checkers(const stream *s) {
  uint32_t n = processors();
  if (s->spec->check == RH_CHECK_NONE || checks_itself(s)) return 0;
  return n < RH_RING_MOST_THREADS ? n : RH_RING_MOST_THREADS;
}

static uint32_t count_slots(uint32_t readers, uint32_t checkers, uint32_t ahead) {
  uint32_t slots = readers + checkers + 2 * ahead;
  return slots < RH_RING_MOST_SLOTS ? slots : RH_RING_MOST_SLOTS;
}

static rh_status conclude(stream *s, rh_error *error) {
  _Alignas(16) unsigned char value[RH_ANY_VALUE_BYTES] = {0};
  rh_streamed *out = s->out;
  rh_job_spec whole = *s->spec->job;
  const rh_job *job = &s->lane->job;
  whole.n = out->n;
  RH_TRY(rh_fold_value(&s->fold, value, error));
  rh_job_result(&whole, job->strategy->name, value, &out->result);
  for (uint64_t k = 1; job->answer.depth && k < out->chunks; k *= 2) out->depth++;
  if (job->answer.depth) out->depth += job->answer.depth;
  out->checked = s->checks.checked;
  s->checks.job = &whole;
  RH_TRY(rh_checks_conclude(&s->checks, error));
  out->reference = s->checks.whole;
  out->verdict = s->checks.verdict;
  if (s->spec->check == RH_CHECK_FULL)
    rh_job_judge(&whole, job->device, out->depth, &out->reference, &out->result, &out->verdict);
  return RH_OK;
}

static rh_status stream_chunks(stream *s, uint32_t readers, uint32_t checkers, rh_error *error) {
  const rh_ring_spec ring = {.source = s->spec->source,
                             .chunk_n = s->lane->chunk_n,
                             .n_slots = s->lane->slots.n,
                             .n_readers = readers,
                             .n_checkers = checkers,
                             .memory = s->lane->slots.memory,
                             .offsets = s->lane->offsets,
                             .check = check,
                             .user = s,
                             .reporter = &s->lane->job.redhost->options.reporter};
  s->begin_s = rh_now();
  s->out->was_read = 1;
  RH_TRY(rh_ring_create(&s->ring, &ring, error));
  rh_status status = pass_chunks(s, error);
  s->out->seconds = rh_now() - s->begin_s;
  if (status == RH_OK) status = rh_source_check_unchanged(s->spec->source, error);
  return status;
}

/* The device may still be reading slots. */
static void stop(stream *s) {
  if (s->lane->copies) clFinish(s->lane->copies);
  if (s->lane->kernels) clFinish(s->lane->kernels);
  for (; s->fetched < s->sent; s->fetched++) {
    rh_lane_chunk *chunk = &s->chunks[s->fetched % MOST_IN_FLIGHT];
    rh_lane_drop(chunk);
  }
  rh_ring_destroy(s->ring);
  rh_fold_finish(&s->fold);
  rh_checks_finish(&s->checks);
}

static void describe(const stream *s, uint32_t readers) {
  rh_streamed *out = s->out;
  const rh_slots *slots = &s->lane->slots;
  const rh_reporter *reporter = &s->lane->job.redhost->options.reporter;
  out->chunk_n = s->lane->chunk_n;
  out->slots = slots->n;
  out->slot_bytes = slots->bytes;
  out->readers = readers;
  out->is_pinned = slots->is_pinned;
  out->in_place = !s->lane->job.device || slots->shares;
  out->setup_s = s->lane->job.setup_s;
  if (s->lane->unpinned.status != RH_OK)
    rh_log(reporter, RH_LOG_INFO, "copies go from pageable memory: %s", s->lane->unpinned.message);
}

static uint64_t chunk_of(const rh_stream_spec *spec) {
  uint64_t bytes = copies(spec) ? DEVICE_CHUNK : HOST_CHUNK;
  return rh_lane_chunk_n(spec->job, spec->chunk_bytes ? spec->chunk_bytes : bytes);
}

static rh_status check_count(const rh_stream_spec *spec, rh_error *error) {
  const rh_operator *custom = spec->job->custom;
  if (spec->source->n != UINT64_MAX || !custom || rh_exprs_count_slot(custom->load) < 0)
    return RH_OK;
  return rh_fail(error, RH_E_USAGE,
                 "the map uses n, which is known only at the end of a pipe of raw elements; pipe "
                 "them in as .npy");
}

static uint64_t element_bytes(const rh_job_spec *job) {
  return job->custom ? rh_operator_element_bytes(job->custom) : rh_type_size(job->type);
}

rh_status rh_stream_run(rh_redhost *redhost, const rh_stream_spec *spec, rh_lane *lane,
                        rh_streamed *out, rh_error *error) {
  stream s = {
      .spec = spec, .lane = lane, .out = out, .ahead = copies(spec) ? AHEAD_OF_COPIES : AHEAD};
  *out = (rh_streamed){.times = calloc(RH_STREAM_MOST_TIMES, sizeof(rh_chunk_times))};
  *lane = (rh_lane){0};
  if (!out->times) return rh_fail(error, RH_E_NOMEM, "no memory for a stream's times");
  RH_TRY(check_count(spec, error));
  rh_checks_init(&s.checks, spec->check, spec->job, spec->source->n);
  uint32_t readers = count_readers(spec), checkers = count_checkers(&s);
  uint32_t slots = count_slots(readers, checkers, s.ahead);
  rh_status status = rh_lane_init(lane, redhost, spec->job, chunk_of(spec), slots, error);
  if (status == RH_OK) {
    rh_fold_init(&s.fold, rh_instance_op(lane->job.instance));
    status = try_strategy(spec, lane, error);
    lane->whole_n = spec->source->n;
  }
  if (status == RH_OK) {
    describe(&s, readers);
    status = stream_chunks(&s, readers, checkers, error);
  }
  if (status == RH_OK) status = conclude(&s, error);
  out->bytes = out->n * element_bytes(spec->job);
  stop(&s);
  return status;
}

void rh_streamed_finish(rh_streamed *streamed) {
  free(streamed->times);
  *streamed = (rh_streamed){0};
}
