/* A thread pool that shares the blocks of a job with the calling thread, one job at a time.
 *
 * The caller never waits for a thread to wake up, only for blocks that a thread has begun.  All
 * threads, the caller included, take blocks until none are left.  So a job takes at most a little
 * longer than it takes the caller alone. */
#ifndef NATIVE_POOL_H
#define NATIVE_POOL_H

#include <redhost/plugin.h>

enum { POOL_MOST_BLOCKS = 1 << 15 };

/* The parameter of every strategy with a pool: awake_us of rh_native_pool_start(). */
#define RH_NATIVE_AWAKE                                                                            \
  {                                                                                                \
    .key = "awake_us",                                                                             \
    .doc = "microseconds that threads stay awake after a call, waiting for the next one, if the "  \
           "one before came that soon; each of them keeps a processor busy meanwhile",             \
    .max = 10000000, .initial = 300, .step = 1, .flags = RH_PARAM_NOT_TUNED                        \
  }

/* A job, as seen by every thread. */
typedef struct rh_native_job {
  uint64_t n;
  uint64_t length; /* of a block, in elements; the last one may be shorter */
  uint32_t blocks; /* at least 1 */
} rh_native_job;

typedef void rh_native_work(void *user, const rh_native_job *job, uint32_t block);
typedef struct rh_native_pool rh_native_pool;

/* The number of processors that this process may run on. */
unsigned rh_native_processors(void);

/* The bytes of zeroed memory that a pool needs.  `threads` includes the caller. */
uint64_t rh_native_pool_bytes(unsigned threads);
/* Starts the threads, or fewer if the system refuses some.  awake_us: how long they look for the
 * next job before they sleep.  changing: what the caller writes before each job and `work` reads,
 * within a cache line; threads ask for it as soon as they see a job. */
rh_native_pool *rh_native_pool_start(void *memory, unsigned threads, uint64_t awake_us,
                                     rh_native_work *work, void *user, const void *changing);
/* Returns when work(user, job, block) has returned for every block of the job.  One call at a
 * time. */
void rh_native_pool_run(rh_native_pool *pool, const rh_native_job *job);
/* Have threads been woken by the last job, and not come yet?  That takes some 50 us. */
int rh_native_pool_is_waking(const rh_native_pool *pool);
/* Ends and joins the threads. */
void rh_native_pool_stop(rh_native_pool *pool);

#endif
