/* One contender of map_calls.py, in a process of its own.  Not a test.
 *
 *     map_calls redhost|redhost-constant|openmp|openmp-two-passes|openblas WORK TYPE N
 *
 * WORK: dot, far (the maximum of fabs(x-y)), meanvar; by redhost also above (the number of x > t;
 * redhost-constant changes t before every call).  TYPE: f32, f64.  Prints "ready" and what it
 * computes, then for each number of seconds on standard input the nanoseconds of one call, called
 * in a loop for so long.  With MAP_CALLS_APART_US in the environment the program computes for so
 * many microseconds between two calls, each is timed, and their median is printed; threads of
 * redhost's then stay awake for five times as long. */
#define _GNU_SOURCE /* madvise */
#include "map_loops.h"
#include <redhost/redhost.h>

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { HUGE_PAGE = 1 << 21 };

static struct {
  int is_f64;
  uint64_t n;
  void *x, *y;
  map_loop *loop;
  float (*sdot)(int, const float *, int, const float *, int);
  double (*ddot)(int, const double *, int, const double *, int);
  rh_prepared *prepared;
  map_values (*call)(void);
  double apart_s; /* between calls; 0: they follow each other */
} all;

static void fail(const char *reason) {
  fprintf(stderr, "map_calls: %s\n", reason);
  exit(1);
}

/* ---- Data ---- */

static void fill(void *to, uint64_t state) {
  for (uint64_t k = 0; k < all.n; k++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    double one = (double)(state >> 40) * 0x1p-24;
    if (all.is_f64)
      ((double *)to)[k] = one;
    else
      ((float *)to)[k] = (float)one;
  }
}

static void *make(uint64_t seed) {
  uint64_t bytes = all.n * (all.is_f64 ? sizeof(double) : sizeof(float));
  bytes = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
  void *made = aligned_alloc(HUGE_PAGE, bytes);
  if (!made) fail("no memory");
  madvise(made, bytes, MADV_HUGEPAGE);
  fill(made, seed);
  return made;
}

/* ---- Contenders ---- */

static map_values call_loop(void) {
  return all.loop(all.x, all.y, all.n);
}
static map_values call_sdot(void) {
  return (map_values){(double)all.sdot((int)all.n, all.x, 1, all.y, 1), 0};
}
static map_values call_ddot(void) {
  return (map_values){all.ddot((int)all.n, all.x, 1, all.y, 1), 0};
}
static map_values call_redhost(void) {
  const void *const inputs[] = {all.x, all.y};
  const rh_call_spec call = {
      .struct_size = sizeof call, .n_operands = 2, .arrays = inputs, .n = all.n};
  static rh_result result = {.struct_size = sizeof result};
  rh_error error;
  if (rh_prepared_call(all.prepared, &call, &result, &error) != RH_OK) fail(error.message);
  if (result.type < RH_TYPE_f16) return (map_values){(double)result.value.i, 0};
  if (result.n_fields < 2) return (map_values){result.value.f, 0};
  return (map_values){result.fields[0].value.f, result.fields[1].value.f};
}

/* Another constant for every call. */
static map_values call_with_constant(void) {
  static rh_constant t = {.name = "t", .is_float = 1, .value.f = 0.5};
  rh_error error;
  t.value.f = t.value.f == 0.5 ? 0.25 : 0.5;
  if (rh_prepared_set_constants(all.prepared, &t, 1, &error) != RH_OK) fail(error.message);
  return call_redhost();
}

static void open_loop(const char *work, int in_two_passes) {
  static map_loop *const loops[][2] = {{map_dot_f32, map_dot_f64},
                                       {map_far_f32, map_far_f64},
                                       {map_one_pass_f32, map_one_pass_f64},
                                       {map_two_passes_f32, map_two_passes_f64}};
  int of = strcmp(work, "dot") == 0 ? 0 : strcmp(work, "far") == 0 ? 1 : 2 + in_two_passes;
  all.loop = loops[of][all.is_f64];
  all.call = call_loop;
}

static void open_openblas(void) {
  void *library = dlopen("libopenblas.so.0", RTLD_NOW);
  if (!library) fail("libopenblas.so.0 is not installed");
  *(void **)&all.sdot = dlsym(library, "cblas_sdot");
  *(void **)&all.ddot = dlsym(library, "cblas_ddot");
  if (!all.sdot || !all.ddot) fail("OpenBLAS has no cblas_sdot or cblas_ddot");
  all.call = all.is_f64 ? call_ddot : call_sdot;
}

static void open_redhost(const char *work) {
  rh_type type = all.is_f64 ? RH_TYPE_f64 : RH_TYPE_f32;
  const rh_options options = {.struct_size = sizeof options};
  const rh_input inputs[] = {{.name = "x", .type = type}, {.name = "y", .type = type}};
  const rh_constant t = {.name = "t", .is_float = 1, .value.f = 0.5};
  int is_far = strcmp(work, "far") == 0, is_above = strcmp(work, "above") == 0;
  int is_single = is_above || strcmp(work, "meanvar") == 0;
  rh_request spec = {.struct_size = sizeof spec,
                     .type = type,
                     .strategy = "native",
                     .op = is_far     ? "max"
                           : is_above ? "sum"
                                      : work,
                     .map = is_far     ? "fabs(x-y)"
                            : is_above ? "x > t"
                                       : NULL,
                     .constants = is_above ? &t : NULL,
                     .n_constants = (uint64_t)is_above,
                     .n = all.n,
                     .inputs = inputs,
                     .n_inputs = is_single ? 1 : 2};
  char awake[32];
  const rh_setting setting = {"awake_us", awake};
  snprintf(awake, sizeof awake, "%.0f", 5e6 * all.apart_s);
  spec.settings = &setting;
  spec.n_settings = all.apart_s > 0;
  rh_redhost *redhost;
  rh_error error;
  if (rh_open(&redhost, &options, &error) != RH_OK ||
      rh_prepare(redhost, &spec, &all.prepared, &error) != RH_OK)
    fail(error.message);
  all.call = call_redhost;
}

/* ---- Measuring ---- */

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A part of the time that is not measured comes first: it wakes threads. */
static double nanoseconds(double seconds) {
  uint64_t calls = 0, batch = 1;
  double start = now(), end = start;
  do all.call();
  while (now() - start < 0.2 * seconds);
  start = now();
  do {
    for (uint64_t k = 0; k < batch; k++) all.call();
    calls += batch;
    end = now();
    if (end - start < 0.1 * seconds) batch *= 2;
  } while (end - start < seconds);
  return 1e9 * (end - start) / (double)calls;
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double nanoseconds_apart(double seconds) {
  static double times[1 << 14];
  uint32_t n = 0;
  for (double end = now() + seconds; n < 2 || (now() < end && n < 1 << 14); n++) {
    for (double next = now() + all.apart_s; now() < next;) continue;
    double start = now();
    all.call();
    times[n] = now() - start;
  }
  qsort(times, n, sizeof *times, by_size);
  return 1e9 * times[n / 2];
}

int main(int argc, char **argv) {
  char line[64];
  if (argc != 5) fail("usage: map_calls CONTENDER WORK TYPE N");
  if (getenv("MAP_CALLS_APART_US")) all.apart_s = 1e-6 * atof(getenv("MAP_CALLS_APART_US"));
  all.is_f64 = strcmp(argv[3], "f64") == 0;
  all.n = strtoull(argv[4], NULL, 10);
  all.x = make(1);
  all.y = strcmp(argv[2], "meanvar") == 0 ? NULL : make(2);
  if (strncmp(argv[1], "redhost", 7) == 0)
    open_redhost(argv[2]);
  else if (strcmp(argv[1], "openblas") == 0)
    open_openblas();
  else
    open_loop(argv[2], strcmp(argv[1], "openmp-two-passes") == 0);
  if (strcmp(argv[1], "redhost-constant") == 0) all.call = call_with_constant;
  map_values values = all.call();
  printf("ready %.17g %.17g\n", values.first, values.second);
  fflush(stdout);
  while (fgets(line, sizeof line, stdin)) {
    double seconds = strtod(line, NULL);
    printf("%.17g\n", all.apart_s > 0 ? nanoseconds_apart(seconds) : nanoseconds(seconds));
    fflush(stdout);
  }
  return 0;
}
