#include "reduction.h"

#include <stdlib.h>
#include <string.h>

/* A worker at one run of chunks. */
typedef struct task {
  rh_reduction *reduction;
  rh_worker *device;
  rh_streamer streamer;
  pthread_t thread;
} task;

/* It is not on a stack: a strategy may end its thread, which threads of its ring survive. */
typedef struct rh_reduction_state {
  uint64_t tile, begin, end; /* tiles that are reduced: begin .. end-1 */
  uint32_t most_level;       /* a chunk has 2^level tiles, at most */
  uint32_t level;            /* of those that are reduced now */
  double begin_s;
  rh_schedule schedule;
  task *tasks; /* that have not failed */
  uint32_t n_tasks;
  pthread_mutex_t lock; /* of all that follows, the partial, and what was counted */
  pthread_cond_t ended;
  uint32_t n_started, n_ended; /* workers in threads of their own */
  rh_error failure;            /* the first that ends it all */
} state;

static const rh_job_spec *job_of(const rh_reduction *r) {
  return r->partial->job;
}

/* ---- Checking ---- */

static int may_change(const rh_source *source) {
  return source->arrays[0] || rh_source_is_viewed(source);
}

/* In the thread that reduces, if there is no other, by all processors; or by a device. */
static rh_status refer(const task *w, rh_ring_slot *slot, rh_error *error) {
  const rh_reduction *r = w->reduction;
  uint32_t threads = w->device->checkers || rh_stream_looks_itself(job_of(r));
  rh_reference *part = slot->note = aligned_alloc(_Alignof(rh_reference), sizeof *part);
  if (!part) return rh_fail(error, RH_E_NOMEM, "no memory for a chunk's reference");
  return rh_partial_refer(r->partial, slot->operands, slot->first, slot->n, threads, part, error);
}

static rh_status look_at(void *of_task, rh_ring_slot *slot, rh_error *error) {
  const task *w = of_task;
  rh_reduction *r = w->reduction;
  if (!rh_partial_wants(r->partial, slot->index)) return RH_OK;
  if (!rh_stream_looks_itself(job_of(r))) return refer(w, slot, error);
  pthread_mutex_lock(&r->state->lock);
  rh_status status = refer(w, slot, error);
  pthread_mutex_unlock(&r->state->lock);
  return status;
}

/* ---- Values ---- */

static void note_copy(rh_reduction *r, const double copy[2]) {
  double begin = copy[0] - r->state->begin_s, end = copy[1] - r->state->begin_s;
  if (r->copies[1] == 0 || begin < r->copies[0]) r->copies[0] = begin;
  if (end > r->copies[1]) r->copies[1] = end;
}

static void note_times(rh_reduction *r, const rh_chunk_times *times) {
  if (times->copy[1] > 0) note_copy(r, times->copy);
  r->read_s += times->read[1] - times->read[0];
  r->copy_s += times->copy[1] - times->copy[0];
  r->run_s += times->run[1] - times->run[0];
  if (r->n_times == RH_REDUCTION_MOST_TIMES) return;
  rh_chunk_times *to = &r->times[r->n_times++];
  *to = *times;
  for (int k = 0; k < 2; k++) {
    to->read[k] -= r->state->begin_s;
    to->run[k] -= r->state->begin_s;
    if (times->copy[1] > 0) to->copy[k] -= r->state->begin_s;
  }
}

static rh_status add_value(rh_reduction *r, const rh_job *by, const rh_partial_chunk *chunk,
                           rh_error *error) {
  if (r->spec.stop && atomic_load(r->spec.stop))
    return rh_fail(error, RH_E_CANCELLED, "another rank has failed");
  r->n += chunk->n;
  r->chunks++;
  rh_status status = rh_partial_add(r->partial, by, chunk, error);
  return status == RH_E_WRONG && !r->spec.ends_if_wrong ? RH_OK : status;
}

static rh_status take_value(void *of_task, const rh_ring_slot *slot, const void *value,
                            const rh_chunk_times *times, rh_error *error) {
  const task *w = of_task;
  rh_reduction *r = w->reduction;
  const rh_partial_chunk chunk = {.first = slot->first,
                                  .n = slot->n,
                                  .level = r->state->level,
                                  .operands = slot->operands,
                                  .may_change = may_change(r->spec.source),
                                  .reference = slot->note,
                                  .value = value};
  pthread_mutex_lock(&r->state->lock);
  note_times(r, times);
  rh_status status = add_value(r, &w->device->chunk, &chunk, error);
  pthread_mutex_unlock(&r->state->lock);
  w->device->chunks++;
  w->device->n += slot->n;
  return status;
}

/* ---- Workers ---- */

static void stop_all(state *s, const rh_error *why) {
  pthread_mutex_lock(&s->lock);
  if (s->failure.status == RH_OK) s->failure = *why;
  pthread_mutex_unlock(&s->lock);
  for (uint32_t k = 0; k < s->n_tasks; k++)
    if (s->tasks[k].streamer.ring) rh_ring_stop(s->tasks[k].streamer.ring, why);
}

static void work(task *w) {
  rh_reduction *r = w->reduction;
  rh_error error = {0};
  if (rh_streamer_run(&w->streamer, &error) == RH_OK) return;
  int is_its_own = w->streamer.device_failed && error.status != RH_E_CANCELLED;
  if (is_its_own) w->device->failure = error;
  if (!is_its_own || r->spec.source->in_order ||
      !rh_schedule_give_up(&r->state->schedule, w->streamer.spec.worker))
    stop_all(r->state, &error);
}

static void *task_main(void *of_task) {
  task *w = of_task;
  state *s = w->reduction->state;
  work(w);
  pthread_mutex_lock(&s->lock);
  s->n_ended++;
  pthread_cond_signal(&s->ended);
  pthread_mutex_unlock(&s->lock);
  return NULL;
}

static rh_status begin(task *w, uint32_t number, rh_error *error) {
  rh_reduction *r = w->reduction;
  const rh_streamer_spec spec = {.device = w->device,
                                 .schedule = &r->state->schedule,
                                 .worker = number,
                                 .look = look_at,
                                 .take = take_value,
                                 .user = w,
                                 .reporter = number == 0 ? r->spec.reporter : NULL};
  return rh_streamer_begin(&w->streamer, &spec, error);
}

static rh_status start_others(state *s, rh_error *error) {
  for (uint32_t k = 1; k < s->n_tasks; k++) {
    if (pthread_create(&s->tasks[k].thread, NULL, task_main, &s->tasks[k]) != 0)
      return rh_fail(error, RH_E_NOMEM, "no thread could be started for a device");
    s->n_started++;
  }
  return RH_OK;
}

/* This thread's own device may be done, or have failed, long before the others. */
static void wait_for_others(rh_reduction *r) {
  state *s = r->state;
  rh_error error = {0};
  pthread_mutex_lock(&s->lock);
  while (s->n_ended < s->n_started) {
    rh_condition_wait(&s->ended, &s->lock, rh_now() + rh_report_period_s);
    pthread_mutex_unlock(&s->lock);
    if (rh_schedule_report(&s->schedule, r->spec.reporter, &error) != RH_OK) stop_all(s, &error);
    pthread_mutex_lock(&s->lock);
  }
  pthread_mutex_unlock(&s->lock);
  for (uint32_t k = 0; k < s->n_started; k++) pthread_join(s->tasks[k + 1].thread, NULL);
}

static void finish_chunks(state *s) {
  for (uint32_t k = 0; k < s->n_tasks; k++) rh_streamer_finish(&s->tasks[k].streamer);
  rh_schedule_finish(&s->schedule);
  s->n_tasks = s->n_started = s->n_ended = 0;
}

static void gather_tasks(rh_reduction *r) {
  state *s = r->state;
  for (uint32_t k = 0; k < r->spec.n_devices; k++) {
    rh_worker *device = &r->spec.devices[k];
    if (device->is_up && device->failure.status == RH_OK)
      s->tasks[s->n_tasks++] = (task){.reduction = r, .device = device};
  }
}

/* ---- Chunks ---- */

/* `count` chunks of the level from tile `at` on; UINT64_MAX: all that there are. */
static rh_status reduce_staged(rh_reduction *r, uint64_t at, uint64_t count, rh_error *error) {
  state *s = r->state;
  gather_tasks(r);
  RH_TRY(rh_schedule_init(&s->schedule, r->spec.source, s->tile << s->level, s->n_tasks, error));
  if (count != UINT64_MAX) {
    uint64_t stop = r->spec.first + r->spec.n;
    if (s->schedule.n > stop) s->schedule.n = stop;
    rh_schedule_only(&s->schedule, at >> s->level, (at >> s->level) + count);
  }
  rh_error why = {0};
  rh_status status = RH_OK;
  for (uint32_t k = 0; k < s->n_tasks && status == RH_OK; k++)
    status = begin(&s->tasks[k], k, &why);
  if (status == RH_OK) status = start_others(s, &why);
  if (status == RH_OK)
    work(&s->tasks[0]);
  else
    stop_all(s, &why);
  wait_for_others(r);
  finish_chunks(s);
  if (s->failure.status != RH_OK && error) *error = s->failure;
  return s->failure.status;
}

/* Where the arrays are, in the caller's thread. */
static rh_status reduce_in_place(rh_reduction *r, uint64_t first, uint64_t n, rh_error *error) {
  _Alignas(16) unsigned char value[RH_ANY_VALUE_BYTES] = {0};
  const void *operands[RH_MOST_OPERANDS];
  const rh_source *source = r->spec.source;
  rh_job *job = r->spec.job;
  rh_partial_chunk chunk = {.first = first,
                            .n = n,
                            .level = r->state->level,
                            .operands = operands,
                            .may_change = 1,
                            .value = value};
  rh_reference reference;
  rh_data data;
  for (uint32_t k = 0; k < source->n_operands; k++)
    operands[k] =
        (const char *)source->arrays[k] + (first - source->first) * rh_type_size(source->types[k]);
  RH_TRY(rh_operands_bring(job, r->spec.inputs, operands, n, &data, error));
  if (data.operands) {
    data.operands->whole_n = r->partial->whole_n;
    rh_operator_set_base(job->spec.operation.op, data.operands->constants, first);
  }
  if (r->partial->check == RH_CHECK_FULL) {
    chunk.reference = &reference;
    RH_TRY(rh_partial_refer(r->partial, operands, first, n, 0, &reference, error));
  }
  RH_TRY(rh_instance_call(job->instance, &data, n, value, error));
  return add_value(r, job, &chunk, error);
}

static uint64_t stop_of(const rh_reduction *r) {
  return r->spec.n == UINT64_MAX ? UINT64_MAX : r->spec.first + r->spec.n;
}

static int is_last(const rh_reduction *r) {
  return r->spec.n != UINT64_MAX && stop_of(r) == r->partial->whole_n;
}

static rh_status reduce_chunks(rh_reduction *r, uint64_t at, uint64_t count, rh_error *error) {
  const state *s = r->state;
  if (!r->spec.job) return reduce_staged(r, at, count, error);
  uint64_t n = s->tile << s->level;
  for (uint64_t k = 0; k < count; k++, at += UINT64_C(1) << s->level) {
    uint64_t first = at * s->tile, left = stop_of(r) - first;
    RH_TRY(rh_progress(r->spec.reporter, "reducing", at - s->begin, s->end - s->begin, error));
    RH_TRY(reduce_in_place(r, first, n < left ? n : left, error));
  }
  return RH_OK;
}

/* Small ones lead to the first that is aligned to the most, and from the last of these to the end,
 * unless that is the end of all. */
static rh_status reduce_tiles(rh_reduction *r, rh_error *error) {
  state *s = r->state;
  uint64_t all = is_last(r) ? s->end : UINT64_MAX;
  s->level = s->most_level;
  if (r->spec.n == UINT64_MAX) return reduce_chunks(r, 0, UINT64_MAX, error);
  for (uint64_t at = s->begin, count; at < s->end; at += count << s->level) {
    uint64_t left = s->end - at;
    s->level = rh_partition_level(at, s->end, all);
    if (s->level >= s->most_level) s->level = s->most_level;
    count = 1;
    if (s->level == s->most_level) {
      count = left >> s->level;
      if (all == s->end) count += (count << s->level) < left; /* the last one is not whole */
    }
    RH_TRY(reduce_chunks(r, at, count, error));
  }
  return RH_OK;
}

/* ---- Elements of tiles that are not whole ---- */

static rh_status read_edge(const rh_reduction *r, uint64_t first, uint64_t n, rh_error *error) {
  const rh_source *source = r->spec.source;
  const void *operands[RH_MOST_OPERANDS];
  void *memory[RH_MOST_OPERANDS] = {0};
  static const atomic_int goes_on;
  rh_status status = RH_OK;
  uint64_t got;
  for (uint32_t k = 0; k < source->n_operands && status == RH_OK && n; k++) {
    operands[k] = memory[k] = malloc(n * rh_type_size(source->types[k]));
    status = memory[k] ? source->read(source, k, first, n, memory[k], &goes_on, &got, error)
                       : rh_fail(error, RH_E_NOMEM, "no memory for the elements of a tile");
  }
  if (status == RH_OK && n) status = rh_partial_add_edge(r->partial, first, n, operands, error);
  for (uint32_t k = 0; k < source->n_operands; k++) free(memory[k]);
  return status;
}

static rh_status read_edges(const rh_reduction *r, rh_error *error) {
  const state *s = r->state;
  uint64_t first = r->spec.first, stop = stop_of(r);
  uint64_t begin = s->begin * s->tile, end = s->end * s->tile;
  if (r->spec.n == UINT64_MAX) return RH_OK;
  if (s->begin >= s->end) return read_edge(r, first, r->spec.n, error);
  RH_TRY(read_edge(r, first, begin - first, error));
  return end < stop ? read_edge(r, end, stop - end, error) : RH_OK;
}

/* ---- Setting up ---- */

static void find_tiles(const rh_reduction *r) {
  state *s = r->state;
  uint64_t first = r->spec.first, stop = stop_of(r), end = stop / s->tile;
  s->begin = first / s->tile + (first % s->tile != 0);
  if (is_last(r) && stop % s->tile) end++;
  s->end = end > s->begin && r->spec.n ? end : s->begin;
}

/* Chunks are as large as suits the devices.  Where the part neither begins nor ends with a chunk,
 * some are smaller, so there are to be many others; else it has chunks of one size, where that is
 * not too small. */
static uint32_t level_of(const rh_reduction *r, uint64_t suits) {
  enum { MANY = 32 };
  const state *s = r->state;
  uint64_t tiles = s->end - s->begin;
  uint64_t meets = s->begin | (is_last(r) || r->spec.n == UINT64_MAX ? 0 : s->end);
  uint32_t level = 0;
  while (UINT64_C(2) << level <= suits &&
         ((meets & ((UINT64_C(2) << level) - 1)) == 0 || tiles >> level > MANY))
    level++;
  return level;
}

/* Chunks of workers that are up have the size that these were set up for. */
static rh_status set_up(rh_reduction *r, rh_error *error) {
  const rh_reduction_spec *spec = &r->spec;
  state *s = r->state;
  int check = (int)r->partial->check;
  if (spec->devices[0].is_up) {
    uint64_t suits = spec->devices[0].chunk_n / s->tile;
    while (UINT64_C(2) << s->most_level <= suits) s->most_level++;
    spec->devices[0].whole_n = r->partial->whole_n;
    spec->devices[0].failure.status = RH_OK; /* of an earlier call */
    return rh_staging_clear(spec->devices[0].staging, error);
  }
  uint64_t chunk_n = rh_stream_chunk_n(spec->devices, spec->n_devices, spec->processes,
                                       spec->source, check, spec->chunk_bytes);
  s->most_level = level_of(r, chunk_n / s->tile);
  return rh_workers_set_up(spec->devices, spec->n_devices, rh_stream_processors(spec->processes),
                           spec->source, s->tile << s->most_level, r->partial->whole_n, check,
                           error);
}

static void describe(rh_reduction *r) {
  r->is_pinned = r->in_place = 1;
  r->chunk_n = r->state->tile << r->state->most_level;
  for (uint32_t k = 0; k < r->spec.n_devices; k++) {
    const rh_worker *device = &r->spec.devices[k];
    if (!device->is_up) continue;
    const rh_staging *staging = device->staging;
    r->slot_bytes = staging->bytes;
    r->slots += staging->n;
    r->readers += device->readers;
    r->in_place &= !device->chunk.device || staging->shares;
    r->is_pinned &= staging->is_pinned || !device->chunk.device;
    r->setup_s += device->chunk.setup_s;
  }
}

static rh_status check_count(const rh_reduction *r, rh_error *error) {
  if (r->spec.source->n != UINT64_MAX || job_of(r)->operation.op->count_slot < 0) return RH_OK;
  return rh_fail(error, RH_E_USAGE,
                 "the map uses n, which is known only at the end of a pipe of raw elements; pipe "
                 "them in as .npy");
}

static rh_status make_reduction(rh_reduction **made, const rh_reduction_spec *spec,
                                rh_partial *partial, rh_error *error) {
  static const char what[] = "a reduction";
  state *s;
  RH_TRY(RH_NEW(made, 1, what, error));
  rh_reduction *r = *made;
  *r = (rh_reduction){.spec = *spec, .partial = partial};
  RH_TRY(RH_NEW(&s, 1, what, error));
  r->state = s;
  RH_TRY(RH_NEW(&r->times, spec->job ? 1 : RH_REDUCTION_MOST_TIMES, what, error));
  RH_TRY(RH_NEW(&s->tasks, spec->n_devices + 1, what, error));
  pthread_mutex_init(&s->lock, NULL);
  rh_condition_init(&s->ended);
  s->tile = rh_partial_tile(partial->job);
  s->most_level = spec->most_level;
  return RH_OK;
}

rh_status rh_reduction_open(rh_reduction **reduction, const rh_reduction_spec *spec,
                            rh_partial *partial, rh_error *error) {
  RH_TRY(make_reduction(reduction, spec, partial, error));
  rh_reduction *r = *reduction;
  RH_TRY(check_count(r, error));
  find_tiles(r);
  /* Elements of tiles that are not whole need no strategy. */
  int needs_workers = r->state->begin < r->state->end || spec->n == partial->whole_n;
  if (spec->job || !needs_workers) return RH_OK;
  RH_TRY(set_up(r, error));
  describe(r);
  return RH_OK;
}

void rh_reduction_close(rh_reduction *r) {
  if (!r) return;
  if (r->state && r->state->tasks) {
    finish_chunks(r->state);
    pthread_cond_destroy(&r->state->ended);
    pthread_mutex_destroy(&r->state->lock);
    free(r->state->tasks);
  }
  free(r->state);
  free(r->times);
  free(r);
}

/* ---- The whole ---- */

static void warn_of_failures(const rh_reduction *r) {
  for (uint32_t k = 0; k < r->spec.n_devices; k++) {
    const rh_worker *device = &r->spec.devices[k];
    if (device->is_up && device->failure.status != RH_OK)
      rh_worker_warn(device, "failed, and the others took its chunks");
  }
}

/* A file that changed explains other errors: strategy and reference may see different bytes. */
rh_status rh_reduction_run(rh_reduction *r, rh_error *error) {
  rh_error why = {0};
  r->state->begin_s = rh_now();
  r->was_read = 1;
  rh_status status = reduce_tiles(r, &why);
  if (status == RH_OK) status = read_edges(r, &why);
  r->seconds = rh_now() - r->state->begin_s;
  if (status != RH_E_CANCELLED) RH_TRY(rh_source_check_unchanged(r->spec.source, error));
  if (status == RH_OK)
    warn_of_failures(r);
  else if (error)
    *error = why;
  return status;
}
