/* White-box tests of the strategy `native`: its threads under load, and that neither they nor the
 * width of vectors change a bit.  Built from its own sources, so that sanitizers see them. */
#define _GNU_SOURCE /* usleep */
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "../../host/core/operation/operation.h"
#include "../../plugins/native/contest.h"
#include "../suite/suite.h"
#include "native.h"

enum { MOST = 1 << 20 };

enum { AUTO, SEQUENTIAL, PAGES, IN_STEP, WALKS };

static void *open_by(uint32_t op, rh_type type, int64_t threads, int64_t vectors, int64_t walk) {
  void *self = open_native(rh_op_find(op, type), type, MOST, threads, vectors, walk);
  ck_assert_ptr_nonnull(self);
  return self;
}

static void reduce(void *self, const void *input, uint64_t n, void *value) {
  rh_run run = {.struct_size = sizeof run, .n = n, .host_input = input, .host_result = value};
  ck_assert_int_eq(strategy()->run(self, &run), RH_OK);
}

/* ---- Bits ---- */

enum { LANES = 128, TILE = 4 * LANES };

/* The canonical order of docs/inside/bits.md, top down. */
static float sum_of_tile(const float *x, uint64_t n) {
  float tile[TILE];
  for (uint64_t k = 0; k < TILE; k++) tile[k] = k < n ? x[k] : -0.0f;
  for (int k = 0; k < LANES; k++)
    tile[k] = (tile[k] + tile[LANES + k]) + (tile[2 * LANES + k] + tile[3 * LANES + k]);
  for (int half = LANES / 2; half > 0; half /= 2)
    for (int k = 0; k < half; k++) tile[k] += tile[k + half];
  return tile[0];
}

static float sum_as_said(const float *x, uint64_t n) {
  uint64_t half = TILE;
  if (n <= TILE) return sum_of_tile(x, n);
  while (2 * half < n) half *= 2;
  return sum_as_said(x, half) + sum_as_said(x + half, n - half);
}

CASES(native, .timeout = 300)

TEST(bits_are_those_of_n_alone) {
  static const uint64_t sizes[] = {
      0,     1,     63,    64,    65,         1000,  2047,   2048,         5 * 1024 + 77, 8191,
      11000, 32767, 32768, 32769, 5u * 32768, 99999, 524288, MOST - 12345, MOST};
  float *x = malloc(MOST * sizeof *x);
  uint64_t state = 1;
  /* Both signs, so that a lane's rounding is not hidden by a large total. */
  for (int k = 0; k < MOST; k++) x[k] = (float)random_next(&state) * 0x1p-30f - 1;
  for (int64_t threads = 1; threads <= 5; threads++)
    for (int64_t vectors = 0; vectors < 5; vectors++) {
      void *self = open_by(RH_OP_sum, RH_TYPE_f32, threads, vectors, threads % WALKS);
      for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        float value, said = sum_as_said(x, sizes[k]);
        reduce(self, x, sizes[k], &value);
        ck_assert_msg(memcmp(&value, &said, sizeof value) == 0, "n=%lu: %a, not %a", sizes[k],
                      (double)value, (double)said);
      }
      strategy()->teardown(self);
      free_all();
    }
  free(x);
}

/* ---- Which way is faster ---- */

/* times: of each way.  Returns the one that won. */
static unsigned hold_among(rh_native_contest *contest, const double *times) {
  uint32_t trial, timed[CONTEST_MOST_WAYS] = {0}, turns = 0;
  while (!atomic_load(&contest->decided)) {
    unsigned way = rh_native_contest_begin(contest, &trial);
    ck_assert_uint_lt(++turns, 1000);
    if (trial == CONTEST_OVER) continue;
    /* A third of the trials are disturbed. */
    rh_native_contest_end(contest, trial, times[way] * (timed[way]++ % 3 == 0 ? 100 : 1));
  }
  unsigned way = rh_native_contest_begin(contest, &trial);
  ck_assert_uint_eq(trial, CONTEST_OVER);
  return way;
}

static unsigned hold(rh_native_contest *contest, double first, double second) {
  const double times[] = {first, second};
  return hold_among(contest, times);
}

TEST(the_faster_way_wins) {
  rh_native_contest contest = {0};
  ck_assert_uint_eq(hold(&contest, 1, 2), 0);
  rh_native_contest_renew(&contest, 15, 1024);
  uint32_t trial;
  ck_assert_uint_eq(rh_native_contest_begin(&contest, &trial), 0);
  ck_assert_uint_eq(trial, CONTEST_OVER);
  rh_native_contest_renew(&contest, 1, 1024);
  ck_assert_uint_eq(hold(&contest, 2, 1), 1);
  for (uint32_t turns = 32; turns <= 4096; turns *= 2) { /* twice as many each time, up to 1024 */
    uint32_t least = turns < 1024 ? turns : 1024;
    rh_native_contest_renew(&contest, least - 1, 1024);
    ck_assert_uint_ne(atomic_load(&contest.decided), 0);
    rh_native_contest_renew(&contest, 1, 1024);
    ck_assert_uint_eq(hold(&contest, 1, 2), 0);
  }
  rh_native_contest same = {0}, hardly = {0};
  ck_assert_uint_eq(hold(&same, 1, 1), 0);
  ck_assert_uint_eq(hold(&hardly, 1, 0.95), 0);
  rh_native_contest keen = {.part = 0.97}, slower = {.part = 0.97};
  ck_assert_uint_eq(hold(&keen, 1, 0.95), 1);
  ck_assert_uint_eq(hold(&slower, 1, 0.98), 0);
}

TEST(the_fastest_of_three_ways_wins) {
  static const double times[][3] = {{1, 0.8, 0.7}, {1, 0.7, 0.8}, {1, 0.95, 2}, {1, 2, 0.5}};
  static const unsigned winners[] = {2, 1, 0, 2};
  for (uint32_t together = 0; together < 20; together++)
    for (int k = 0; k < 4; k++) {
      rh_native_contest contest = {.ways = 3, .together = together};
      ck_assert_uint_eq(hold_among(&contest, times[k]), winners[k]);
    }
}

/* Where threads take turns at a time, what is timed has neighbours that go the same way. */
TEST(what_is_timed_is_alike_around) {
  for (uint32_t together = 1; together < 20; together++) {
    rh_native_contest contest = {.ways = 3, .together = together};
    unsigned ways[1000];
    uint32_t trials[1000], turns = 0, timed[3] = {0};
    do ways[turns] = rh_native_contest_begin(&contest, &trials[turns]);
    while (++turns < 1000);
    for (uint32_t k = 0; k < turns; k++) {
      if (trials[k] == CONTEST_OVER) continue;
      timed[ways[k]]++;
      for (uint32_t j = k - together; j <= k + together; j++) ck_assert_uint_eq(ways[j], ways[k]);
    }
    for (int way = 0; way < 3; way++) ck_assert_uint_eq(timed[way], CONTEST_TRIALS);
  }
}

/* ---- Threads ---- */

typedef struct life {
  uint64_t seed;
  int64_t threads;
  int runs, naps;
} life;

/* Consecutive jobs of all sizes, over data that change in between. */
static void *live(void *user) {
  life *l = user;
  uint64_t *x = calloc(MOST / 4, sizeof *x), state = l->seed, total = 0;
  void *self = open_by(RH_OP_sum, RH_TYPE_u64, l->threads, 0, AUTO);
  for (int k = 0; k < l->runs; k++) {
    uint64_t n = random_next(&state) % (MOST / 4), value;
    total = 0;
    x[n / 2] = random_next(&state);
    for (uint64_t j = 0; j < n; j++) total += x[j];
    reduce(self, x, n, &value);
    ck_assert_uint_eq(value, total);
    if (k % 16 < l->naps) usleep(300); /* so long that threads fall asleep */
  }
  strategy()->teardown(self);
  free(x);
  return NULL;
}

TEST(threads_under_load) {
  life lives[] = {{1, 2, 300, 3}, {2, 4, 300, 0}};
  pthread_t other;
  ck_assert_int_eq(pthread_create(&other, NULL, live, &lives[0]), 0);
  live(&lives[1]);
  pthread_join(other, NULL);
  free_all();
}

TEST(more_threads_than_processors) {
  life l = {3, 40, 3000, 1};
  live(&l);
  free_all();
}

/* In a child there are no other threads, and nothing to wait for. */
TEST(after_a_fork) {
  uint64_t *x = calloc(MOST, sizeof *x), value = 0;
  void *self = open_by(RH_OP_max, RH_TYPE_u64, 3, 0, AUTO);
  x[MOST - 2] = 7;
  reduce(self, x, MOST, &value);
  pid_t child = fork();
  if (child == 0) {
    alarm(100);
    x[5] = 9;
    reduce(self, x, MOST, &value);
    strategy()->teardown(self);
    _exit(value == 9 ? 0 : 1);
  }
  int status = -1;
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  ck_assert_int_eq(status, 0);
  strategy()->teardown(self);
  free_all();
  free(x);
}

/* ---- Signals ---- */

static void end_by_6(int signal_number) {
  (void)signal_number;
  _exit(6);
}

static void read_a_cut_file(FILE *file) {
  void *x = mmap(NULL, MOST * sizeof(float), PROT_READ, MAP_SHARED, fileno(file), 0);
  struct sigaction action = {.sa_handler = end_by_6};
  float value;
  if (x == MAP_FAILED || sigaction(SIGBUS, &action, NULL) != 0) _exit(1);
  reduce(open_by(RH_OP_sum, RH_TYPE_f32, 4, 0, AUTO), x, MOST, &value);
  _exit(0);
}

/* Whichever thread hits the missing page. */
TEST(a_cut_file_reaches_the_programs_handler) {
  FILE *file = tmpfile();
  ck_assert(file && ftruncate(fileno(file), MOST) == 0); /* a quarter of it */
  for (int k = 0; k < 50; k++) {
    int status = -1;
    pid_t child = fork();
    if (child == 0) read_a_cut_file(file);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 6, "try %d: %x", k, (unsigned)status);
  }
  fclose(file);
}
