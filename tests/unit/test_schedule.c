/* Dealing chunks to devices of different speeds: each chunk is done once, also where a device gives
 * up; and rings that read what they are dealt, under threads. */
#include "../../host/engine/reduction/reduction.h"
#include "../suite/suite.h"

enum { CHUNK = 16, MOST = 600 };

static rh_source source_of(uint64_t n) {
  static const rh_type type = RH_TYPE_u32;
  rh_source source;
  rh_source_generated(&source, "uniform", 1, &type, 1, n);
  return source;
}

/* ---- Workers that do nothing but wait ---- */

static const atomic_int stop;

typedef struct worker {
  rh_schedule *schedule;
  uint32_t number;
  useconds_t each_us;
  uint64_t gives_up_at; /* the chunk, from 1; 0: never */
  uint64_t done;
  atomic_int *times; /* that each chunk was done */
  pthread_t thread;
} worker;

static void *work(void *of_worker) {
  worker *mine = of_worker;
  uint64_t chunk;
  while (rh_schedule_next(mine->schedule, mine->number, &stop, &chunk)) {
    rh_schedule_read(mine->schedule, mine->number, chunk, CHUNK);
    usleep(mine->each_us);
    if (mine->done + 1 == mine->gives_up_at) {
      rh_schedule_give_up(mine->schedule, mine->number);
      continue;
    }
    atomic_fetch_add(&mine->times[chunk], 1);
    mine->done++;
    rh_schedule_done(mine->schedule, mine->number, chunk, CHUNK);
  }
  return NULL;
}

/* Every chunk once, whatever the workers do. */
static void deal_all(uint64_t chunks, worker *workers, uint32_t n) {
  static atomic_int times[MOST];
  rh_source source = source_of(chunks * CHUNK);
  FINISHED(rh_schedule) schedule = {0};
  for (uint64_t k = 0; k < chunks; k++) atomic_store(&times[k], 0);
  ck_assert_int_eq(rh_schedule_init(&schedule, &source, CHUNK, n, NULL), RH_OK);
  for (uint32_t k = 0; k < n; k++) {
    workers[k].schedule = &schedule;
    workers[k].number = k;
    workers[k].times = times;
    ck_assert_int_eq(pthread_create(&workers[k].thread, NULL, work, &workers[k]), 0);
  }
  for (uint32_t k = 0; k < n; k++) pthread_join(workers[k].thread, NULL);
  for (uint64_t k = 0; k < chunks; k++)
    ck_assert_msg(atomic_load(&times[k]) == 1, "chunk %d was done %d times", (int)k,
                  atomic_load(&times[k]));
  ck_assert_uint_eq(schedule.done_n, chunks * CHUNK);
}

TEST(every_chunk_once) {
  for (uint64_t chunks = 0; chunks < 40; chunks += 3) {
    worker workers[5] = {{.each_us = 0}, {.each_us = 10}, {.each_us = 300}};
    deal_all(chunks, workers, 1 + (uint32_t)(chunks % 5));
  }
}

TEST(workers_that_give_up) {
  for (uint64_t after = 1; after < 20; after++) {
    worker workers[4] = {{.each_us = 200},
                         {.each_us = 100, .gives_up_at = after},
                         {.each_us = 10, .gives_up_at = after},
                         {.each_us = 50, .gives_up_at = 2 * after}};
    deal_all(100, workers, 4);
    ck_assert_uint_gt(workers[0].done, 0);
  }
}

/* The last chunks are returned when nothing else is left: the others must still be there. */
TEST(what_is_returned_late) {
  for (int k = 0; k < 50; k++) {
    worker workers[2] = {{.each_us = 0}, {.each_us = 1000, .gives_up_at = 1}};
    deal_all(3, workers, 2);
  }
}

/* A worker that is a thousand times slower gets no chunk for which the other would wait. */
TEST(slow_workers) {
  static atomic_int times[100];
  rh_source source = source_of(100 * CHUNK);
  FINISHED(rh_schedule) schedule = {0};
  uint64_t chunk;
  worker slow = {.schedule = &schedule, .number = 1, .times = times};
  ck_assert_int_eq(rh_schedule_init(&schedule, &source, CHUNK, 2, NULL), RH_OK);
  ck_assert(rh_schedule_next(&schedule, 1, &stop, &chunk));
  usleep(200000);
  rh_schedule_done(&schedule, 1, chunk, CHUNK);
  for (int k = 0; k < 80; k++) {
    ck_assert(rh_schedule_next(&schedule, 0, &stop, &chunk));
    rh_schedule_done(&schedule, 0, chunk, CHUNK);
  }
  ck_assert_int_eq(pthread_create(&slow.thread, NULL, work, &slow), 0);
  usleep(20000);
  while (rh_schedule_next(&schedule, 0, &stop, &chunk))
    rh_schedule_done(&schedule, 0, chunk, CHUNK);
  pthread_join(slow.thread, NULL);
  ck_assert_uint_eq(slow.done, 0);
}

/* The last worker that gives up is told that nobody takes its chunks. */
TEST(the_last_worker) {
  rh_source source = source_of(10 * CHUNK);
  FINISHED(rh_schedule) schedule = {0};
  uint64_t chunk;
  ck_assert_int_eq(rh_schedule_init(&schedule, &source, CHUNK, 2, NULL), RH_OK);
  ck_assert(rh_schedule_next(&schedule, 0, &stop, &chunk) && chunk == 0);
  ck_assert(rh_schedule_next(&schedule, 1, &stop, &chunk) && chunk == 1);
  ck_assert_int_eq(rh_schedule_give_up(&schedule, 1), 1);
  ck_assert(rh_schedule_next(&schedule, 0, &stop, &chunk) && chunk == 1);
  ck_assert(!rh_schedule_next(&schedule, 1, &stop, &chunk));
  ck_assert_int_eq(rh_schedule_give_up(&schedule, 0), 0);
}

/* ---- Rings ---- */

typedef struct player {
  rh_ring *ring;
  rh_schedule *schedule;
  uint32_t worker;
  uint64_t sum, fails_after, taken;
  pthread_t thread;
} player;

static void *play(void *of_player) {
  player *mine = of_player;
  rh_ring_slot *slot;
  while (rh_ring_take(mine->ring, &slot, NULL) == RH_OK && slot) {
    const uint32_t *elements = slot->memory;
    if (mine->fails_after && mine->taken == mine->fails_after) {
      rh_schedule_give_up(mine->schedule, mine->worker);
      break;
    }
    for (uint64_t k = 0; k < slot->n; k++) mine->sum += elements[k];
    mine->taken++;
    rh_schedule_done(mine->schedule, mine->worker, slot->index, slot->n);
    rh_ring_give_back(mine->ring, slot);
  }
  return NULL;
}

static rh_status look(void *sum, rh_ring_slot *slot, rh_error *why) {
  (void)why;
  atomic_fetch_add((atomic_ullong *)sum, slot->n);
  return RH_OK;
}

/* The sum of the elements by `n_rings` rings, of which `fails` fail. */
static uint64_t sum_by_rings(const rh_source *source, uint32_t n_rings, uint32_t fails) {
  enum { SLOTS = 6 };
  static uint32_t memory[4][SLOTS][CHUNK];
  static const uint64_t offsets[1];
  void *slots[4][SLOTS];
  player players[4] = {{0}};
  rh_ring_spec specs[4];
  atomic_ullong looked = 0;
  rh_schedule schedule;
  uint64_t sum = 0;
  ck_assert_int_eq(rh_schedule_init(&schedule, source, CHUNK, n_rings, NULL), RH_OK);
  for (uint32_t k = 0; k < n_rings; k++) {
    for (int s = 0; s < SLOTS; s++) slots[k][s] = memory[k][s];
    specs[k] = (rh_ring_spec){.schedule = &schedule,
                              .worker = k,
                              .n_slots = SLOTS,
                              .n_readers = 1 + k,
                              .piece_n = k % 2 ? CHUNK / 3 : 0, /* the last one is short */
                              .memory = slots[k],
                              .offsets = offsets,
                              .check = k ? look : NULL,
                              .user = &looked};
    players[k] = (player){.schedule = &schedule, .worker = k, .fails_after = k < fails ? 3 + k : 0};
    ck_assert_int_eq(rh_ring_create(&players[k].ring, &specs[k], NULL), RH_OK);
  }
  for (uint32_t k = 0; k < n_rings; k++)
    ck_assert_int_eq(pthread_create(&players[k].thread, NULL, play, &players[k]), 0);
  for (uint32_t k = 0; k < n_rings; k++) pthread_join(players[k].thread, NULL);
  for (uint32_t k = 0; k < n_rings; k++) {
    rh_ring_destroy(players[k].ring);
    sum += players[k].sum;
  }
  ck_assert_uint_eq(schedule.done_n, source->n);
  rh_schedule_finish(&schedule);
  return sum;
}

TEST(rings_read_everything_once) {
  for (uint64_t n = 1; n < 9000; n = 3 * n + 7) {
    rh_source source = source_of(n);
    uint64_t want = sum_by_rings(&source, 1, 0);
    for (uint32_t rings = 2; rings <= 4; rings++)
      ck_assert_uint_eq(sum_by_rings(&source, rings, 0), want);
  }
}

TEST(rings_that_fail) {
  rh_source source = source_of(5000);
  uint64_t want = sum_by_rings(&source, 1, 0);
  for (int round = 0; round < 20; round++)
    for (uint32_t fails = 1; fails < 4; fails++)
      ck_assert_uint_eq(sum_by_rings(&source, 4, fails), want);
}
