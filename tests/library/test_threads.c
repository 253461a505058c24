/* Several threads in the library: the concurrent calls that redhost.h allows.  Without a device, as
 * under ThreadSanitizer, only host strategies are used. */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>

#include "../../host/library/library.h"
#include "library.h"

enum { THREADS = 4, N = 5003 };

static int32_t numbers[N];
static int has_device;

/* Names of strategies; the later ones need a device. */
static const char *const strategies[] = {"serial", "native", "auto", "cascade", "two_stage"};

static int n_strategies(void) { return has_device ? 5 : 3; }

static void open_all(void) {
  const rh_cl_device *device;
  set_up();
  has_device = rh_context_device(redhost->context, &device, NULL) == RH_OK;
  rh_close(redhost);
  redhost = open_on(NULL, NULL); /* in its initial state */
  for (int k = 0; k < N; k++) numbers[k] = k * 7919 % 1013 - 500;
}

static int64_t sum_of(uint64_t n) {
  int64_t sum = 0;
  for (uint64_t k = 0; k < n; k++) sum += numbers[k];
  return sum;
}

/* ---- The same in every thread ---- */

typedef struct work {
  int thread, rounds;
  rh_redhost *redhost;
  rh_prepared *prepared;
  unsigned right, busy;
  char wrong[1200]; /* the first violation; "" if none */
} work;

static atomic_int waiting;

/* All threads at once, as nearly as possible. */
static void meet(void) {
  atomic_fetch_sub(&waiting, 1);
  while (atomic_load(&waiting) > 0) usleep(10);
}

/* Each call has to give the right result, or, where several threads share what is prepared, the
 * error for that. */
static void in_threads(work *all, void *(*what)(void *), int are_shared) {
  pthread_t threads[THREADS];
  atomic_store(&waiting, THREADS);
  for (int k = 0; k < THREADS; k++) {
    all[k].thread = k;
    ck_assert_int_eq(pthread_create(&threads[k], NULL, what, &all[k]), 0);
  }
  for (int k = 0; k < THREADS; k++) pthread_join(threads[k], NULL);
  for (int k = 0; k < THREADS; k++) {
    ck_assert_msg(!all[k].wrong[0], "%s", all[k].wrong);
    ck_assert_uint_eq(all[k].right + (are_shared ? all[k].busy : 0), (unsigned)all[k].rounds);
  }
}

static void note(work *w, rh_status status, const rh_result *result, int64_t right,
                 const rh_error *why) {
  if (status == RH_OK && result->value.i == right) {
    w->right++;
  } else if (status == RH_E_INVALID && strstr(why->message, "in progress in another thread")) {
    w->busy++;
  } else if (!w->wrong[0]) {
    if (status == RH_OK)
      snprintf(w->wrong, sizeof w->wrong, "%lld by %s instead of %lld", (long long)result->value.i,
               result->strategy, (long long)right);
    else snprintf(w->wrong, sizeof w->wrong, "status %d: %s", status, why->message);
  }
}

/* ---- rh_prepare() and rh_reduce() on one handle ---- */

static void *prepare_and_run(void *of_work) {
  work *w = of_work;
  meet();
  for (int k = 0; k < w->rounds; k++) {
    uint64_t n = (uint64_t)(N - 100 * w->thread - k);
    rh_request spec = SIZED(rh_request, .op = "sum", .type = RH_TYPE_i32, .n = N);
    OWNED(rh_prepared) prepared = NULL;
    rh_result result = {.struct_size = sizeof result};
    rh_error why = {0};
    spec.strategy = strategies[(k + w->thread) % n_strategies()];
    rh_status status = rh_prepare(w->redhost, &spec, &prepared, &why);
    if (status == RH_OK) status = rh_prepared_run(prepared, numbers, n, &result, &why);
    note(w, status, &result, sum_of(n), &why);
  }
  return NULL;
}

CASES(threads, .set_up = open_all, .tear_down = tear_down, .timeout = 240)

TEST(prepare_on_one_handle) {
  work all[THREADS] = {0};
  for (int k = 0; k < THREADS; k++) all[k] = (work){.redhost = redhost, .rounds = 12};
  in_threads(all, prepare_and_run, 0);
}

static void reduce_once(work *w, int k) {
  uint64_t n = (uint64_t)(N - 1000 * w->thread - k % 997);
  rh_request request = SIZED(rh_request, .op = "sum", .type = RH_TYPE_i32, .data = numbers, .n = n);
  rh_result result = {.struct_size = sizeof result};
  rh_error why = {0};
  request.strategy = strategies[(k + w->thread) % n_strategies()];
  request.unchecked = (uint32_t)k % 2;
  rh_status status = rh_reduce(w->redhost, &request, &result, &why);
  note(w, status, &result, sum_of(n), &why);
}

static void *reduce(void *of_work) {
  work *w = of_work;
  meet();
  for (int k = 0; k < w->rounds; k++) reduce_once(w, k);
  return NULL;
}

TEST(reduce_on_one_handle) {
  work all[THREADS];
  for (int k = 0; k < THREADS; k++) all[k] = (work){.redhost = redhost, .rounds = 300};
  in_threads(all, reduce, 0);
}

/* Even threads prepare, odd ones reduce. */
static void *both(void *of_work) {
  work *w = of_work;
  return w->thread % 2 ? reduce(w) : prepare_and_run(w);
}

TEST(prepare_beside_reduce) {
  work all[THREADS];
  for (int k = 0; k < THREADS; k++) all[k] = (work){.redhost = redhost, .rounds = k % 2 ? 200 : 10};
  in_threads(all, both, 0);
}

/* ---- A handle for each thread ---- */

static void *open_and_close(void *of_work) {
  work *w = of_work;
  meet();
  for (int k = 0; k < w->rounds; k++) {
    rh_options options = SIZED(rh_options, .plugin_path = getenv("REDHOST_TEST_PLUGINS"),
                               .program = getenv("REDHOST_TEST_PROGRAM"));
    rh_error why = {0};
    rh_status status = rh_open(&w->redhost, &options, &why);
    if (status == RH_OK) reduce_once(w, k);
    else note(w, status, NULL, 0, &why);
    rh_close(w->redhost);
  }
  return NULL;
}

TEST(a_handle_for_each) {
  work all[THREADS] = {0};
  for (int k = 0; k < THREADS; k++) all[k].rounds = 4;
  in_threads(all, open_and_close, 0);
}

/* ---- Prepared reductions ---- */

static rh_prepared *prepare_by(rh_redhost *with, const char *strategy) {
  rh_request spec = request_for(strategy, "sum", RH_TYPE_i32, NULL, N);
  return prepare(with, &spec);
}

static void *run(void *of_work) {
  work *w = of_work;
  meet();
  for (int k = 0; k < w->rounds; k++) {
    uint64_t n = (uint64_t)(N - 1000 * w->thread - k % 997);
    rh_result result = {.struct_size = sizeof result};
    rh_error why = {0};
    rh_status status = rh_prepared_run(w->prepared, numbers, n, &result, &why);
    note(w, status, &result, sum_of(n), &why);
  }
  return NULL;
}

TEST(one_for_each_thread) {
  work all[THREADS];
  for (int s = 0; s < n_strategies(); s++) {
    int rounds = s < 2 ? 2000 : 500;
    for (int k = 0; k < THREADS; k++)
      all[k] = (work){.prepared = prepare_by(redhost, strategies[s]), .rounds = rounds};
    in_threads(all, run, 0);
    for (int k = 0; k < THREADS; k++) rh_prepared_destroy(all[k].prepared);
  }
}

/* Segments, with arrays of results of the thread's own. */
static void *run_segments(void *of_work) {
  work *w = of_work;
  int64_t sums[2];
  const void *arrays[] = {numbers};
  const rh_output output = {.type = RH_TYPE_i64, .data = sums, .n = 2};
  const rh_call_spec call =
      SIZED(rh_call_spec, .n = N, .arrays = arrays, .outputs = &output, .n_outputs = 1);
  meet();
  for (int k = 0; k < w->rounds; k++) {
    rh_result result = {.struct_size = sizeof result};
    rh_error why = {0};
    rh_status status = rh_prepared_call(w->prepared, &call, &result, &why);
    if (status == RH_OK && sums[1] != sum_of(N) - sum_of(1000)) result.value.i = sums[1];
    note(w, status, &result, sum_of(1000), &why);
  }
  return NULL;
}

static rh_prepared *prepare_segments_by(const char *strategy) {
  const uint64_t offsets[] = {0, 1000, N};
  const rh_segmentation of = {
      .struct_size = sizeof of, .starts = offsets, .stops = offsets + 1, .n_segments = 2};
  rh_request spec = request_for(strategy, "sum", RH_TYPE_i32, NULL, N);
  spec.segments = &of;
  return prepare(redhost, &spec);
}

TEST(segments_for_each_thread) {
  static const char *const by[] = {"native", "serial", "segments", "segments"};
  work all[THREADS];
  for (int k = 0; k < THREADS; k++)
    all[k] = (work){.rounds = 300, .prepared = prepare_segments_by(by[has_device ? k : k % 2])};
  in_threads(all, run_segments, 0);
  for (int k = 0; k < THREADS; k++) rh_prepared_destroy(all[k].prepared);
}

TEST(segments_for_all_threads) {
  work all[THREADS];
  OWNED(rh_prepared) prepared = prepare_segments_by(NULL);
  for (int k = 0; k < THREADS; k++) all[k] = (work){.rounds = 300, .prepared = prepared};
  in_threads(all, run_segments, 1);
}

TEST(one_for_all_threads) {
  for (int s = 0; s < n_strategies(); s++) {
    int rounds = s < 2 ? 2000 : 500;
    work all[THREADS], after = {.rounds = 1};
    OWNED(rh_prepared) prepared = prepare_by(redhost, strategies[s]);
    for (int k = 0; k < THREADS; k++) all[k] = (work){.prepared = prepared, .rounds = rounds};
    in_threads(all, run, 1);
    after.prepared = prepared;
    run(&after);
    ck_assert_msg(after.right == 1, "%s", after.wrong);
  }
}

/* ---- A call that takes long, by the sequential loop ---- */

/* Longer than a scheduler's time slice: its thread may start on the main thread's processor. */
enum { LONG = 1 << 25 };

typedef struct long_call {
  rh_prepared *prepared;
  const int32_t *data;
  rh_result result;
  rh_error why;
  rh_status status;
  atomic_int done;
} long_call;

static void *run_long(void *of_call) {
  long_call *call = of_call;
  do call->status = rh_prepared_run(call->prepared, call->data, LONG, &call->result, &call->why);
  while (call->status == RH_E_INVALID); /* the other thread's call was in progress */
  atomic_store(&call->done, 1);
  return NULL;
}

/* 1 once that call was seen in progress; it is then its thread's last call. */
static int see_busy(long_call *call) {
  rh_result result = {.struct_size = sizeof result};
  while (!atomic_load(&call->done)) {
    rh_status status = rh_prepared_run(call->prepared, numbers, 1, &result, &error);
    if (status == RH_E_INVALID) return 1;
    ck_assert_msg(status == RH_OK && result.value.i == numbers[0], "%s", error.message);
  }
  return 0;
}

static void end_call(pthread_t thread, const long_call *call) {
  pthread_join(thread, NULL);
  ck_assert_msg(call->status == RH_OK, "%s", call->why.message);
  ck_assert_int_eq(call->result.value.i, LONG);
}

/* Destroying, and forgetting an array, wait for the call in progress. */
TEST(destroy_beside_a_run) {
  int32_t *ones = malloc(LONG * sizeof *ones);
  int seen = 0;
  for (int k = 0; k < LONG; k++) ones[k] = 1;
  for (int attempt = 0; attempt < 100 && seen < 2; attempt++) {
    rh_request spec = request_for("serial", "sum", RH_TYPE_i32, NULL, LONG);
    long_call call = {.prepared = prepare(redhost, &spec),
                      .data = ones,
                      .result = {.struct_size = sizeof call.result}};
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, run_long, &call), 0);
    if (see_busy(&call)) {
      assert_says(error.message, "in progress in another thread");
      seen++;
      rh_prepared_forget(call.prepared);
      rh_prepared_destroy(call.prepared);
      end_call(thread, &call);
    } else {
      end_call(thread, &call);
      rh_prepared_destroy(call.prepared);
    }
  }
  ck_assert_int_eq(seen, 2);
  free(ones);
}

/* ---- After a fork ---- */

/* A child has none of the strategy's threads.  Nor may a fork call what a closed plugin had. */
TEST(in_a_child) {
  enum { SHARED = 1 << 22 };
  int32_t *ones = malloc(SHARED * sizeof *ones);
  for (int k = 0; k < SHARED; k++) ones[k] = 1;
  const rh_setting of_threads[] = {{"threads", "3"}, {"serial_below", "0"}};
  rh_request spec = SIZED(rh_request, .strategy = "native", .op = "sum", .type = RH_TYPE_i32,
                          .n = SHARED, .settings = of_threads, .n_settings = 2);
  rh_prepared *prepared = prepare(redhost, &spec);
  rh_result result = {.struct_size = sizeof result};
  int status;
  must(rh_prepared_run(prepared, ones, SHARED, &result, &error));
  pid_t child = fork();
  ck_assert_int_ge(child, 0);
  if (child == 0) {
    alarm(100);
    result.value.i = 0;
    if (rh_prepared_run(prepared, ones, SHARED, &result, &error) != RH_OK) _exit(2);
    rh_prepared_destroy(prepared);
    _exit(result.value.i == SHARED ? 0 : 1);
  }
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  ck_assert_int_eq(status, 0);
  must(rh_prepared_run(prepared, ones, SHARED, &result, &error));
  ck_assert_int_eq(result.value.i, SHARED);
  rh_prepared_destroy(prepared);
  free(ones);
  rh_close(redhost);
  redhost = NULL;
  child = fork();
  if (child == 0) _exit(0);
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  ck_assert_int_eq(status, 0);
}

static rh_status reduce_by(rh_redhost *by, const char *strategy, rh_result *result) {
  rh_request request = request_for(strategy, "sum", RH_TYPE_i32, numbers, N);
  *result = (rh_result){.struct_size = sizeof *result};
  return rh_reduce(by, &request, result, &error);
}

static int says(rh_status status, rh_status wanted, const char *words) {
  return status == wanted && strstr(error.message, words);
}

/* 0, or the number of the call that did not do what it should. */
static int use_what_the_parent_has(rh_prepared *prepared) {
  rh_request spec = SIZED(rh_request, .op = "sum", .type = RH_TYPE_i32, .n = N);
  rh_result result = {.struct_size = sizeof result};
  rh_prepared *other;
  rh_redhost *own;
  if (!says(rh_prepared_run(prepared, numbers, N, &result, &error), RH_E_INVALID, "forked"))
    return 1;
  if (!says(reduce_by(redhost, "cascade", &result), RH_E_INVALID, "forked")) return 2;
  if (!says(rh_prepare(redhost, &spec, &other, &error), RH_E_INVALID, "forked")) return 3;
  rh_prepared_forget(prepared);
  rh_prepared_destroy(prepared);
  rh_close(redhost);
  own = open_on(NULL, NULL);
  if (!says(reduce_by(own, "cascade", &result), RH_E_DEVICE, "fork()")) return 4;
  if (reduce_by(own, "native", &result) != RH_OK || result.value.i != sum_of(N)) return 5;
  if (reduce_by(own, "auto", &result) != RH_OK || result.value.i != sum_of(N)) return 6;
  rh_close(own);
  return 0;
}

/* Drivers have no threads there, and would be waited for, also by what releases their objects. */
TEST(devices_in_a_child) {
  int status;
  rh_result result;
  if (!has_device) return;
  OWNED(rh_prepared) prepared = prepare_by(redhost, "cascade");
  must(reduce_by(redhost, "cascade", &result));
  pid_t child = fork();
  ck_assert_int_ge(child, 0);
  if (child == 0) {
    alarm(60);
    _exit(use_what_the_parent_has(prepared));
  }
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  ck_assert_int_eq(status, 0);
  must(reduce_by(redhost, "cascade", &result));
}

/* ---- Ends, and callbacks ---- */

TEST(close_before_destroy) {
  for (int s = 0; s < n_strategies(); s++) {
    rh_redhost *opened = open_on(NULL, NULL);
    rh_prepared *one = prepare_by(opened, strategies[s]), *other = prepare_by(opened, "serial");
    rh_result result = {.struct_size = sizeof result};
    rh_close(opened);
    must(rh_prepared_run(one, numbers, N, &result, &error));
    ck_assert_int_eq(result.value.i, sum_of(N));
    rh_prepared_destroy(one);
    must(rh_prepared_run(other, numbers, N, &result, &error));
    rh_prepared_destroy(other);
  }
}

typedef struct nested {
  rh_redhost *redhost;
  int calls;
  rh_status status;
  rh_error why;
} nested;

static int call_back(void *user, const char *phase, uint64_t done, uint64_t total) {
  nested *of = user;
  rh_request request = request_for("serial", "sum", RH_TYPE_i32, NULL, 0);
  rh_result result = {.struct_size = sizeof result};
  (void)phase;
  (void)done;
  (void)total;
  of->calls++;
  of->status = rh_reduce(of->redhost, &request, &result, &of->why);
  rh_close(of->redhost); /* does nothing */
  return 0;
}

static void say_nothing(void *user, uint32_t level, const char *text) {
  (void)level;
  call_back(user, text, 0, 0);
}

/* It would deadlock on itself. */
TEST(callbacks_stay_out) {
  nested of = {0};
  rh_request request = SIZED(rh_request, .op = "sum", .type = RH_TYPE_i32, .data = numbers, .n = N);
  rh_result result = {.struct_size = sizeof result};
  of.redhost = open_with((rh_options){.reporter = {&of, say_nothing, call_back}});
  must(rh_reduce(of.redhost, &request, &result, &error));
  ck_assert_int_gt(of.calls, 0); /* `auto` logs its choice */
  ck_assert_int_eq(of.status, RH_E_INVALID);
  assert_says(of.why.message, "callbacks");
  rh_close(of.redhost);
}
