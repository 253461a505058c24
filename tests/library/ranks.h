/* Threads as the ranks of rh_reduce_distributed(). */
#ifndef TESTS_RANKS_H
#define TESTS_RANKS_H

#include <pthread.h>
#include <redhost/redhost.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RANKS = 16, MOST_GATHERED = 65536 /* bytes of each rank */ };

typedef struct rank_job {
  uint32_t size, fails_at; /* the gather that fails in all ranks, from 1; 0: none */
  uint32_t most;           /* bytes of a gather: more fail */
  pthread_barrier_t barrier;
  unsigned char *board; /* where the ranks write what they give */
} rank_job;

typedef struct rank {
  rank_job *of;
  uint32_t number, gathers;
  rh_redhost *redhost;
  rh_request request;
  rh_input inputs[2];
  rh_result result;
  rh_error error;
  rh_status status;
} rank;

static int32_t gather_ranks(void *of_rank, const void *mine, uint32_t n, void *all) {
  rank *self = of_rank;
  rank_job *of = self->of;
  if (n == 0 || n > of->most) return 8;
  memcpy(of->board + (size_t)self->number * n, mine, n);
  pthread_barrier_wait(&of->barrier);
  memcpy(all, of->board, (size_t)of->size * n);
  pthread_barrier_wait(&of->barrier);
  return ++self->gathers == of->fails_at ? 7 : 0;
}

static void *run_rank(void *of_rank) {
  rank *self = of_rank;
  const rh_communicator by = {.struct_size = sizeof by,
                              .rank = self->number,
                              .size = self->of->size,
                              .gather = gather_ranks,
                              .user = self};
  self->result = (rh_result){.struct_size = sizeof self->result};
  self->status =
      rh_reduce_distributed(self->redhost, &self->request, &by, &self->result, &self->error);
  return NULL;
}

/* The first ones of them, whose redhosts and requests are set.  0: there were no threads. */
static int run_ranks(rank *ranks, uint32_t size, uint32_t fails_at, uint32_t most) {
  pthread_t threads[MOST_RANKS];
  rank_job of = {.size = size, .fails_at = fails_at, .most = most};
  uint32_t started = 0;
  of.board = malloc((size_t)size * MOST_GATHERED);
  pthread_barrier_init(&of.barrier, NULL, size);
  for (; of.board && started < size; started++) {
    ranks[started].of = &of;
    ranks[started].number = started;
    if (pthread_create(&threads[started], NULL, run_rank, &ranks[started]) != 0) return 0;
  }
  for (uint32_t r = 0; r < started; r++) pthread_join(threads[r], NULL);
  pthread_barrier_destroy(&of.barrier);
  free(of.board);
  return started == size;
}

#endif
