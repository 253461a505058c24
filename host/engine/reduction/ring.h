/* The chunks that are dealt to one device, read by several threads into a ring of slots ahead of
 * the thread that reduces them.
 *
 * Readers fill one slot together, piece by piece, before they begin the next: the first chunk is
 * there early, and few slots, which the processors' last cache holds, keep all readers busy.
 *
 * A slot is free, is being read, has been read, is being looked at by a thread that checks, is
 * ready, or is with the caller, who takes ready slots in the order of the schedule and gives each
 * back once nothing reads it any more.  Memory is that of the slots, however long the source is. */
#pragma once

#include "schedule.h"

enum { RH_RING_MOST_THREADS = 16 };

typedef struct rh_ring rh_ring;

/* With the caller, everything is the caller's to read. */
typedef struct rh_ring_slot {
  uint32_t number; /* of its memory */
  void *memory;
  uint64_t index;    /* of the chunk */
  uint64_t first, n; /* its elements */
  /* Where they are on the host: in `memory`, or where the source has them. */
  const void *operands[RH_MOST_OPERANDS];
  double read_s[2]; /* when reading began and ended, of rh_now() */
  void *note;       /* what `check` left, malloc'ed; the ring frees what is not null at the end */
  /* The ring's own. */
  int state;
  uint32_t n_pieces, begun, left; /* pieces: in all, those that a reader has taken, not yet read */
} rh_ring_slot;

typedef struct rh_ring_spec {
  rh_schedule *schedule;
  uint32_t worker; /* of the schedule, for this ring alone */
  uint32_t n_slots, n_readers, n_checkers;
  uint64_t piece_n;        /* elements that a reader takes at a time; 0: whole chunks */
  void *const *memory;     /* of the slots */
  const uint64_t *offsets; /* of the operands in a slot's memory, in bytes */
  int views;               /* 1: what the source has in memory is not copied into a slot's */
  /* Looks at a chunk before the caller gets it; 0 checkers: nobody does.  [several threads] */
  rh_status (*check)(void *user, rh_ring_slot *slot, rh_error *error);
  void *user;
  /* It reports the progress of the whole schedule; null: another ring reports it. */
  const rh_reporter *reporter;
} rh_ring_spec;

/* Starts the threads.  *spec and what it points to must outlive the ring. */
rh_status rh_ring_create(rh_ring **ring, const rh_ring_spec *spec, rh_error *error);

/* The next chunk; null after the last one.  Waits for it, and reports progress meanwhile.  Fails
 * with what a reader or a check failed with, or RH_E_CANCELLED. */
rh_status rh_ring_take(rh_ring *ring, rh_ring_slot **slot, rh_error *error);

/* Would rh_ring_take() return without waiting? */
int rh_ring_is_ready(rh_ring *ring);
/* Waits at most so many seconds. */
int rh_ring_await(rh_ring *ring, double seconds);

void rh_ring_give_back(rh_ring *ring, rh_ring_slot *slot);

/* Everything in the ring stops, even if a pipe has nothing to read, and rh_ring_take() fails with
 * *why.  [any thread] */
void rh_ring_stop(rh_ring *ring, const rh_error *why);

/* Stops and joins the threads.  Null is legal. */
void rh_ring_destroy(rh_ring *ring);
