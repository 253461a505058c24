/* Threads that share the blocks of one job after the other with the thread that has it.
 *
 * The caller never waits for a thread to wake up, only for blocks that one has begun: threads take
 * blocks, the caller too, and who finds none left is done.  So a job takes no longer than it takes
 * the caller alone, and a little. */
#ifndef NATIVE_POOL_H
#define NATIVE_POOL_H

#include <redhost/plugin.h>

enum { POOL_MOST_BLOCKS = 1 << 15 };

/* A job, as every thread sees it. */
typedef struct rh_native_job {
  const void *input;
  uint64_t n;
  uint32_t blocks; /* at least 1 */
} rh_native_job;

typedef void rh_native_work(void *user, const rh_native_job *job, uint32_t block);
typedef struct rh_native_pool rh_native_pool;

/* How many processors this process may run on. */
unsigned rh_native_processors(void);

/* What a pool of so many threads, the caller among them, takes of memory, which begins as zeros. */
uint64_t rh_native_pool_bytes(unsigned threads);
/* Starts the threads; fewer, where the system gives no more. */
rh_native_pool *rh_native_pool_start(void *memory, unsigned threads, rh_native_work *work,
                                     void *user);
/* Returns when work(user, job, block) has returned for every block of the job.  One call at a
 * time. */
void rh_native_pool_run(rh_native_pool *pool, const rh_native_job *job);
/* Ends and joins the threads. */
void rh_native_pool_stop(rh_native_pool *pool);

#endif
