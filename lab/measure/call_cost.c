/* The cost of a prepared call over the strategy's own run, and of rh_reduce() without the check:
 * call_cost [STRATEGY] [N] [OPERATOR] [INPUTS].  INPUTS: 0 for an array in `data`, else so many
 * `inputs`.
 *
 * REDHOST_TEST_PLUGINS and REDHOST_TEST_PROGRAM as for the tests; by default, those next to the
 * library. */
#include <redhost/redhost.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Short ones, of which some fall between those of other programs. */
enum { ROUNDS = 2001, LEAST_ROUNDS = 20 };
static const double MOST_S = 0.5;

static rh_redhost *redhost;
static rh_prepared *prepared;
static rh_request request;
static rh_result result = {.struct_size = sizeof result};
static rh_error error;

static const void *operands[8];
static rh_call_spec several = {.struct_size = sizeof several, .arrays = operands};

static rh_status call_prepared(void) {
  if (request.n_inputs) return rh_prepared_call(prepared, &several, &result, &error);
  return rh_prepared_run(prepared, request.data, request.n, &result, &error);
}

static rh_status call_reduce(void) {
  return rh_reduce(redhost, &request, &result, &error);
}

static rh_status measure(const char *what, rh_status (*call)(void)) {
  double times[ROUNDS], start = now();
  rh_status status = call();
  double first = now() - start;
  start = now();
  if (status == RH_OK) status = call();
  uint64_t calls = (uint64_t)(2e-4 / (now() - start)) + 1;
  int rounds = 0;
  for (double end = now() + MOST_S; rounds < ROUNDS && status == RH_OK; rounds++) {
    if (rounds > LEAST_ROUNDS && now() > end) break;
    start = now();
    for (uint64_t k = 0; k < calls && status == RH_OK; k++) status = call();
    times[rounds] = (now() - start) / (double)calls;
  }
  if (status != RH_OK) return status;
  qsort(times, (size_t)rounds, sizeof *times, by_value);
  printf("%s, %llu elements, %s: median %.4g us a call, least %.4g, first %.4g\n", result.strategy,
         (unsigned long long)request.n, what, 1e6 * times[rounds / 2], 1e6 * times[0], 1e6 * first);
  return RH_OK;
}

int main(int argc, char **argv) {
  const char *strategy = argc > 1 ? argv[1] : "serial";
  uint64_t n = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
  const char *op = argc > 3 ? argv[3] : "sum";
  uint64_t n_inputs = argc > 4 ? strtoull(argv[4], NULL, 0) : 0;
  rh_input inputs[8] = {{0}};
  rh_options options = {.struct_size = sizeof options,
                        .plugin_path = getenv("REDHOST_TEST_PLUGINS"),
                        .program = getenv("REDHOST_TEST_PROGRAM")};
  int32_t *x = calloc(n + 1, sizeof *x);
  if (!x || n_inputs > 8) return 1;
  for (uint64_t k = 0; k < n_inputs; k++) {
    inputs[k] = (rh_input){.type = RH_TYPE_i32, .data = x};
    operands[k] = x;
  }
  request = (rh_request){.struct_size = sizeof(rh_request),
                         .strategy = strategy,
                         .op = op,
                         .type = RH_TYPE_i32,
                         .data = n_inputs ? NULL : x,
                         .n = n,
                         .inputs = n_inputs ? inputs : NULL,
                         .n_inputs = n_inputs,
                         .unchecked = 1};
  several.n = n;
  several.n_operands = (uint32_t)n_inputs;
  double start = now();
  rh_status status = rh_open(&redhost, &options, &error);
  if (status == RH_OK) status = rh_prepare(redhost, &request, &prepared, &error);
  printf("setup %.3g ms\n", 1e3 * (now() - start));
  if (status == RH_OK) status = measure("prepared", call_prepared);
  if (status == RH_OK) status = measure("rh_reduce, unchecked", call_reduce);
  if (status != RH_OK) fprintf(stderr, "call_cost: %s\n", error.message);
  rh_prepared_destroy(prepared);
  rh_close(redhost);
  free(x);
  return status == RH_OK ? 0 : 1;
}
