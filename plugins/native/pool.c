/* Memory order.  A job is identified by its number, `current`.  The caller writes the job's fields
 * and then, by a release, its number; a thread reads the number by an acquire and then the fields.
 * A late thread may read the fields while the caller writes the next job.  So every ticket carries
 * the number of its job.  The caller writes the tickets before the fields, each of which it writes
 * by a release; a thread takes a ticket after it has read the fields, each by an acquire.  A thread
 * that has read any field of the next job therefore sees the next job's tickets, and takes none.  A
 * ticket of the thread's own job can be taken only while the job lasts, because the caller waits
 * until every block that was taken is done.  `done` is incremented by release and read by acquire:
 * after it the caller sees what the threads have written, and the threads have finished reading the
 * input.
 *
 * Falling asleep: a thread registers as a sleeper and then checks for a job once more; the caller
 * publishes a job and then looks for sleepers, twice.  At once it only loads their number, so that
 * it need not wait until other processors have let go of the lines that it writes.  A block later
 * it reads the number by an atomic addition of 0.  This addition and that of the thread follow each
 * other in one order: either the caller finds the sleeper, or the thread's addition, an acquire,
 * comes after the caller's, a release, and the thread finds the job.
 *
 * A line that passes between processors takes 50 ns or more, so few do: the line with the job's
 * number and its fields, one with a thread's ticket, one with the count of blocks done, and what
 * the caller of the pool changes.  A thread asks for all of them together. */
#define _GNU_SOURCE /* sched_getaffinity, sched_getcpu */
#include "pool.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

enum {
  LINE = 64,          /* bytes of a cache line */
  LOOK_AT_CLOCK = 64, /* iterations */
  PATIENCE = 1000, /* iterations that the caller waits for blocks before it yields its processor */
  STACK =
      2 << 20, /* large expressions take half of it, and a thread's variables stand there, too */
  TICKET_BITS = 16 /* of a ticket, for the next block; the job's number is in the bits above */
};

/* A thread's blocks, from the next one on; other threads take from it when theirs are gone. */
typedef struct share {
  _Alignas(LINE) _Atomic uint64_t ticket;
  rh_native_pool *pool;
  uint32_t index;
  pthread_t thread;
} share;

struct rh_native_pool {
  _Alignas(LINE) _Atomic uint64_t current; /* the job's number, from 1 on */
  _Atomic uint64_t n, length;
  _Atomic uint32_t blocks, sharers; /* sharers: participating threads */
  _Atomic int ends;
  _Alignas(LINE) _Atomic uint32_t done;           /* blocks of all jobs, without the caller's */
  _Alignas(LINE) _Atomic uint32_t sleepers, naps; /* naps: how often a thread fell asleep */
  int processor; /* the caller's, when it last woke threads; guarded by the mutex */
  rh_native_work *work;
  void *user;
  const void *changing;
  uint32_t settled;  /* what `done` was when no job was running; the caller's */
  uint32_t threads;  /* running, including the caller */
  int crowded;       /* more threads than processors */
  uint64_t awake_ns; /* after a job */
  uint32_t woken;    /* naps, when sleepers were last woken */
  unsigned forks;    /* of this process and its ancestors, when the threads were started */
  pthread_mutex_t mutex;
  pthread_cond_t wake;
  share shares[];
};

unsigned rh_native_processors(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return (unsigned)CPU_COUNT(&set);
  long online = sysconf(_SC_NPROCESSORS_ONLN); /* more processors than a cpu_set_t holds */
  return online > 1 ? (unsigned)online : 1;
}

/* A hint to the processor that this is a spin loop. */
static void pause_for_a_moment(int crowded) {
  if (crowded) sched_yield();
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ __volatile__("yield");
#endif
}

static uint64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* A child process has only the thread that forked, and perhaps a mutex that another one held.
 * Forks are counted, because to ask for the process's number takes 140 ns on some virtual
 * machines. */
static unsigned forks;
static int is_fork_seen;

static void count_fork(void) { forks++; }

static void watch_forks(void) { is_fork_seen = pthread_atfork(NULL, NULL, count_fork) == 0; }

static int are_threads_lost(const rh_native_pool *pool) { return forks != pool->forks; }

/* The first block in thread k's share. */
static uint32_t share_begin(const rh_native_job *job, uint32_t k, uint32_t sharers) {
  return (uint32_t)((uint64_t)job->blocks * k / sharers);
}

/* Takes a block below `end`; 0 if there is none, or if the job is another one. */
static int take(share *from, uint64_t number, uint32_t end, uint32_t *block) {
  uint64_t ticket = atomic_load_explicit(&from->ticket, memory_order_relaxed);
  do {
    *block = (uint32_t)(ticket & ((1u << TICKET_BITS) - 1));
    if (ticket >> TICKET_BITS != number || *block >= end) return 0;
  } while (!atomic_compare_exchange_weak_explicit(&from->ticket, &ticket, ticket + 1,
                                                  memory_order_relaxed, memory_order_relaxed));
  return 1;
}

/* Works on thread `index`'s own share, then on the others'.  Returns the number of blocks done. */
static uint32_t work_on(rh_native_pool *pool, const rh_native_job *job, uint64_t number,
                        uint32_t index, uint32_t sharers) {
  uint32_t block, did = 0;
  for (uint32_t k = 0; k < sharers; k++) {
    uint32_t whose = (index + k) % sharers, end = share_begin(job, whose + 1, sharers);
    for (; take(&pool->shares[whose], number, end, &block); did++)
      pool->work(pool->user, job, block);
  }
  return did;
}

/* Moves this thread to another processor than this one, if it may run on others.  Systems wake a
 * thread where it last ran, even if its caller computes there and other processors are idle: Linux
 * 6.18 does if all of them have been busy lately.  The two then take turns for as long as the
 * program calls: the thread sleeps again too soon for the system to move it. */
static void leave(int processor) {
  cpu_set_t allowed, others;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  others = allowed;
  CPU_CLR((size_t)processor, &others);
  if (CPU_COUNT(&others) == 0 || sched_setaffinity(0, sizeof others, &others) != 0) return;
  sched_setaffinity(0, sizeof allowed, &allowed);
}

/* Waits for a job after `seen`: spins for a moment, then sleeps.  *was_soon: did the previous job
 * come within that moment?  If it did not, this one is likely to be late, too, and the thread
 * sleeps at once: spinning would take a processor from the threads that prepare the job, such as
 * the reader of a pipe. */
static uint64_t next_job(rh_native_pool *pool, uint64_t seen, int *was_soon) {
  uint64_t until = now() + pool->awake_ns, number;
  for (unsigned turn = 1; *was_soon && (turn % LOOK_AT_CLOCK != 0 || now() < until); turn++) {
    number = atomic_load_explicit(&pool->current, memory_order_acquire);
    if (number != seen) return number;
    pause_for_a_moment(pool->crowded);
  }
  pthread_mutex_lock(&pool->mutex);
  atomic_fetch_add_explicit(&pool->naps, 1, memory_order_relaxed);
  atomic_fetch_add(&pool->sleepers, 1);
  while ((number = atomic_load(&pool->current)) == seen)
    pthread_cond_wait(&pool->wake, &pool->mutex);
  atomic_fetch_sub(&pool->sleepers, 1);
  int callers = pool->processor;
  pthread_mutex_unlock(&pool->mutex);
  *was_soon = now() < until;
  if (callers >= 0 && callers == sched_getcpu()) leave(callers);
  return number;
}

static void *live(void *user) {
  share *mine = user;
  rh_native_pool *pool = mine->pool;
  uint64_t number = 0;
  int was_soon = 1;
  for (;;) {
    number = next_job(pool, number, &was_soon);
    if (atomic_load_explicit(&pool->ends, memory_order_relaxed)) return NULL;
    __builtin_prefetch(&mine->ticket, 1);
    __builtin_prefetch(pool->changing);
    rh_native_job job = {.n = atomic_load_explicit(&pool->n, memory_order_acquire),
                         .length = atomic_load_explicit(&pool->length, memory_order_acquire),
                         .blocks = atomic_load_explicit(&pool->blocks, memory_order_acquire)};
    uint32_t sharers = atomic_load_explicit(&pool->sharers, memory_order_acquire), did;
    if (mine->index >= sharers) continue;
    did = work_on(pool, &job, number, mine->index, sharers);
    if (did) atomic_fetch_add_explicit(&pool->done, did, memory_order_release);
  }
}

static void wake_sleepers(rh_native_pool *pool, uint32_t sleepers) {
  if (sleepers == 0) return;
  pool->woken = atomic_load_explicit(&pool->naps, memory_order_relaxed);
  pthread_mutex_lock(&pool->mutex);
  pool->processor = sched_getcpu();
  pthread_cond_broadcast(&pool->wake);
  pthread_mutex_unlock(&pool->mutex);
}

int rh_native_pool_is_waking(const rh_native_pool *pool) {
  return atomic_load_explicit(&pool->sleepers, memory_order_relaxed) > 0 &&
         atomic_load_explicit(&pool->naps, memory_order_relaxed) == pool->woken;
}

/* Makes a job visible, with tickets for all blocks but the first, which is the caller's.  Returns
 * the job's number. */
static uint64_t publish(rh_native_pool *pool, const rh_native_job *job, uint32_t sharers) {
  uint64_t number = atomic_load_explicit(&pool->current, memory_order_relaxed) + 1;
  for (uint32_t k = 0; k < sharers; k++)
    atomic_store_explicit(&pool->shares[k].ticket,
                          number << TICKET_BITS | (k ? share_begin(job, k, sharers) : 1),
                          memory_order_relaxed);
  atomic_store_explicit(&pool->n, job->n, memory_order_release);
  atomic_store_explicit(&pool->length, job->length, memory_order_release);
  atomic_store_explicit(&pool->blocks, job->blocks, memory_order_release);
  atomic_store_explicit(&pool->sharers, sharers, memory_order_release);
  atomic_store_explicit(&pool->current, number, memory_order_release);
  return number;
}

void rh_native_pool_run(rh_native_pool *pool, const rh_native_job *job) {
  uint32_t sharers = pool->threads < job->blocks ? pool->threads : job->blocks;
  if (are_threads_lost(pool)) sharers = 1;
  if (sharers == 1) {
    for (uint32_t block = 0; block < job->blocks; block++) pool->work(pool->user, job, block);
    return;
  }
  uint64_t number = publish(pool, job, sharers);
  wake_sleepers(pool, atomic_load_explicit(&pool->sleepers, memory_order_relaxed));
  pool->work(pool->user, job, 0); /* which nobody else can take */
  wake_sleepers(pool, atomic_fetch_add(&pool->sleepers, 0));
  uint32_t left = job->blocks - 1 - work_on(pool, job, number, 0, sharers);
  pool->settled += left;
  for (unsigned turn = 0; atomic_load_explicit(&pool->done, memory_order_acquire) != pool->settled;
       turn++)
    pause_for_a_moment(pool->crowded || turn > PATIENCE);
}

uint64_t rh_native_pool_bytes(unsigned threads) {
  return sizeof(rh_native_pool) + threads * sizeof(share) + LINE;
}

rh_native_pool *rh_native_pool_start(void *memory, unsigned threads, uint64_t awake_us,
                                     rh_native_work *work, void *user, const void *changing) {
  uintptr_t aligned = ((uintptr_t)memory + LINE - 1) & ~(uintptr_t)(LINE - 1);
  rh_native_pool *pool = (rh_native_pool *)aligned;
  pthread_attr_t attributes;
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  static const int of_its_own[] = {SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGTRAP};
  sigset_t others, before;
  pthread_once(&once, watch_forks);
  if (!is_fork_seen) threads = 1; /* there is no memory left */
  pool->work = work;
  pool->user = user;
  pool->changing = changing;
  pool->awake_ns = 1000 * awake_us;
  pool->forks = forks;
  pool->crowded = threads > rh_native_processors();
  pthread_mutex_init(&pool->mutex, NULL);
  pthread_cond_init(&pool->wake, NULL);
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, STACK);
  /* Signals are left to the program's own threads, except those that a thread raises itself, such
   * as by reading a page that a truncated file no longer has: if blocked, they would kill the
   * process without the program's handler. */
  sigfillset(&others);
  for (size_t k = 0; k < sizeof of_its_own / sizeof *of_its_own; k++)
    sigdelset(&others, of_its_own[k]);
  pthread_sigmask(SIG_SETMASK, &others, &before);
  for (pool->threads = 1; pool->threads < threads; pool->threads++) {
    share *mine = &pool->shares[pool->threads];
    mine->pool = pool;
    mine->index = pool->threads;
    if (pthread_create(&mine->thread, &attributes, live, mine) != 0) break;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  return pool;
}

void rh_native_pool_stop(rh_native_pool *pool) {
  if (are_threads_lost(pool)) return;
  atomic_store_explicit(&pool->ends, 1, memory_order_relaxed);
  atomic_fetch_add(&pool->current, 1);
  wake_sleepers(pool, atomic_load(&pool->sleepers));
  for (uint32_t k = 1; k < pool->threads; k++) pthread_join(pool->shares[k].thread, NULL);
  pthread_cond_destroy(&pool->wake);
  pthread_mutex_destroy(&pool->mutex);
}
