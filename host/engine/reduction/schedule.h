/* Decides which chunk of a source is read next, and for which device: each gets chunks as it has
 * room for them, and towards the end only what it can reduce before the others would be done
 * without it.
 *
 * A worker is a device's side of the schedule.  It holds the chunks that were dealt to it and whose
 * values are not there yet.  A worker that is given up returns them, and others get them. */
#pragma once

#include "source.h"

#include <pthread.h>

enum { RH_MOST_WORKERS = 64, RH_RING_MOST_SLOTS = 32 };

typedef struct rh_schedule_worker {
  uint64_t held[RH_RING_MOST_SLOTS]; /* chunks, in the order of the schedule */
  uint32_t n_held, is_gone;
  uint64_t done;  /* chunks */
  double begin_s; /* of rh_now(), when it got its first */
} rh_schedule_worker;

typedef struct rh_schedule {
  const rh_source *source; /* borrowed */
  uint64_t chunk_n;        /* elements; only the last chunk has fewer */
  uint64_t n;              /* no chunk has elements behind so many: those of the source, or fewer */
  pthread_mutex_t in_order; /* held while a source that has an order is read */
  /* The rest is the schedule's own, and changes under `lock`. */
  pthread_mutex_t lock;
  pthread_cond_t changed;
  uint64_t next, end; /* chunks; end: UINT64_MAX if it is not known yet */
  uint64_t done_n;    /* elements */
  uint64_t *returned; /* chunks */
  uint32_t n_returned;
  uint32_t n_workers;
  rh_schedule_worker *workers;
} rh_schedule;

/* n_workers: 1 to RH_MOST_WORKERS.  The source must outlive the schedule. */
rh_status rh_schedule_init(rh_schedule *schedule, const rh_source *source, uint64_t chunk_n,
                           uint32_t n_workers, rh_error *error);
void rh_schedule_finish(rh_schedule *schedule); /* zero-initialised is fine */

/* Only chunks first .. end-1 of a source of known length are dealt.  [before anything is dealt] */
void rh_schedule_only(rh_schedule *schedule, uint64_t first, uint64_t end);

/* *index: the next chunk for the worker.  Waits until it should have one; 0 if there is nothing
 * more for it, or once *stop is 1.  A worker holds at most RH_RING_MOST_SLOTS.  [any thread] */
int rh_schedule_next(rh_schedule *schedule, uint32_t worker, const atomic_int *stop,
                     uint64_t *index);

/* Chunk `index`, which the worker holds, has n elements; if these are fewer than a chunk has, it is
 * the last one, or without elements behind it.  [any thread] */
void rh_schedule_read(rh_schedule *schedule, uint32_t worker, uint64_t index, uint64_t n);

/* The value of chunk `index`, of n elements, is there.  [any thread] */
void rh_schedule_done(rh_schedule *schedule, uint32_t worker, uint64_t index, uint64_t n);

/* The worker gets no more, and others get what it holds.  1 if there are others.  [any thread] */
int rh_schedule_give_up(rh_schedule *schedule, uint32_t worker);

/* Makes rh_schedule_next() look at its *stop again.  [any thread] */
void rh_schedule_wake(rh_schedule *schedule);

/* While a thread waits for others it reports progress, and hears the user, this often [seconds]. */
static const double rh_report_period_s = 0.1;

/* Reports what is done as progress. */
rh_status rh_schedule_report(rh_schedule *schedule, const rh_reporter *reporter, rh_error *error);
