#include "internal.h"

enum { MOST = 8 };
static pthread_t threads[MOST];
static int n, stop;

/* Alternates between busy and idle periods of random length: a thread that never sleeps would
 * always have the same place in the scheduler's queue. */
static void *keep_busy(void *unused) {
  unsigned turn = 0;
  while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
    for (volatile unsigned k = 0; k < 100000 + 70001 * (turn % 7);) k = k + 1;
    turn++;
    usleep(100 + 37 * (turn % 11));
  }
  return unused;
}

void rh_load_start(void) {
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  int wanted = processors < 1 ? 1 : processors > MOST ? MOST : (int)processors;
  __atomic_store_n(&stop, 0, __ATOMIC_RELAXED);
  while (n < wanted && pthread_create(&threads[n], NULL, keep_busy, NULL) == 0) n++;
}

void rh_load_stop(void) {
  __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
  while (n) pthread_join(threads[--n], NULL);
}
