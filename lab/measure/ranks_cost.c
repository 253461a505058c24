/* What ranks cost beside their work, for docs/use/devices-and-ranks.md.  Not a test.
 *
 *     ranks_cost fold                   the parts of 10^2 to 10^5 ranks become one answer
 *     ranks_cost gather N [TRANSPORT]   gathers of N ranks: `local`, or under mpirun
 *
 * `fold` needs no ranks: it lets redhost's own function gather from a transport that has made up
 * what they would say, part by part, as the function itself writes it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../host/engine/reduction/reduction.h"

static rh_job_spec job = {.strategy = "native", .operation.n = (uint64_t)1 << 40};

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void give_up(const rh_error *error) {
  fprintf(stderr, "ranks_cost: %s\n", error->message);
  exit(1);
}

/* ---- A transport that has written down what all ranks say ---- */

enum { MOST_TURNS = 4 };

typedef struct script {
  uint32_t size, rank, turn;       /* rank: the one that is written down */
  uint32_t most[MOST_TURNS];       /* bytes of a rank */
  unsigned char *said[MOST_TURNS]; /* of all ranks; null while `most` is found */
} script;

static int32_t write_down(void *self, const void *mine, uint32_t n, void *all, double seconds,
                          char *text, uint32_t bytes) {
  script *s = self;
  (void)seconds;
  (void)text;
  (void)bytes;
  if (s->said[s->turn]) memcpy(s->said[s->turn] + (size_t)s->rank * s->most[s->turn], mine, n);
  if (n > s->most[s->turn]) s->most[s->turn] = n;
  s->turn++;
  memcpy(all, mine, n);
  return 0;
}

static int32_t read_aloud(void *self, const void *mine, uint32_t n, void *all, double seconds,
                          char *text, uint32_t bytes) {
  script *s = self;
  (void)mine;
  (void)seconds;
  (void)text;
  (void)bytes;
  memcpy(all, s->said[s->turn++], (size_t)n * s->size);
  return 0;
}

static const rh_transport writer = {.gather = write_down}, reader = {.gather = read_aloud};

/* The part of a rank, as its share would leave it. */
static void make_part(rh_partial *part, uint32_t rank, uint32_t size) {
  const float one = 1;
  rh_error error;
  uint64_t tile = rh_partial_tile(&job), first, n;
  rh_partition_ranks(tile, 0, job.operation.n, rank, size, &first, &n);
  rh_partial_init(part, &job, job.operation.n, RH_CHECK_FULL);
  for (uint64_t at = first / tile, end = (first + n) / tile; at < end;) {
    uint32_t level = rh_partition_level(at, end, UINT64_MAX);
    _Alignas(16) unsigned char value[RH_ANY_VALUE_BYTES] = {0};
    memcpy(value, &one, sizeof one);
    const rh_fold_node node = {at, level};
    if (rh_fold_add(&part->fold, &node, value, sizeof value, at * tile, &error) != RH_OK)
      give_up(&error);
    at += (uint64_t)1 << level;
  }
}

static void write_rank(script *s, uint32_t rank) {
  rh_partial part;
  rh_partial whole;
  rh_error error;
  rh_ranks ranks = {.transport = &writer, .self = s, .place = {sizeof(rh_rank_place), 0, 1, 0}};
  make_part(&part, rank, s->size);
  rh_partial_init(&whole, &job, job.operation.n, RH_CHECK_FULL);
  s->rank = rank;
  s->turn = 0;
  if (rh_partial_gather(&whole, &part, &ranks, &error) != RH_OK) give_up(&error);
  rh_partial_finish(&whole);
  rh_partial_finish(&part);
}

/* Twice: shorter parts are filled up to the longest. */
static void write_script(script *s) {
  for (uint32_t r = 0; r < s->size; r++) write_rank(s, r);
  for (int k = 0; k < MOST_TURNS; k++) s->said[k] = calloc(s->size, s->most[k] + 1);
  for (uint32_t r = 0; r < s->size; r++) write_rank(s, r);
}

static void measure_fold(uint32_t size) {
  enum { TIMES = 5 };
  double times[TIMES];
  script s = {.size = size};
  write_script(&s);
  for (int k = 0; k < TIMES; k++) {
    rh_partial part;
    rh_partial whole;
    rh_error error;
    rh_ranks ranks = {
        .transport = &reader, .self = &s, .place = {sizeof(rh_rank_place), 0, size, 0}};
    make_part(&part, 0, size);
    rh_partial_init(&whole, &job, job.operation.n, RH_CHECK_FULL);
    s.turn = 0;
    double start = rh_now();
    if (rh_partial_gather(&whole, &part, &ranks, &error) != RH_OK) give_up(&error);
    times[k] = rh_now() - start;
    rh_partial_finish(&whole);
    rh_partial_finish(&part);
  }
  qsort(times, TIMES, sizeof *times, by_value);
  printf("%7u ranks: at most %u bytes each, %.3f ms\n", size, s.most[1], 1e3 * times[TIMES / 2]);
  for (int k = 0; k < MOST_TURNS; k++) free(s.said[k]);
}

/* ---- Gathers ---- */

static void measure_gathers(rh_ranks *ranks) {
  enum { ROUNDS = 201 };
  static const uint32_t sizes[] = {1, 8, 64, 1024, 16384, 65536};
  static double times[ROUNDS];
  rh_error error;
  char *mine = calloc(1, RH_TRANSPORT_MOST_BYTES);
  char *all = calloc(ranks->place.size, RH_TRANSPORT_MOST_BYTES);
  for (size_t j = 0; mine && all && j < sizeof sizes / sizeof *sizes; j++) {
    for (int k = 0; k < ROUNDS; k++) {
      double start = rh_now();
      if (rh_ranks_gather(ranks, mine, sizes[j], all, &error) != RH_OK) give_up(&error);
      times[k] = rh_now() - start;
    }
    qsort(times, ROUNDS, sizeof *times, by_value);
    if (ranks->place.rank == 0)
      printf("%5u ranks, %5u bytes each: %9.1f us\n", ranks->place.size, sizes[j],
             1e6 * times[ROUNDS / 2]);
  }
  free(mine);
  free(all);
}

static void open_ranks(rh_ranks *ranks, int argc, char **argv) {
  const rh_transport *transport = &rh_local_transport;
  rh_rank_place place = {.struct_size = sizeof place};
  void *self = NULL;
  char program[4096] = "";
  rh_error error;
  rh_status status = RH_OK;
  if (argc > 3) {
    status = rh_transport_find(argv[3], &transport, &error);
  } else if (!rh_local_is_rank()) {
    if (readlink("/proc/self/exe", program, sizeof program - 1) < 0) exit(1);
    status = rh_local_launch(&self, &place, (uint32_t)atoi(argv[2]), program, argv, &error);
  }
  if (status == RH_OK) status = rh_ranks_open(ranks, transport, self, &place, &error);
  if (status != RH_OK) give_up(&error);
}

int main(int argc, char **argv) {
  job.operation.op = rh_operator_builtin(RH_OP_sum, RH_TYPE_f32);
  rh_ranks ranks = {0};
  if (argc == 2 && strcmp(argv[1], "fold") == 0) {
    for (uint32_t size = 100; size <= 100000; size *= 10) measure_fold(size);
    return 0;
  }
  if (argc < 3 || strcmp(argv[1], "gather") != 0) {
    fprintf(stderr, "usage: ranks_cost fold, or ranks_cost gather N [TRANSPORT]\n");
    return 2;
  }
  open_ranks(&ranks, argc, argv);
  measure_gathers(&ranks);
  rh_ranks_close(&ranks);
  return 0;
}
