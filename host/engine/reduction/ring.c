#include "reduction.h"

enum { FREE, FILLED, FULL, READY, TAKEN };

struct rh_ring {
  rh_ring_spec spec;
  rh_ring_slot slots[RH_RING_MOST_SLOTS];
  uint64_t next_read, next_taken; /* counted in this ring: its k-th chunk is in slot k % n_slots */
  uint64_t end;                   /* its chunks in all; UINT64_MAX: not known yet */
  atomic_int stop;
  rh_error failure;
  pthread_mutex_t lock;  /* of all of that */
  pthread_mutex_t claim; /* held while one reader waits for a slot and is dealt its chunk */
  rh_ring_slot *filling; /* has pieces that no reader has taken; under `claim` */
  /* Conditions of slots, one for each state that a thread waits for: a dozen readers that all woke
   * for every chunk cost more than a small chunk. */
  pthread_cond_t freed, full, ready;
  pthread_t threads[RH_RING_MOST_THREADS];
  uint32_t n_threads;
  /* 1: one thread reads, and the others check what it has read.  If several took turns at a source
   * that has an order, nothing would be read until the next one has woken. */
  int has_checkers;
};

rh_ring_slot *rh_ring_slot_of(rh_ring *ring, uint64_t k) {
  return &ring->slots[k % ring->spec.n_slots];
}

/* ---- Changing states ---- */

/* `lock` is held.  Something ended. */
static void wake_all(rh_ring *ring) {
  pthread_cond_broadcast(&ring->freed);
  pthread_cond_broadcast(&ring->full);
  pthread_cond_broadcast(&ring->ready);
}

static void set_state(rh_ring *ring, rh_ring_slot *slot, int state) {
  pthread_mutex_lock(&ring->lock);
  slot->state = state;
  if (state == FREE) pthread_cond_signal(&ring->freed);
  if (state == FULL) pthread_cond_signal(&ring->full);
  if (state == READY) pthread_cond_broadcast(&ring->ready);
  pthread_mutex_unlock(&ring->lock);
}

/* The first failure counts. */
void rh_ring_stop(rh_ring *ring, const rh_error *why) {
  pthread_mutex_lock(&ring->lock);
  if (ring->failure.status == RH_OK) ring->failure = *why;
  atomic_store(&ring->stop, 1);
  wake_all(ring);
  pthread_mutex_unlock(&ring->lock);
  pthread_mutex_lock(&ring->spec.schedule->lock);
  pthread_cond_broadcast(&ring->spec.schedule->changed); /* it looks at `stop` */
  pthread_mutex_unlock(&ring->spec.schedule->lock);
}

/* ---- Readers ---- */

/* `claim` is held, so that nobody else takes the slot. */
static int wait_for_room(rh_ring *ring) {
  pthread_mutex_lock(&ring->lock);
  while (!atomic_load(&ring->stop) && ring->next_read < ring->end &&
         rh_ring_slot_of(ring, ring->next_read)->state != FREE)
    pthread_cond_wait(&ring->freed, &ring->lock);
  int has_room = !atomic_load(&ring->stop) && ring->next_read < ring->end;
  pthread_mutex_unlock(&ring->lock);
  return has_room;
}

/* `lock` is held. */
static void begin_slot(rh_ring *ring, rh_ring_slot *slot, uint64_t index) {
  const rh_schedule *schedule = ring->spec.schedule;
  uint64_t first = index * schedule->chunk_n, n = schedule->chunk_n;
  uint64_t piece_n = ring->spec.piece_n;
  uint32_t n_pieces = 1;
  if (n > schedule->n - first) n = schedule->n - first;
  /* A source that has an order is read from one end to the other, so by whole chunks; and of what
   * is viewed nothing is read. */
  if (piece_n && !ring->spec.views && !schedule->source->in_order)
    n_pieces = (uint32_t)(n / piece_n + (n % piece_n != 0));
  *slot = (rh_ring_slot){.number = slot->number,
                         .memory = slot->memory,
                         .index = index,
                         .first = first,
                         .n = n,
                         .read_s[0] = rh_now(),
                         .state = FILLED,
                         .n_pieces = n_pieces,
                         .left = n_pieces};
  for (uint32_t k = 0; k < schedule->source->n_operands; k++)
    slot->operands[k] = (char *)slot->memory + ring->spec.offsets[k];
}

/* `claim` is held, and there is room.  The slot with a piece to read, and which; null: nothing
 * follows. */
static rh_ring_slot *claim_piece(rh_ring *ring, uint32_t *piece) {
  uint64_t index;
  if (!ring->filling) {
    int is_dealt = rh_schedule_next(ring->spec.schedule, ring->spec.worker, &ring->stop, &index);
    pthread_mutex_lock(&ring->lock);
    if (is_dealt) {
      ring->filling = rh_ring_slot_of(ring, ring->next_read++);
      begin_slot(ring, ring->filling, index);
    } else {
      ring->end = ring->next_read;
      wake_all(ring);
    }
    pthread_mutex_unlock(&ring->lock);
  }
  rh_ring_slot *slot = ring->filling;
  if (!slot) return NULL;
  *piece = slot->begun++;
  if (slot->begun == slot->n_pieces) ring->filling = NULL;
  return slot;
}

/* *got: fewer than `wanted` only at the end of a source of unknown length, whose chunks are one
 * piece. */
static rh_status read_operand(const rh_ring *ring, rh_ring_slot *slot, uint32_t k, uint64_t skip,
                              uint64_t wanted, uint64_t *got, rh_error *error) {
  const rh_source *source = ring->spec.schedule->source;
  char *to = (char *)slot->memory + ring->spec.offsets[k];
  *got = wanted;
  if (ring->spec.views) {
    RH_TRY(rh_source_at(source, k, slot->first, slot->n, &slot->operands[k], error));
    if (slot->operands[k]) return RH_OK;
    slot->operands[k] = to;
  }
  to += skip * rh_type_size(source->types[k]);
  return source->read(source, k, slot->first + skip, wanted, to, &ring->stop, got, error);
}

static rh_status read_operands(const rh_ring *ring, rh_ring_slot *slot, uint32_t piece,
                               uint64_t *got, rh_error *error) {
  uint64_t skip = slot->n_pieces > 1 ? piece * ring->spec.piece_n : 0;
  uint64_t wanted = slot->n - skip;
  if (slot->n_pieces > 1 && wanted > ring->spec.piece_n) wanted = ring->spec.piece_n;
  *got = wanted;
  for (uint32_t k = 0; k < ring->spec.schedule->source->n_operands; k++) {
    uint64_t of_operand;
    RH_TRY(read_operand(ring, slot, k, skip, wanted, &of_operand, error));
    if (of_operand < *got) *got = of_operand;
  }
  return RH_OK;
}

/* 0: nothing follows.  *is_full: 1: the slot is this thread's, to be looked at. */
static int read_piece(rh_ring *ring, rh_ring_slot *slot, uint32_t piece, int *is_full) {
  rh_error error = {0};
  uint64_t got;
  if (read_operands(ring, slot, piece, &got, &error) != RH_OK) {
    rh_ring_stop(ring, &error);
    /* Nobody goes on behind it, and says of the next chunk that it is out of order. */
    if (ring->spec.schedule->source->in_order)
      rh_schedule_read(ring->spec.schedule, ring->spec.worker, slot->index, 0);
    return 0;
  }
  if (slot->n_pieces == 1) slot->n = got;
  pthread_mutex_lock(&ring->lock);
  int is_last = --slot->left == 0;
  if (is_last) slot->read_s[1] = rh_now();
  pthread_mutex_unlock(&ring->lock);
  if (!is_last) return 1;
  rh_schedule_read(ring->spec.schedule, ring->spec.worker, slot->index, slot->n);
  *is_full = slot->n > 0;
  if (*is_full) return 1;
  /* The source ends where the chunk would have begun: the slot, the last one, has none. */
  pthread_mutex_lock(&ring->lock);
  slot->state = FREE;
  ring->end = --ring->next_read;
  wake_all(ring);
  pthread_mutex_unlock(&ring->lock);
  return 0;
}

static int look_at(rh_ring *ring, rh_ring_slot *slot) {
  rh_error error = {0};
  if (!ring->spec.check || ring->spec.check(ring->spec.user, slot, &error) == RH_OK) {
    set_state(ring, slot, READY);
    return 1;
  }
  rh_ring_stop(ring, &error);
  return 0;
}

/* A source that has an order is read by one thread of all rings at a time, from the schedule on. */
static void *reader_main(void *of_ring) {
  rh_ring *ring = of_ring;
  rh_schedule *schedule = ring->spec.schedule;
  int in_order = schedule->source->in_order, goes_on = 1;
  while (goes_on) {
    uint32_t piece = 0;
    int is_full = 0;
    pthread_mutex_lock(&ring->claim);
    int has_room = ring->filling ? !atomic_load(&ring->stop) : wait_for_room(ring);
    if (in_order && has_room) pthread_mutex_lock(&schedule->in_order);
    rh_ring_slot *slot = has_room ? claim_piece(ring, &piece) : NULL;
    pthread_mutex_unlock(&ring->claim);
    goes_on = slot && read_piece(ring, slot, piece, &is_full);
    if (in_order && has_room) pthread_mutex_unlock(&schedule->in_order);
    if (is_full && ring->has_checkers) set_state(ring, slot, FULL);
    else if (is_full) goes_on = look_at(ring, slot);
  }
  return NULL;
}

/* ---- Checkers ---- */

/* Null: nothing follows. */
static rh_ring_slot *claim_full(rh_ring *ring) {
  rh_ring_slot *slot = NULL;
  pthread_mutex_lock(&ring->lock);
  while (!slot && !atomic_load(&ring->stop) && ring->next_taken < ring->end) {
    for (uint64_t k = ring->next_taken; k < ring->next_read && !slot; k++)
      if (rh_ring_slot_of(ring, k)->state == FULL) slot = rh_ring_slot_of(ring, k);
    if (!slot) pthread_cond_wait(&ring->full, &ring->lock);
  }
  if (slot) slot->state = FILLED;
  pthread_mutex_unlock(&ring->lock);
  return slot;
}

static void *checker_main(void *of_ring) {
  rh_ring *ring = of_ring;
  rh_ring_slot *slot = claim_full(ring);
  while (slot && look_at(ring, slot)) slot = claim_full(ring);
  return NULL;
}

/* ---- The caller ---- */

static uint32_t start_threads(rh_ring *ring, uint32_t n, void *(*run)(void *)) {
  uint32_t before = ring->n_threads;
  for (uint32_t k = 0; k < n; k++)
    if (pthread_create(&ring->threads[ring->n_threads], NULL, run, ring) == 0) ring->n_threads++;
  return ring->n_threads - before;
}

rh_status rh_ring_create(rh_ring **made, const rh_ring_spec *spec, rh_error *error) {
  uint32_t n = spec->n_readers;
  int in_order = spec->schedule->source->in_order;
  RH_TRY(RH_NEW(made, 1, "a ring", error));
  rh_ring *ring = *made;
  ring->spec = *spec;
  ring->end = UINT64_MAX;
  for (uint32_t k = 0; k < spec->n_slots; k++)
    ring->slots[k] = (rh_ring_slot){.number = k, .memory = spec->memory[k]};
  pthread_mutex_init(&ring->lock, NULL);
  pthread_mutex_init(&ring->claim, NULL);
  rh_condition_init(&ring->freed);
  rh_condition_init(&ring->full);
  rh_condition_init(&ring->ready);
  if (in_order) ring->has_checkers = start_threads(ring, n - 1, checker_main) > 0;
  if (start_threads(ring, in_order ? 1 : n, reader_main)) return RH_OK;
  return rh_fail(error, RH_E_NOMEM, "no thread could be started to read the data");
}

static int is_ready(rh_ring *ring) {
  return ring->failure.status != RH_OK || ring->next_taken >= ring->end ||
         rh_ring_slot_of(ring, ring->next_taken)->state == READY;
}

int rh_ring_await(rh_ring *ring, double seconds) {
  double end = rh_now() + seconds;
  pthread_mutex_lock(&ring->lock);
  while (!is_ready(ring) && rh_now() < end) rh_condition_wait(&ring->ready, &ring->lock, end);
  int ready = is_ready(ring);
  pthread_mutex_unlock(&ring->lock);
  return ready;
}

rh_status rh_ring_take(rh_ring *ring, rh_ring_slot **slot, rh_error *error) {
  const rh_ring_spec *spec = &ring->spec;
  rh_status status = rh_schedule_report(spec->schedule, spec->reporter, error);
  *slot = NULL;
  if (status != RH_OK) return status;
  pthread_mutex_lock(&ring->lock);
  while (!is_ready(ring) && status == RH_OK) {
    rh_condition_wait(&ring->ready, &ring->lock, rh_now() + rh_report_period_s);
    pthread_mutex_unlock(&ring->lock);
    status = rh_schedule_report(spec->schedule, spec->reporter, error);
    pthread_mutex_lock(&ring->lock);
  }
  if (status == RH_OK && ring->failure.status != RH_OK) {
    status = ring->failure.status;
    if (error) *error = ring->failure;
  } else if (status == RH_OK && ring->next_taken < ring->end) {
    *slot = rh_ring_slot_of(ring, ring->next_taken++);
    (*slot)->state = TAKEN;
    if (ring->next_taken >= ring->end) wake_all(ring);
  }
  pthread_mutex_unlock(&ring->lock);
  return status;
}

void rh_ring_give_back(rh_ring *ring, rh_ring_slot *slot) {
  if (ring->spec.views) rh_source_leave(ring->spec.schedule->source, slot->first, slot->n);
  set_state(ring, slot, FREE);
}

void rh_ring_destroy(rh_ring *ring) {
  const rh_error cancelled = {.status = RH_E_CANCELLED};
  if (!ring) return;
  rh_ring_stop(ring, &cancelled);
  for (uint32_t k = 0; k < ring->n_threads; k++) pthread_join(ring->threads[k], NULL);
  for (uint32_t k = 0; k < ring->spec.n_slots; k++) free(ring->slots[k].note);
  pthread_cond_destroy(&ring->freed);
  pthread_cond_destroy(&ring->full);
  pthread_cond_destroy(&ring->ready);
  pthread_mutex_destroy(&ring->lock);
  pthread_mutex_destroy(&ring->claim);
  free(ring);
}
