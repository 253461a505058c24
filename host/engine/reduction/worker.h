/* The devices of a stream, each with its strategy and its slots. */
#pragma once

#include "../partial/partial.h"
#include "staging.h"

/* Chunks where the caller names no size, in MiB: the host's, from and to, by the processors' cache;
 * and those of a device with memory of its own. */
#define RH_STREAM_LEAST_MIB  1
#define RH_STREAM_MOST_MIB   4
#define RH_STREAM_DEVICE_MIB 16

/* Chunks that are sent before one is reduced, and that are reduced before one is fetched: so many
 * copies and reductions are queued meanwhile. */
enum { RH_STREAM_AHEAD = 2 };

/* A device of a stream, or the host, with a strategy that is set up for chunks, and what became of
 * it.  Zero-initialise what follows `device`, but for the staging; one that has a failure
 * beforehand is passed over.  It must not be moved once it is set up. */
typedef struct rh_worker {
  rh_context *context; /* its own, for its session and what is tuned for it; borrowed */
  /* The problem and the strategy: all devices have the same operator on the same types.  n and
   * offsets do not count.  A user's operator has rh_custom_take_base(). */
  const rh_job_spec *job;
  const rh_cl_device *device; /* the strategy's, of rh_job_device(); null: the host */
  rh_job chunk; /* of chunk_n elements; of use afterwards for what the strategy answered */
  uint64_t chunk_n;
  uint64_t whole_n;                   /* what n is in a map */
  uint64_t offsets[RH_MOST_OPERANDS]; /* of the operands in a slot */
  rh_staging *staging;                /* its own, or another of that device that it borrows */
  rh_staging own;
  uint32_t readers, checkers; /* threads */
  uint64_t piece_n;           /* rh_ring_spec has it */
  uint32_t is_up;             /* 1: it was set up */
  uint64_t chunks, n;         /* whose values it gave, and their elements */
  rh_error failure;           /* why it was left out, or left the work to others; or status 0 */
} rh_worker;

/* Elements of a chunk of at most `bytes` bytes of the largest operand: a power of two of tiles, and
 * at least one. */
uint64_t rh_chunk_n(const rh_job_spec *spec, uint64_t bytes);
/* Elements of a chunk for these devices, while so many processes of this host stream.  bytes: as
 * rh_stream_spec has it; check: RH_CHECK_*; source: null if nothing is viewed. */
uint64_t rh_stream_chunk_n(const rh_worker *devices, uint32_t n_devices, uint32_t processes,
                           const rh_source *source, int check, uint64_t bytes);

/* Are references computed on a device, by one thread at a time? */
int rh_stream_looks_itself(const rh_job_spec *job);

/* Counts the threads of a device that may use so many processors.  check: RH_CHECK_*. */
void rh_worker_plan(rh_worker *device, uint32_t processors, int in_order, int check,
                    uint64_t chunk_n);
/* The slots that keep them busy, and so many that are read at a time, and checkers. */
uint32_t rh_worker_slots(const rh_worker *device);

/* Asks the strategy of a device with a plan, and sets up it and its slots, for n elements in all:
 * UINT64_MAX, if that is not known.  The strategy is tested unless check is RH_CHECK_FULL.  It
 * fails as rh_job_init() does; after a failure only rh_worker_finish() is to follow. */
rh_status rh_worker_open(rh_worker *device, uint64_t n, uint64_t chunk_n, int check,
                         rh_error *error);
/* Releases what was set up.  [when nothing is on its way] */
void rh_worker_finish(rh_worker *device);

/* Sets up the strategies and slots of all that have no failure yet.  Workers that decline or cannot
 * be set up are left out, as those are that have one, with warnings; without any, it fails as the
 * first did.  processors: that their threads may use; source: for in_order; whole_n: as
 * rh_worker_open() has n; check: RH_CHECK_*. */
rh_status rh_workers_set_up(rh_worker *devices, uint32_t n_devices, uint32_t processors,
                            const rh_source *source, uint64_t chunk_n, uint64_t whole_n, int check,
                            rh_error *error);

/* Tries a strategy that is set up on a few elements, for what no check of the answer would show. */
rh_status rh_stream_try(rh_job *job, int check, rh_error *error);

/* The processors that this process may use, shared evenly by so many processes. */
uint32_t rh_stream_processors(uint32_t processes);

/* May the other devices of a stream do without one that could not be used, for this reason? */
int rh_stream_may_leave_out(rh_status status);

/* Warns that the device `what`, such as "is left out", because of its failure. */
void rh_worker_warn(const rh_worker *device, const char *what);
