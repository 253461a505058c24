#include "base.h"

#include <stdatomic.h>

enum { MOST_THREADS = 256 };

typedef struct shared {
  uint64_t n, each;
  void (*part)(void *user, uint64_t first, uint64_t count);
  void *user;
  atomic_uint_fast64_t next;
} shared;

static void *take_pieces(void *argument) {
  shared *s = argument;
  for (;;) {
    uint64_t first = atomic_fetch_add(&s->next, s->each);
    if (first >= s->n) return NULL;
    s->part(s->user, first, s->n - first < s->each ? s->n - first : s->each);
  }
}

void rh_share(uint64_t n, uint64_t each, void (*part)(void *user, uint64_t first, uint64_t count),
              void *user) {
  shared s = {.n = n, .each = each ? each : 1, .part = part, .user = user};
  pthread_t threads[MOST_THREADS];
  uint64_t wanted = n ? (n - 1) / s.each : 0, started = 0;
  long processors = wanted ? sysconf(_SC_NPROCESSORS_ONLN) : 1; /* which opens a file */
  if (processors < 1) processors = 1;
  if (wanted > (uint64_t)processors - 1) wanted = (uint64_t)processors - 1;
  if (wanted > MOST_THREADS) wanted = MOST_THREADS;
  while (started < wanted && pthread_create(&threads[started], NULL, take_pieces, &s) == 0)
    started++;
  take_pieces(&s);
  for (uint64_t k = 0; k < started; k++) pthread_join(threads[k], NULL);
}
