#include "resident_load.h"
#include "../../core/base/error.h"
#include "../../core/run/before_blame.h"
#include "../../core/run/operand_data.h"
#include "worker.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
  MOST_LEVEL = 11
}; /* of a piece, 2^level tiles of 2 KiB: 4 MiB stay in a processor's cache */

typedef struct load {
  const rh_load_spec *spec;
  uint64_t piece_n; /* elements of one, which has 2^level tiles */
  uint32_t level;
  uint64_t offsets[RH_MOST_OPERANDS], bytes;
  rh_staging staging; /* of the host, with a piece in each slot */
  rh_schedule schedule;
  rh_ring *ring;
  pthread_mutex_t doors[RH_MOST_WORKERS]; /* of the parts: a session is one thread's at a time */
  pthread_mutex_t lock;                   /* of the facts and what follows */
  uint32_t failed;
} load;

static const rh_job_spec *job_of(const load *l) {
  return l->spec->facts->job;
}

/* ---- A piece ---- */

static rh_status look_at(load *l, const rh_ring_slot *slot, rh_error *error) {
  rh_partial *facts = l->spec->facts;
  int by_device = rh_stream_looks_itself(job_of(l));
  if (!rh_partial_wants(facts, slot->index)) return RH_OK;
  rh_reference *part = aligned_alloc(_Alignof(rh_reference), sizeof *part);
  if (!part) return rh_fail(error, RH_E_NOMEM, "no memory for a reference");
  rh_status status = RH_OK;
  if (!by_device)
    status = rh_partial_refer(facts, slot->operands, slot->first, slot->n, 1, part, error);
  const rh_partial_chunk chunk = {
      .first = slot->first, .n = slot->n, .level = l->level, .reference = part};
  pthread_mutex_lock(&l->lock);
  if (by_device)
    status = rh_partial_refer(facts, slot->operands, slot->first, slot->n, 1, part, error);
  if (status == RH_OK) status = rh_partial_add(facts, NULL, &chunk, error);
  pthread_mutex_unlock(&l->lock);
  free(part);
  return status;
}

static rh_status bring_operand(load *l, uint32_t k, uint32_t o, const rh_ring_slot *slot,
                               rh_error *error) {
  const rh_resident_part *part = l->spec->parts[k];
  void *to = rh_resident_part_place(part, o, slot->first);
  if (to) {
    memcpy(to, slot->operands[o], slot->n * rh_type_size(l->spec->source->types[o]));
    return RH_OK;
  }
  pthread_mutex_lock(&l->doors[k]);
  rh_status status =
      rh_resident_part_write(part, o, slot->first, slot->n, slot->operands[o], error);
  pthread_mutex_unlock(&l->doors[k]);
  return status;
}

/* In a thread of the ring. */
static rh_status pass(void *of_load, rh_ring_slot *slot, rh_error *error) {
  load *l = of_load;
  uint32_t k = 0;
  rh_status status = look_at(l, slot, error);
  while (slot->first - l->spec->parts[k]->first >= l->spec->parts[k]->n) k++;
  for (uint32_t o = 0; o < l->spec->source->n_operands && status == RH_OK; o++) {
    status = bring_operand(l, k, o, slot, error);
    if (status == RH_OK) continue;
    pthread_mutex_lock(&l->lock);
    l->failed = k;
    pthread_mutex_unlock(&l->lock);
  }
  return status;
}

/* ---- The whole ---- */

/* Pieces end where parts do. */
static void choose_pieces(load *l) {
  const rh_job_spec *job = job_of(l);
  rh_job_spec piece = *job;
  uint64_t tile = rh_partial_tile(job), starts = UINT64_C(1) << MOST_LEVEL;
  for (uint32_t k = 0; k < l->spec->n_parts; k++) starts |= l->spec->parts[k]->first / tile;
  l->level = (uint32_t)__builtin_ctzll(starts);
  l->piece_n = piece.operation.n = tile << l->level;
  l->bytes = rh_operand_layout(&piece, l->offsets);
}

static rh_status start(load *l, rh_error *error) {
  uint32_t threads = rh_stream_processors(1);
  if (threads > RH_RING_MOST_THREADS) threads = RH_RING_MOST_THREADS;
  RH_TRY(rh_staging_open(&l->staging, NULL, rh_stream_slots(threads, threads), l->bytes, error));
  RH_TRY(rh_schedule_init(&l->schedule, l->spec->source, l->piece_n, 1, error));
  const rh_ring_spec ring = {.schedule = &l->schedule,
                             .n_slots = l->staging.n,
                             .n_readers = threads,
                             .n_checkers = threads,
                             .memory = l->staging.memory,
                             .offsets = l->offsets,
                             .check = pass,
                             .user = l,
                             .reporter = l->spec->reporter};
  return rh_ring_create(&l->ring, &ring, error);
}

static rh_status await_all(load *l, rh_error *error) {
  rh_ring_slot *slot;
  for (;;) {
    RH_TRY(rh_ring_take(l->ring, &slot, error));
    if (!slot) return RH_OK;
    rh_schedule_done(&l->schedule, 0, slot->index, slot->n);
    rh_ring_give_back(l->ring, slot);
  }
}

rh_status rh_resident_load(const rh_load_spec *spec, uint32_t *failed, rh_error *error) {
  load l = {.spec = spec, .failed = spec->n_parts};
  choose_pieces(&l);
  pthread_mutex_init(&l.lock, NULL);
  for (uint32_t k = 0; k < spec->n_parts; k++) pthread_mutex_init(&l.doors[k], NULL);
  rh_status status = start(&l, error);
  if (status == RH_OK) status = await_all(&l, error);
  rh_ring_destroy(l.ring);
  rh_schedule_finish(&l.schedule);
  rh_staging_finish(&l.staging);
  for (uint32_t k = 0; k < spec->n_parts; k++) pthread_mutex_destroy(&l.doors[k]);
  pthread_mutex_destroy(&l.lock);
  *failed = l.failed;
  return status;
}

/* ---- Before blame ---- */

rh_status rh_resident_trust(rh_context *context, const rh_job_spec *whole, const rh_source *source,
                            const rh_resident_node *node, rh_error *error) {
  enum { SOME = 1 << 21 };
  const atomic_int stop = 0;
  const void *operands[RH_MOST_OPERANDS];
  uint64_t offsets[RH_MOST_OPERANDS], got;
  rh_job_spec some = *whole;
  some.operation.n = node->n < SOME ? node->n : SOME;
  uint64_t bytes = rh_operand_layout(&some, offsets);
  const rh_job_part part = {operands, node->first, some.operation.n, whole->operation.n, 0, 0};
  if (!whole->operation.op->is_custom || some.operation.n == 0) return RH_OK;
  char *memory = malloc(bytes);
  if (!memory) return rh_fail(error, RH_E_NOMEM, "no memory for a piece of the data");
  rh_status status = RH_OK;
  for (uint32_t k = 0; k < source->n_operands && status == RH_OK; k++) {
    operands[k] = memory + offsets[k];
    status = source->read(source, k, node->first, some.operation.n, memory + offsets[k], &stop,
                          &got, error);
  }
  if (status == RH_OK) status = rh_job_trust_on(context, whole, &part, error);
  free(memory);
  return status;
}
