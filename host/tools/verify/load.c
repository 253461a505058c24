#include "internal.h"

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

void rh_load_start(rh_load *load) {
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  int wanted = processors < 1 ? 1 : processors > RH_LOAD_MOST ? RH_LOAD_MOST : (int)processors;
  *load = (rh_load){.n = 0};
  while (load->n < wanted && pthread_create(&load->threads[load->n], NULL, keep_busy, load) == 0)
    load->n++;
}

void rh_load_stop(rh_load *load) {
  __atomic_store_n(&load->stop, 1, __ATOMIC_RELAXED);
  for (int k = 0; k < load->n; k++) pthread_join(load->threads[k], NULL);
}
