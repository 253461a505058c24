#include "internal.h"

enum { MOST = 8 };

struct rh_load {
  pthread_t threads[MOST];
  int n, stop;
};

/* Alternates between busy and idle periods of random length: a thread that never sleeps would
 * always have the same place in the scheduler's queue. */
static void *keep_busy(void *user) {
  const rh_load *load = user;
  unsigned turn = 0;
  while (!__atomic_load_n(&load->stop, __ATOMIC_RELAXED)) {
    for (volatile unsigned k = 0; k < 100000 + 70001 * (turn % 7);) k = k + 1;
    turn++;
    usleep(100 + 37 * (turn % 11));
  }
  return NULL;
}

rh_load *rh_load_start(void) {
  rh_load *load = calloc(1, sizeof *load);
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  int wanted = processors < 1 ? 1 : processors > MOST ? MOST : (int)processors;
  while (load && load->n < wanted &&
         pthread_create(&load->threads[load->n], NULL, keep_busy, load) == 0)
    load->n++;
  return load;
}

void rh_load_stop(rh_load *load) {
  if (!load) return;
  __atomic_store_n(&load->stop, 1, __ATOMIC_RELAXED);
  for (int k = 0; k < load->n; k++) pthread_join(load->threads[k], NULL);
  free(load);
}
