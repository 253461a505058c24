#include "reduction.h"

rh_status rh_schedule_init(rh_schedule *schedule, const rh_source *source, uint64_t chunk_n,
                           uint32_t n_workers, rh_error *error) {
  uint64_t n = source->n;
  *schedule = (rh_schedule){.source = source, .chunk_n = chunk_n, .n = n, .n_workers = n_workers};
  schedule->end = n == UINT64_MAX ? n : n / chunk_n + (n % chunk_n != 0);
  uint64_t most = (uint64_t)n_workers * RH_RING_MOST_SLOTS;
  RH_TRY(RH_NEW(&schedule->workers, n_workers, "a schedule", error));
  pthread_mutex_init(&schedule->lock, NULL);
  pthread_mutex_init(&schedule->in_order, NULL);
  pthread_cond_init(&schedule->changed, NULL);
  return RH_NEW(&schedule->returned, most, "a schedule", error);
}

void rh_schedule_finish(rh_schedule *schedule) {
  if (!schedule->workers) return;
  pthread_cond_destroy(&schedule->changed);
  pthread_mutex_destroy(&schedule->in_order);
  pthread_mutex_destroy(&schedule->lock);
  free(schedule->workers);
  free(schedule->returned);
  *schedule = (rh_schedule){0};
}

/* ---- Which worker should have a chunk ---- */

/* Chunks a second; 0: not known yet. */
static double speed_of(const rh_schedule_worker *worker, double now) {
  return worker->done && now > worker->begin_s ? (double)worker->done / (now - worker->begin_s) : 0;
}

/* A slow worker takes one more only if its value would be there before the others were done without
 * it, or one chunk later, for the fastest may be in the middle of one.  The fastest always may, so
 * that somebody does.  Workers whose speed is unknown may, too: that is how it becomes known. */
static int should_have(const rh_schedule *schedule, const rh_schedule_worker *mine) {
  double now = rh_now(), all = 0, fastest = 0, speed = speed_of(mine, now);
  uint64_t left = schedule->end - schedule->next + schedule->n_returned;
  if (schedule->n_workers == 1 || schedule->end == UINT64_MAX || schedule->source->in_order ||
      speed == 0)
    return 1;
  for (uint32_t k = 0; k < schedule->n_workers; k++) {
    const rh_schedule_worker *worker = &schedule->workers[k];
    if (worker->is_gone) continue;
    double other = speed_of(worker, now);
    all += other;
    if (other > fastest) fastest = other;
    left += worker->n_held;
  }
  return speed >= fastest || (mine->n_held + 1) / speed <= (double)left / all + 1 / fastest;
}

static int is_over(const rh_schedule *schedule, uint32_t worker, const atomic_int *stop) {
  if (atomic_load(stop) || schedule->workers[worker].is_gone) return 1;
  if (schedule->next < schedule->end || schedule->n_returned) return 0;
  for (uint32_t k = 0; k < schedule->n_workers; k++) /* others may return chunks yet */
    if (k != worker && schedule->workers[k].n_held) return schedule->source->in_order;
  return 1;
}

int rh_schedule_next(rh_schedule *schedule, uint32_t worker, const atomic_int *stop,
                     uint64_t *index) {
  rh_schedule_worker *mine = &schedule->workers[worker];
  int is_dealt = 0;
  pthread_mutex_lock(&schedule->lock);
  while (!is_over(schedule, worker, stop) && !is_dealt) {
    is_dealt =
        (schedule->next < schedule->end || schedule->n_returned) && should_have(schedule, mine);
    if (!is_dealt) pthread_cond_wait(&schedule->changed, &schedule->lock);
  }
  if (is_dealt) {
    *index = schedule->n_returned ? schedule->returned[--schedule->n_returned] : schedule->next++;
    mine->held[mine->n_held++] = *index;
    if (mine->begin_s == 0) mine->begin_s = rh_now();
  }
  pthread_mutex_unlock(&schedule->lock);
  return is_dealt;
}

/* ---- What became of a chunk ---- */

/* `lock` is held. */
static void let_go(rh_schedule_worker *worker, uint64_t index) {
  uint32_t k = 0;
  while (k < worker->n_held && worker->held[k] != index) k++;
  if (k == worker->n_held) return;
  worker->n_held--;
  memmove(&worker->held[k], &worker->held[k + 1], (worker->n_held - k) * sizeof *worker->held);
}

void rh_schedule_read(rh_schedule *schedule, uint32_t worker, uint64_t index, uint64_t n) {
  pthread_mutex_lock(&schedule->lock);
  if (n < schedule->chunk_n && index + (n > 0) < schedule->end) schedule->end = index + (n > 0);
  if (n == 0) let_go(&schedule->workers[worker], index);
  pthread_cond_broadcast(&schedule->changed);
  pthread_mutex_unlock(&schedule->lock);
}

void rh_schedule_done(rh_schedule *schedule, uint32_t worker, uint64_t index, uint64_t n) {
  pthread_mutex_lock(&schedule->lock);
  let_go(&schedule->workers[worker], index);
  schedule->workers[worker].done++;
  schedule->done_n += n;
  if (schedule->n_workers > 1) pthread_cond_broadcast(&schedule->changed);
  pthread_mutex_unlock(&schedule->lock);
}

int rh_schedule_give_up(rh_schedule *schedule, uint32_t worker) {
  rh_schedule_worker *mine = &schedule->workers[worker];
  uint32_t others = 0;
  pthread_mutex_lock(&schedule->lock);
  for (uint32_t k = 0; k < schedule->n_workers; k++)
    others += k != worker && !schedule->workers[k].is_gone;
  mine->is_gone = 1;
  while (mine->n_held) schedule->returned[schedule->n_returned++] = mine->held[--mine->n_held];
  pthread_cond_broadcast(&schedule->changed);
  pthread_mutex_unlock(&schedule->lock);
  return others > 0;
}

rh_status rh_schedule_report(rh_schedule *schedule, const rh_reporter *reporter, rh_error *error) {
  const rh_source *source = schedule->source;
  uint64_t bytes = 0;
  for (uint32_t k = 0; k < source->n_operands; k++) bytes += rh_type_size(source->types[k]);
  pthread_mutex_lock(&schedule->lock);
  uint64_t done = schedule->done_n;
  pthread_mutex_unlock(&schedule->lock);
  return rh_progress(reporter, "streaming", done * bytes,
                     source->n == UINT64_MAX ? 0 : source->n * bytes, error);
}
