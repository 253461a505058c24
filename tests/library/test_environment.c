/* Callers that have changed the floating-point environment of their thread: answers are the same,
 * and the caller's environment is, too. */
#include <fenv.h>

#include "../../host/library/library.h"
#include "library.h"
#ifdef __x86_64__
#include <xmmintrin.h>
#endif

enum { N = 4099, LONG = 1 << 20 };

static float tiny[LONG];
static double usual[N];
static int has_device;

/* ---- The environments ---- */

typedef enum mode { DEFAULT, UPWARD, DOWNWARD, TOWARD_ZERO, FLUSHES, TRAPS, SHORT_X87, MODES } mode;

static void flush(int flushes) {
#ifdef __x86_64__
  _mm_setcsr((_mm_getcsr() & ~0x8040u) | (flushes ? 0x8040u : 0));
#else
  (void)flushes;
#endif
}

static void set_x87(unsigned short control) {
#ifdef __x86_64__
  __asm__ volatile("fldcw %0" : : "m"(control));
#else
  (void)control;
#endif
}

static void change_to(mode to) {
  static const int rounds[] = {[UPWARD] = FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  fesetenv(FE_DFL_ENV);
  if (to >= UPWARD && to <= TOWARD_ZERO) fesetround(rounds[to]);
  if (to == FLUSHES) flush(1);
  if (to == SHORT_X87) set_x87(0x7f); /* as some programs of 32 bits have it */
  if (to == TRAPS)
    feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW | FE_INEXACT);
}

typedef struct environment {
  unsigned words[4];
} environment;

static environment now(void) {
  environment e = {
      {(unsigned)fegetround(), (unsigned)fegetexcept(), (unsigned)fetestexcept(FE_ALL_EXCEPT), 0}};
#ifdef __x86_64__
  unsigned short control;
  __asm__ volatile("fnstcw %0" : "=m"(control));
  e.words[3] = _mm_getcsr() ^ (unsigned)control << 16;
#endif
  return e;
}

static void must_be(const environment *before, const char *after) {
  const environment e = now();
  fesetenv(FE_DFL_ENV); /* for what Check computes */
  ck_assert_msg(memcmp(&e, before, sizeof e) == 0, "%s has changed the caller's environment",
                after);
}

/* ---- The calls ---- */

static const char *const strategies[] = {"native", "serial", "cascade"};

static const struct {
  const char *op, *map;
  rh_type type;
  const void *data;
  uint64_t n;
} problems[] = {
    {"sum", NULL, RH_TYPE_f32, tiny, N},       {"min", NULL, RH_TYPE_f32, tiny, N},
    {"count", NULL, RH_TYPE_f32, tiny, N},     {"sum", NULL, RH_TYPE_f64, usual, N},
    {"norm2", NULL, RH_TYPE_f64, usual, N},    {"logsumexp", NULL, RH_TYPE_f64, usual, N},
    {"meanvar", NULL, RH_TYPE_f64, usual, N},  {"mean", NULL, RH_TYPE_f32, tiny, N},
    {"sum", "x*x/3", RH_TYPE_f64, usual, N},   {"prod", NULL, RH_TYPE_f64, usual, N},
    {"sum", NULL, RH_TYPE_f32, tiny, LONG},    {"max", "x*0.5", RH_TYPE_f32, tiny, N},
    {"sum", "cbrt(x)", RH_TYPE_f64, usual, N},
};

enum { PROBLEMS = sizeof problems / sizeof *problems };

typedef enum way { REDUCE, PREPARED, DISTRIBUTED } way;
static const char *const ways[] = {"rh_reduce()", "rh_prepared_run()", "rh_reduce_distributed()"};

static rh_result reduced(way in, const char *strategy, int k, mode by) {
  rh_request request =
      request_for(strategy, problems[k].op, problems[k].type, problems[k].data, problems[k].n);
  const rh_communicator alone = SIZED(rh_communicator, .size = 1);
  rh_result result = {.struct_size = sizeof result};
  rh_prepared *prepared;
  rh_status status;
  request.map = problems[k].map;
  if (in == PREPARED) request.data = NULL;
  change_to(by);
  const environment before = now();
  if (in == REDUCE) {
    status = rh_reduce(redhost, &request, &result, &error);
  } else if (in == DISTRIBUTED) {
    status = rh_reduce_distributed(redhost, &request, &alone, &result, &error);
  } else {
    status = rh_prepare(redhost, &request, &prepared, &error);
    if (status == RH_OK)
      status = rh_prepared_run(prepared, problems[k].data, problems[k].n, &result, &error);
    if (status == RH_OK) rh_prepared_destroy(prepared);
  }
  must_be(&before, ways[in]);
  ck_assert_msg(status == RH_OK, "%s by %s: %s", request.op, strategy, error.message);
  return result;
}

static void compare(const rh_result *a, const rh_result *b, const char *what, int k, mode by) {
  int same = memcmp(&a->value, &b->value, sizeof a->value) == 0 && a->n_fields == b->n_fields;
  for (uint32_t f = 0; same && f < a->n_fields; f++)
    same = memcmp(&a->fields[f].value, &b->fields[f].value, sizeof a->fields[f].value) == 0;
  ck_assert_msg(same, "%s: %s, problem %d, environment %d: %.17g instead of %.17g", what,
                problems[k].op, k, by, b->value.f, a->value.f);
}

static void open_all(void) {
  const rh_cl_device *device;
  set_up();
  has_device = rh_context_device(redhost->context, &device, NULL) == RH_OK;
  for (int k = 0; k < LONG; k++) tiny[k] = 1e-45f * (float)(1 + k % 7);
  for (int k = 0; k < N; k++) usual[k] = 1 + 0.3 * (double)(k % 5 - 2) + 1e-9 * (double)k;
}

CASES(environment, .set_up = open_all, .tear_down = tear_down, .timeout = 240)

/* A handle that was opened in the caller's environment, too: threads inherit what their creator
 * has. */
TEST_LOOP(answers_are_the_same, 0, sizeof strategies / sizeof *strategies) {
  rh_result right[PROBLEMS];
  const char *strategy = strategies[_i];
  if (_i == 2 && !has_device) return;
  for (int k = 0; k < PROBLEMS; k++) right[k] = reduced(REDUCE, strategy, k, DEFAULT);
  for (mode by = DEFAULT; by < MODES; by++) {
    rh_close(redhost);
    change_to(by);
    redhost = open_on(NULL, NULL);
    for (int k = 0; k < PROBLEMS; k++)
      for (way in = REDUCE; in <= (_i == 0 ? DISTRIBUTED : PREPARED);
           in++) { /* a canonical order */
        rh_result result = reduced(in, strategy, k, by);
        compare(&right[k], &result, ways[in], k, by);
      }
  }
  fesetenv(FE_DFL_ENV);
}

/* Flags that a caller has raised stay, and ours do not come to it. */
TEST(flags_are_the_callers) {
  rh_request spec = request_for("native", "sum", RH_TYPE_f64, NULL, N);
  OWNED(rh_prepared) prepared = prepare(redhost, &spec);
  rh_result result = {.struct_size = sizeof result};
  for (int raised = 0; raised <= FE_ALL_EXCEPT; raised += FE_ALL_EXCEPT) {
    feclearexcept(FE_ALL_EXCEPT);
    if (raised) feraiseexcept(raised);
    const environment before = now();
    rh_status status = rh_prepared_run(prepared, usual, N, &result, &error);
    rh_prepared_decode(prepared, &result.value, N, &result);
    must_be(&before, "rh_prepared_run()");
    must(status);
  }
}
