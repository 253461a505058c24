#include "resident_load.h"
#include "../../core/base/error.h"
#include "../../core/base/vocabulary.h"
#include "../../core/data/pace.h"
#include "../../core/run/before_blame.h"
#include "../../core/run/operand_data.h"
#include "../partial/partial.h"
#include "schedule.h"
#include "worker.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum {
  MOST_THREADS = 64,
  MOST_LEVEL = 11, /* of a piece, 2^level tiles of 2 KiB: 4 MiB stay in a processor's cache */
  ALIGNMENT = 4096
};

typedef struct load {
  const rh_load_spec *spec;
  uint64_t piece_n, pieces; /* elements of one, which has 2^level tiles */
  uint32_t level;
  uint64_t offsets[RH_MOST_OPERANDS]; /* of a piece on its way */
  uint64_t bytes;
  atomic_uint_fast64_t next; /* piece */
  atomic_int stop;
  pthread_mutex_t doors[RH_MOST_WORKERS]; /* of the parts: a session is one thread's at a time */
  pthread_mutex_t lock;                   /* of the facts and what follows */
  uint32_t failed;
  rh_error failure; /* the first */
} load;

static const rh_job_spec *job_of(const load *l) {
  return l->spec->facts->job;
}

/* ---- A piece ---- */

static uint32_t part_of(const load *l, uint64_t first) {
  uint32_t k = 0;
  while (first - l->spec->parts[k]->first >= l->spec->parts[k]->n) k++;
  return k;
}

static rh_status look_at(load *l, uint64_t piece, uint64_t n, const void *const *operands,
                         rh_error *error) {
  rh_partial *facts = l->spec->facts;
  uint64_t first = piece * l->piece_n;
  int by_device = rh_stream_looks_itself(job_of(l));
  if (!rh_partial_wants(facts, piece)) return RH_OK;
  rh_reference *part = aligned_alloc(_Alignof(rh_reference), sizeof *part);
  if (!part) return rh_fail(error, RH_E_NOMEM, "no memory for a reference");
  rh_status status = RH_OK;
  if (!by_device) status = rh_partial_refer(facts, operands, first, n, 1, part, error);
  const rh_partial_chunk chunk = {.first = first, .n = n, .level = l->level, .reference = part};
  pthread_mutex_lock(&l->lock);
  if (by_device) status = rh_partial_refer(facts, operands, first, n, 1, part, error);
  if (status == RH_OK) status = rh_partial_add(facts, NULL, &chunk, error);
  pthread_mutex_unlock(&l->lock);
  free(part);
  return status;
}

static rh_status write_piece(load *l, uint32_t k, uint64_t first, uint64_t n,
                             const void *const *operands, rh_error *error) {
  rh_status status = RH_OK;
  pthread_mutex_lock(&l->doors[k]);
  for (uint32_t o = 0; o < l->spec->source->n_operands && status == RH_OK; o++)
    status = rh_resident_part_write(l->spec->parts[k], o, first, n, operands[o], error);
  pthread_mutex_unlock(&l->doors[k]);
  return status;
}

static rh_status load_piece(load *l, uint64_t piece, char *memory, uint32_t *failed,
                            rh_error *error) {
  const rh_source *source = l->spec->source;
  uint64_t first = piece * l->piece_n, got;
  uint64_t n = source->n - first < l->piece_n ? source->n - first : l->piece_n;
  uint32_t k = part_of(l, first);
  const rh_resident_part *part = l->spec->parts[k];
  const void *operands[RH_MOST_OPERANDS];
  for (uint32_t o = 0; o < source->n_operands; o++) {
    char *to = rh_resident_part_place(part, o, first);
    if (!to) to = memory + l->offsets[o];
    RH_TRY(source->read(source, o, first, n, to, &l->stop, &got, error));
    operands[o] = to;
  }
  RH_TRY(look_at(l, piece, n, operands, error));
  if (rh_resident_part_place(part, 0, first)) return RH_OK;
  *failed = k;
  return write_piece(l, k, first, n, operands, error);
}

/* ---- Threads ---- */

static void stop(load *l, uint32_t failed, const rh_error *why) {
  pthread_mutex_lock(&l->lock);
  if (l->failure.status == RH_OK) {
    l->failure = *why;
    l->failed = failed;
  }
  pthread_mutex_unlock(&l->lock);
  atomic_store(&l->stop, 1);
}

/* Loads one piece; 0 if none is left. */
static int load_next(load *l, char *memory) {
  uint32_t failed = l->spec->n_parts;
  rh_error why = {0};
  if (atomic_load(&l->stop)) return 0;
  uint64_t piece = atomic_fetch_add(&l->next, 1);
  if (piece >= l->pieces) return 0;
  if (load_piece(l, piece, memory, &failed, &why) == RH_OK) return 1;
  stop(l, failed, &why);
  return 0;
}

static void *make_memory(load *l) {
  uint64_t bytes = (l->bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  void *memory = aligned_alloc(ALIGNMENT, bytes ? bytes : ALIGNMENT);
  if (!memory)
    stop(l, l->spec->n_parts,
         &(rh_error){.status = RH_E_NOMEM, .message = "no memory for a piece of the data"});
  return memory;
}

static void *help(void *of_load) {
  load *l = of_load;
  char *memory = make_memory(l);
  while (memory && load_next(l, memory)) continue;
  free(memory);
  return NULL;
}

/* This thread works, too, and is the only one that reports. */
static void work(load *l) {
  rh_pace pace = {.reporter = l->spec->reporter, .phase = "generating"};
  rh_error why = {0};
  char *memory = make_memory(l);
  while (memory && load_next(l, memory)) {
    uint64_t done = atomic_load(&l->next);
    if (rh_pace_report(&pace, done < l->pieces ? done : l->pieces, l->pieces, &why) == RH_OK)
      continue;
    stop(l, l->spec->n_parts, &why);
  }
  free(memory);
}

/* ---- The whole ---- */

/* Pieces end where parts do. */
static void choose_pieces(load *l) {
  const rh_job_spec *job = job_of(l);
  rh_job_spec piece = *job;
  uint64_t tile = rh_partial_tile(job), starts = UINT64_C(1) << MOST_LEVEL, n = l->spec->source->n;
  for (uint32_t k = 0; k < l->spec->n_parts; k++) starts |= l->spec->parts[k]->first / tile;
  l->level = (uint32_t)__builtin_ctzll(starts);
  l->piece_n = tile << l->level;
  l->pieces = n / l->piece_n + (n % l->piece_n != 0);
  piece.operation.n = l->piece_n;
  l->bytes = rh_operand_layout(&piece, l->offsets);
}

rh_status rh_resident_load(const rh_load_spec *spec, uint32_t *failed, rh_error *error) {
  load l = {.spec = spec};
  pthread_t helpers[MOST_THREADS];
  uint32_t wanted = rh_stream_processors(1), started = 0;
  choose_pieces(&l);
  pthread_mutex_init(&l.lock, NULL);
  for (uint32_t k = 0; k < spec->n_parts; k++) pthread_mutex_init(&l.doors[k], NULL);
  if (wanted > l.pieces) wanted = (uint32_t)l.pieces;
  while (started + 1 < wanted && started < MOST_THREADS &&
         pthread_create(&helpers[started], NULL, help, &l) == 0)
    started++;
  work(&l);
  while (started > 0) pthread_join(helpers[--started], NULL);
  for (uint32_t k = 0; k < spec->n_parts; k++) pthread_mutex_destroy(&l.doors[k]);
  pthread_mutex_destroy(&l.lock);
  *failed = l.failure.status == RH_OK ? spec->n_parts : l.failed;
  if (l.failure.status != RH_OK && error) *error = l.failure;
  return l.failure.status;
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
