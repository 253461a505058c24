/* rh_reduce_distributed(), with threads as ranks: any division of the elements gives the bits of
 * one process, and a failure of one rank is the failure of all.  Without a device, as under
 * ThreadSanitizer, only host strategies are used, and fewer divisions are tried. */
#include "../../host/library/kept.h"
#include "../suite/suite.h"
#include "library.h"

#include <pthread.h>

enum { N = 40007, MOST_RANKS = 16, MOST_BYTES = 65536 };

static float x[N], w[N];
static double y[N];
static int32_t k[N];
static uint64_t u[N];

static void fill(void) {
  uint64_t state = 1;
  for (int i = 0; i < N; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    double number = (double)(state >> 11) * 0x1p-53;
    x[i] = (float)(number - 0.3);
    w[i] = (float)(1 + number / 8);
    y[i] = 0.5 + number;
    k[i] = (int32_t)(state >> 40) - 5000000;
    u[i] = state >> 3;
  }
}

static void open_filled(void) {
  fill();
  set_up();
}

static int has_device(void) {
  const rh_cl_device *device;
  return rh_context_device(redhost->context, &device, NULL) == RH_OK;
}

/* ---- Ranks ---- */

typedef struct job {
  uint32_t size, fails_at; /* the gather that fails in all ranks, from 1; 0: none */
  pthread_barrier_t barrier;
  unsigned char *board; /* where the ranks write what they give */
} job;

typedef struct rank {
  job *of;
  uint32_t rank, gathers;
  uint64_t most; /* bytes, of a gather */
  rh_redhost *redhost;
  rh_request request;
  rh_input inputs[2];
  void *held[2]; /* its own elements */
  rh_result result;
  rh_error error;
  rh_status status;
} rank;

static int32_t gather(void *of_rank, const void *mine, uint32_t n, void *all) {
  rank *self = of_rank;
  job *of = self->of;
  ck_assert(n > 0 && n <= MOST_BYTES);
  memcpy(of->board + (size_t)self->rank * n, mine, n);
  pthread_barrier_wait(&of->barrier);
  memcpy(all, of->board, (size_t)of->size * n);
  pthread_barrier_wait(&of->barrier);
  if (n > self->most) self->most = n;
  return ++self->gathers == of->fails_at ? 7 : 0;
}

static void *run_rank(void *of_rank) {
  rank *self = of_rank;
  rh_communicator by = {.struct_size = sizeof by,
                        .rank = self->rank,
                        .size = self->of->size,
                        .gather = gather,
                        .user = self};
  self->result = (rh_result){.struct_size = sizeof self->result};
  self->status =
      rh_reduce_distributed(self->redhost, &self->request, &by, &self->result, &self->error);
  return NULL;
}

static void run_ranks(rank *ranks, uint32_t size, uint32_t fails_at) {
  pthread_t threads[MOST_RANKS];
  job of = {.size = size, .fails_at = fails_at, .board = malloc((size_t)size * MOST_BYTES)};
  ck_assert_ptr_nonnull(of.board);
  pthread_barrier_init(&of.barrier, NULL, size);
  for (uint32_t r = 0; r < size; r++) {
    ranks[r].of = &of;
    ranks[r].rank = r;
    ck_assert_int_eq(pthread_create(&threads[r], NULL, run_rank, &ranks[r]), 0);
  }
  for (uint32_t r = 0; r < size; r++) pthread_join(threads[r], NULL);
  pthread_barrier_destroy(&of.barrier);
  free(of.board);
}

/* ---- Divisions ---- */

/* starts[r] .. starts[r + 1] - 1 are rank r's, of n. */
typedef struct division {
  const char *name;
  uint32_t size;
  void (*cut)(uint64_t *starts, uint32_t size, uint64_t n);
} division;

static void cut_evenly(uint64_t *starts, uint32_t size, uint64_t n) {
  for (uint32_t r = 0; r <= size; r++) starts[r] = n * r / size;
}

/* Every second rank has none, the first and the last too. */
static void cut_with_gaps(uint64_t *starts, uint32_t size, uint64_t n) {
  for (uint32_t r = 0; r <= size; r++) starts[r] = r == size ? n : n * (r / 2) / (size / 2);
}

static void cut_all_to_last(uint64_t *starts, uint32_t size, uint64_t n) {
  for (uint32_t r = 0; r <= size; r++) starts[r] = r == size ? n : 0;
}

static void cut_all_to_first(uint64_t *starts, uint32_t size, uint64_t n) {
  for (uint32_t r = 0; r <= size; r++) starts[r] = r ? n : 0;
}

/* Many ranks within a tile, the last one has the rest. */
static void cut_small(uint64_t *starts, uint32_t size, uint64_t n) {
  for (uint32_t r = 0; r <= size; r++) starts[r] = r == size ? n : 17 * r < n ? 17 * r : n;
}

/* The first has almost all, the others share the last tile. */
static void cut_small_at_end(uint64_t *starts, uint32_t size, uint64_t n) {
  for (uint32_t r = 0; r <= size; r++) {
    uint64_t behind = 3 * (uint64_t)(size - r);
    starts[r] = r == 0 || behind > n ? 0 : n - behind;
  }
}

/* At tiles of f32: nothing is between ranks. */
static void cut_at_tiles(uint64_t *starts, uint32_t size, uint64_t n) {
  for (uint32_t r = 0; r <= size; r++) starts[r] = r == size ? n : n * r / size / 512 * 512;
}

static void cut_anywhere(uint64_t *starts, uint32_t size, uint64_t n) {
  static uint32_t state = 7;
  starts[0] = 0;
  starts[size] = n;
  for (uint32_t r = 1; r < size; r++) {
    state = state * 1664525 + 1013904223;
    uint64_t at = n ? (state >> 8) % (n + 1) : 0;
    uint32_t place = r;
    for (; place > 1 && starts[place - 1] > at; place--) starts[place] = starts[place - 1];
    starts[place] = at;
  }
}

static const division divisions[] = {
    {"one", 1, cut_evenly},         {"two", 2, cut_evenly},         {"seven", 7, cut_evenly},
    {"tiles", 5, cut_at_tiles},     {"gaps", 8, cut_with_gaps},     {"last", 3, cut_all_to_last},
    {"first", 3, cut_all_to_first}, {"small", 16, cut_small},       {"end", 9, cut_small_at_end},
    {"anywhere", 3, cut_anywhere},  {"anywhere", 11, cut_anywhere}, {"anywhere", 16, cut_anywhere},
    {"anywhere", 16, cut_anywhere},
};
enum { DIVISIONS = sizeof divisions / sizeof *divisions };

/* ---- One process and many ---- */

static uint32_t size_of(rh_type type) {
  return type == RH_TYPE_f64 || type == RH_TYPE_u64 ? 8 : 4;
}

/* In memory of its own, so that what it does not hold is not behind it; nothing where it has
 * none. */
static const void *hold(rank *self, int j, const void *whole, rh_type type, uint64_t from,
                        uint64_t to) {
  size_t bytes = (to - from) * size_of(type);
  if (bytes == 0) return NULL;
  self->held[j] = malloc(bytes);
  ck_assert_ptr_nonnull(self->held[j]);
  return memcpy(self->held[j], (const char *)whole + from * size_of(type), bytes);
}

static void share_out(rank *self, const rh_request *whole, uint64_t from, uint64_t to) {
  self->request = *whole;
  self->request.n = to - from;
  self->redhost = redhost;
  if (whole->data) self->request.data = hold(self, 0, whole->data, whole->type, from, to);
  for (uint64_t j = 0; j < whole->n_inputs; j++) {
    self->inputs[j] = whole->inputs[j];
    self->inputs[j].data =
        hold(self, (int)j, whole->inputs[j].data, whole->inputs[j].type, from, to);
  }
  if (whole->inputs) self->request.inputs = self->inputs;
}

static void let_go(rank *ranks, uint32_t size) {
  for (uint32_t r = 0; r < size; r++)
    for (int j = 0; j < 2; j++) free(ranks[r].held[j]);
  memset(ranks, 0, size * sizeof *ranks);
}

static void divide(const rh_request *whole, const division *by, const rh_result *one) {
  static rank ranks[MOST_RANKS];
  uint64_t starts[MOST_RANKS + 1];
  char what[128];
  by->cut(starts, by->size, whole->n);
  for (uint32_t r = 0; r < by->size; r++) share_out(&ranks[r], whole, starts[r], starts[r + 1]);
  run_ranks(ranks, by->size, 0);
  for (uint32_t r = 0; r < by->size; r++) {
    snprintf(what, sizeof what, "n = %llu, %s, rank %u of %u", (unsigned long long)whole->n,
             by->name, r, by->size);
    ck_assert_msg(ranks[r].status == RH_OK, "%s: %s", what, ranks[r].error.message);
    must_be_same(&ranks[r].result, one, what);
    ck_assert_uint_eq(ranks[r].gathers, ranks[0].gathers);
    ck_assert_uint_le(ranks[r].most, 8192); /* values, or a tile of each input */
  }
  let_go(ranks, by->size);
}

static void divide_all(const rh_request *whole, const uint64_t *sizes, int n) {
  int step = has_device() ? 1 : 4;
  for (int j = 0; j < n; j++) {
    rh_request request = *whole;
    rh_result one = {.struct_size = sizeof one};
    request.n = sizes[j];
    must(rh_reduce(redhost, &request, &one, &error));
    for (int d = 0; d < DIVISIONS; d += step) divide(&request, &divisions[d], &one);
  }
}

static const rh_input two_floats[] = {{.type = RH_TYPE_f32, .data = x},
                                      {.type = RH_TYPE_f32, .data = w}};
static const rh_input two_types[] = {{.type = RH_TYPE_f32, .data = x},
                                     {.type = RH_TYPE_f64, .data = y}};
static const rh_input only_y[] = {{.type = RH_TYPE_f64, .data = y}};
static const rh_constant half[] = {{.name = "t", .is_float = 1, .value = {.f = 0.5}}};

#define REQUEST .struct_size = sizeof(rh_request)
static const rh_request problems[] = {
    {REQUEST, .op = "sum", .type = RH_TYPE_f32, .data = x},
    {REQUEST, .op = "sum", .type = RH_TYPE_f32, .data = x, .accuracy = RH_ACCURACY_EXACT},
    {REQUEST, .op = "prod", .type = RH_TYPE_f64, .data = y},
    {REQUEST, .op = "argmin", .type = RH_TYPE_f32, .data = x},
    {REQUEST, .op = "argmax", .type = RH_TYPE_i32, .data = k, .unchecked = 1},
    {REQUEST, .op = "affine", .type = RH_TYPE_u64, .data = u},
    {REQUEST, .op = "dot", .inputs = two_floats, .n_inputs = 2},
    {REQUEST, .op = "dot", .inputs = two_types, .n_inputs = 2},
    {REQUEST, .op = "dot", .inputs = two_floats, .n_inputs = 2, .accuracy = RH_ACCURACY_EXACT},
    {REQUEST, .op = "meanvar", .inputs = only_y, .n_inputs = 1},
    {REQUEST, .op = "min,max,sum", .type = RH_TYPE_f32, .data = x},
    {REQUEST, .op = "sum", .map = "x*(i%7)/n", .inputs = only_y, .n_inputs = 1},
    {REQUEST, .op = "sum", .map = "x*t", .where = "x > t", .inputs = only_y, .n_inputs = 1,
     .constants = half, .n_constants = 1},
    {REQUEST, .op = "argmax", .map = "fabs(x-y)", .inputs = two_floats, .n_inputs = 2},
    /* It does not commute. */
    {REQUEST, .reduce = "a*(1-b)+b", .identity = "0", .type = RH_TYPE_f32, .data = w,
     .unchecked_op = 1},
};

CASES(bits, .set_up = open_filled, .tear_down = tear_down)

TEST_LOOP(any_division_has_the_same_bits, 0, sizeof problems / sizeof *problems) {
  static const uint64_t sizes[] = {N, 513, 1, 511, 4096};
  rh_request request = problems[_i];
  request.strategy = "native";
  divide_all(&request, sizes, _i == 0 ? 5 : 2);
}

/* Of more elements than a chunk has: 2^20 of them, or 2^23 where they are not checked. */
TEST_LOOP(several_chunks_do, 0, 2) {
  uint64_t n = _i ? 9000001 : 1500001;
  float *many = malloc(n * sizeof *many);
  ck_assert_ptr_nonnull(many);
  for (uint64_t i = 0; i < n; i++) many[i] = x[i % N] / (float)(1 + i % 1000);
  rh_request request = {REQUEST, .op = "sum",          .type = RH_TYPE_f32, .data = many,
                        .n = n,  .strategy = "native", .unchecked = _i != 0};
  rh_result one = {.struct_size = sizeof one};
  must(rh_reduce(redhost, &request, &one, &error));
  for (int d = 0; d < DIVISIONS; d += 3) divide(&request, &divisions[d], &one);
  free(many);
}

CASES(devices, .set_up = open_filled, .tear_down = tear_down)

/* On a device, and as `auto` chooses. */
TEST_LOOP(other_strategies_do, 0, 2) {
  static const char *const names[] = {"onepass", "auto"};
  static const int some[] = {0, 3, 6, 11};
  if (!has_device() && _i == 0) return;
  for (size_t j = 0; j < sizeof some / sizeof *some; j++) {
    rh_request request = problems[some[j]];
    rh_result one = {.struct_size = sizeof one};
    request.n = N;
    request.strategy = "native";
    must(rh_reduce(redhost, &request, &one, &error));
    request.strategy = names[_i];
    for (int d = 2; d < DIVISIONS; d += 3) divide(&request, &divisions[d], &one);
  }
}

/* One in OpenCL C is combined on a device, also by ranks that have no elements. */
TEST(an_operator_by_code_does) {
  static float coarse[N];
  if (!has_device()) return;
  for (int i = 0; i < N; i++) coarse[i] = (float)((i * 37) % 101 - 50); /* with exact sums */
  rh_request request = {REQUEST, .op = squares_and_last, .type = RH_TYPE_f32, .data = coarse,
                        .n = 12345};
  rh_result one = {.struct_size = sizeof one};
  must(rh_reduce(redhost, &request, &one, &error));
  for (int d = 2; d < DIVISIONS; d += 3) divide(&request, &divisions[d], &one);
}

/* Repeated calls use what was set up: with and without a map that has the index. */
TEST(calls_of_both_kinds_take_turns) {
  rh_request request = problems[11];
  rh_result one = {.struct_size = sizeof one};
  request.n = N;
  for (int j = 0; j < 3; j++) {
    must(rh_reduce(redhost, &request, &one, &error));
    divide(&request, &divisions[2], &one);
  }
}

static rank three[3];

static void close_all(void) {
  let_go(three, 3);
  tear_down();
}

CASES(failures, .set_up = open_filled, .tear_down = close_all)

/* Of a value that no element gives: sums of nothing are 0, and there is no least of nothing. */
TEST(no_elements_at_all) {
  static rank ranks[3];
  rh_request request = problems[0];
  rh_result one = {.struct_size = sizeof one};
  must(rh_reduce(redhost, &request, &one, &error));
  divide(&request, &divisions[5], &one);
  for (int r = 0; r < 3; r++) share_out(&ranks[r], &problems[3], 0, 0);
  run_ranks(ranks, 3, 0);
  for (int r = 0; r < 3; r++) {
    error = ranks[r].error;
    must_fail(ranks[r].status, RH_E_USAGE, "argmin of no elements is undefined");
  }
}

/* ---- Failures ---- */

/* Three ranks of the problem, for a test to change. */
static void set_three(int problem) {
  let_go(three, 3);
  for (int r = 0; r < 3; r++)
    share_out(&three[r], &problems[problem], 5000 * (uint64_t)r, 5000 * (uint64_t)r + 5000);
}

static void all_must_fail(rh_status with, const char *words) {
  run_ranks(three, 3, 0);
  for (int r = 0; r < 3; r++) {
    error = three[r].error;
    must_fail(three[r].status, with, words);
    ck_assert_str_eq(three[r].error.message, three[0].error.message);
    ck_assert_uint_eq(three[r].gathers, three[0].gathers);
    ck_assert_int_eq(three[r].result.strategy[0], 0); /* it is not written */
  }
}

static void all_must_work(void) {
  run_ranks(three, 3, 0);
  for (int r = 0; r < 3; r++) {
    error = three[r].error;
    must(three[r].status);
  }
}

/* One rank cannot begin. */
TEST(a_bad_request_of_one_is_that_of_all) {
  set_three(0);
  three[1].request.data = NULL;
  all_must_fail(RH_E_USAGE, "rank 1 (host ");
  all_must_fail(RH_E_USAGE, "the data is null or not aligned");
  set_three(0);
  three[2].request.op = "sun";
  all_must_fail(RH_E_USAGE, "unknown operator 'sun'");
  set_three(0);
  three[0].redhost = NULL;
  all_must_fail(RH_E_USAGE, "rank 0 (host ");
  set_three(0);
  three[2].request.struct_size = 3;
  all_must_fail(RH_E_USAGE, "rh_request");
  set_three(0);
  for (int r = 0; r < 3; r++) three[r].request.op = "xor";
  all_must_fail(RH_E_USAGE, "operator xor is not defined for f32");
  ck_assert_ptr_null(strstr(three[0].error.message, "rank")); /* they all say so */
  set_three(0);
  all_must_work();
}

/* One rank fails where it reduces; its strategy is its own affair. */
TEST(a_failure_of_one_is_that_of_all) {
  set_three(0);
  three[2].request.strategy = "no_such";
  all_must_fail(RH_E_USAGE, "rank 2 (host ");
  set_three(0);
  three[0].request.strategy = "native";
  three[2].request.strategy = "serial";
  all_must_work();
  ck_assert_str_eq(three[1].result.strategy, "native"); /* of the first */
  if (!has_device()) return;
  rh_redhost *wrong = open_on(NULL, "results/drops_last");
  set_three(0);
  three[1].redhost = wrong;
  three[1].request.strategy = "drops_last";
  all_must_fail(RH_E_WRONG, "wrong result: 'drops_last' on elements 5120 to ");
  ck_assert_ptr_nonnull(strstr(three[2].error.message, "rank 1 (host "));
  rh_close(wrong);
}

static void keep_warning(void *user, uint32_t level, const char *text) {
  if (level == RH_LOG_WARNING) snprintf(user, 512, "%s", text);
}

/* A strategy that is wrong from 2^24 elements on and may be, by its own word. */
TEST(what_may_be_anything_is_never_right) {
  enum { FAR = 1 << 24 };
  static rank ranks[1];
  char warning[512] = "", file[4096];
  rh_redhost *far_off;
  rh_options options = {.struct_size = sizeof options,
                        .plugin_file = file,
                        .program = getenv("REDHOST_TEST_PROGRAM"),
                        .reporter = {.user = warning, .log = keep_warning}};
  if (!has_device()) return;
  snprintf(file, sizeof file, "%s/results/far_constant.so", getenv("REDHOST_TEST_ZOO"));
  must(rh_open(&far_off, &options, &error));
  float *many = malloc(FAR * sizeof *many);
  ck_assert_ptr_nonnull(many);
  for (uint64_t i = 0; i < FAR; i++) many[i] = x[i % N];
  for (int own = 0; own < 2; own++) {
    const rh_request request = {
        REQUEST,  .strategy = "far_constant", .op = "sum", .data = many, .type = RH_TYPE_f32,
        .n = FAR, .map = own ? "x" : NULL};
    rh_result result = {.struct_size = sizeof result};
    rh_status status = rh_reduce(far_off, &request, &result, &error);
    if (own)
      must(status);
    else
      must_fail(status, RH_E_WRONG, "exact data at this n: 0.048");
    ck_assert_int_eq(strstr(warning, "is not judged: its bound allows much") != NULL, own);
    warning[0] = 0;
    ranks[0] = (rank){.redhost = far_off, .request = request};
    run_ranks(ranks, 1, 0);
    error = ranks[0].error;
    must(ranks[0].status);
    ck_assert_msg(strstr(warning, "is not judged: its bound allows much") != NULL, "%s", warning);
    warning[0] = 0;
  }
  free(many);
  rh_close(far_off);
}

TEST(an_operator_is_blamed_before_a_strategy) {
  static const rh_request wrong = {REQUEST,
                                   .type = RH_TYPE_i32,
                                   .data = k,
                                   .strategy = "serial",
                                   .reduce = "a + 2*b",
                                   .identity = "0",
                                   .commutes = 1,
                                   .unchecked_op = 1};
  let_go(three, 3);
  for (uint64_t r = 0; r < 3; r++) share_out(&three[r], &wrong, 5000 * r, 5000 * r + 5000);
  all_must_fail(RH_E_PLUGIN, "'a + 2*b' is not associative (");
  ck_assert_ptr_null(strstr(three[0].error.message, "serial"));
}

static int say_stop(void *user, const char *phase, uint64_t done, uint64_t total) {
  return user == NULL && phase && done <= total;
}

TEST(one_rank_cancels) {
  rh_redhost *impatient;
  rh_options options = {.struct_size = sizeof options,
                        .plugin_path = getenv("REDHOST_TEST_PLUGINS"),
                        .program = getenv("REDHOST_TEST_PROGRAM"),
                        .reporter = {.progress = say_stop}};
  must(rh_open(&impatient, &options, &error));
  set_three(0);
  three[2].redhost = impatient;
  all_must_fail(RH_E_CANCELLED, "rank 2 (host ");
  rh_close(impatient);
}

/* As everywhere: one element after the other, so that the bound allows more than a thousandth. */
TEST(a_weak_bound_is_not_a_check) {
  static rank ranks[1];
  char warning[512] = "";
  rh_redhost *strict;
  rh_options options = {.struct_size = sizeof options,
                        .plugin_path = getenv("REDHOST_TEST_PLUGINS"),
                        .program = getenv("REDHOST_TEST_PROGRAM"),
                        .reporter = {.user = warning, .log = keep_warning}};
  must(rh_open(&strict, &options, &error));
  share_out(&ranks[0], &problems[0], 0, N);
  ranks[0].redhost = strict;
  ranks[0].request.strategy = "serial";
  run_ranks(ranks, 1, 0);
  error = ranks[0].error;
  must(ranks[0].status);
  ck_assert_msg(strstr(warning, "'serial': the result is not judged: its bound allows much"), "%s",
                warning);
  warning[0] = 0;
  ranks[0].request.strategy = "native";
  run_ranks(ranks, 1, 0);
  must(ranks[0].status);
  ck_assert_str_eq(warning, "");
  let_go(ranks, 1);
  rh_close(strict);
}

TEST(a_gather_that_fails) {
  for (uint32_t at = 1; at <= 8; at++) {
    set_three(0);
    run_ranks(three, 3, at);
    if (three[0].gathers < at) break;
    ck_assert_uint_eq(three[0].gathers, at); /* it is not called again */
    for (int r = 0; r < 3; r++) {
      error = three[r].error;
      must_fail(three[r].status, RH_E_PLUGIN, "gather() of the communicator returned 7");
    }
  }
  ck_assert_uint_gt(three[0].gathers, 3);
  ck_assert_int_eq(three[0].status, RH_OK);
}

/* Nothing is read. */
TEST(more_elements_than_can_be_counted) {
  static const rh_request bytes = {REQUEST, .op = "xor", .type = RH_TYPE_u8, .data = u};
  set_three(0);
  for (int r = 0; r < 3; r++) {
    three[r].request = bytes;
    three[r].request.n = UINT64_MAX / 2;
  }
  all_must_fail(RH_E_USAGE, "beyond all memory");
}

TEST(malformed_communicators) {
  rh_request request = problems[0];
  rh_result result = {.struct_size = sizeof result};
  rh_communicator by = {.struct_size = sizeof by, .size = 1};
  request.n = 1000;
  must(rh_reduce_distributed(redhost, &request, &by, &result, &error));
  must_fail(rh_reduce_distributed(redhost, &request, NULL, &result, &error), RH_E_USAGE, "is null");
  by.size = 2;
  must_fail(rh_reduce_distributed(redhost, &request, &by, &result, &error), RH_E_USAGE,
            "rh_communicator.gather is null, and there are 2 ranks");
  by.gather = gather;
  by.rank = 2;
  must_fail(rh_reduce_distributed(redhost, &request, &by, &result, &error), RH_E_USAGE,
            "rank 2 of 2");
  by = (rh_communicator){.struct_size = sizeof by, .size = 0};
  must_fail(rh_reduce_distributed(redhost, &request, &by, &result, &error), RH_E_USAGE,
            "rank 0 of 0");
  by.size = 1;
  by.reserved = 1;
  must_fail(rh_reduce_distributed(redhost, &request, &by, &result, &error), RH_E_USAGE, "reserved");
  by.struct_size = 5;
  must_fail(rh_reduce_distributed(redhost, &request, &by, &result, &error), RH_E_USAGE,
            "rh_communicator");
}
