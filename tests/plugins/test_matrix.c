/* Every strategy x operator x type, over sizes and data.  The environment selects them:
 *   REDHOST_TEST_PLUGINS     directory of plugins
 *   REDHOST_TEST_STRATEGIES  names, separated by spaces
 *   REDHOST_DEVICE           as for redhost
 *   REDHOST_TEST_EXTENT      tiny, covering or all
 *   REDHOST_TEST_PAIRS       of operator and type: few, covering (see cover.h) or all; the extent
 *                            `all` implies all pairs
 *   REDHOST_TEST_TYPE        one type instead of all, with every operator
 *   REDHOST_TEST_MOST        the largest n, for strategies that are slow on purpose
 *   REDHOST_TEST_SETTINGS    parameters for all strategies, as in "tile=96"
 * One test for each strategy, or for each of its types.  OpenCL is used only in the test's own
 * process. */
#include <sys/mman.h>

#include "../../host/choose/choose.h"
#include "../../host/operators/foreign/foreign.h"
#include "../core/load_strategy.h"
#include "../suite/suite.h"
#include "matrix.h"

enum { MOST = 64 };
static char *strategies[MOST], *settings[MOST];
static int n_strategies;
static rh_context *context;

/* Counted by the tests' own processes. */
static struct { uint64_t cases, declined; } * counts;

static const char *environment(const char *name, const char *otherwise) {
  const char *value = getenv(name);
  return value && *value ? value : otherwise;
}

static int extent(void) {
  const char *name = environment("REDHOST_TEST_EXTENT", "covering");
  if (strcmp(name, "tiny") == 0) return EXTENT_TINY;
  return strcmp(name, "all") == 0 ? EXTENT_ALL : EXTENT_COVERING;
}

static const char *only_type(void) { return environment("REDHOST_TEST_TYPE", NULL); }

static cover_extent pairs(void) {
  const char *name = environment("REDHOST_TEST_PAIRS", "covering");
  if (extent() == EXTENT_ALL || strcmp(name, "all") == 0 || only_type()) return COVER_ALL;
  return strcmp(name, "few") == 0 ? COVER_FEW : COVER_PAIRS;
}

static void set_up(void) {
  rh_options options = {.struct_size = sizeof options,
                        .plugin_path = environment("REDHOST_TEST_PLUGINS", NULL),
                        .program = environment("REDHOST_TEST_PROGRAM", NULL)};
  must(rh_context_open(&context, &options, &rh_choosing, &error));
}

static void tear_down(void) { rh_context_close(context); }

/* A process for each type of all data; one for what is quick, or most of the time would go into
 * opening OpenCL. */
static int parts(void) { return extent() == EXTENT_ALL && !only_type() ? RH_N_TYPES : 1; }

CASES(strategies, .set_up = set_up, .tear_down = tear_down, .timeout = 1200)

TEST_LOOP(strategy_on_types, 0, n_strategies *parts()) {
  const char *name = strategies[_i / parts()];
  int first = _i % parts() + 1, last = parts() == 1 ? RH_N_TYPES : first;
  if (only_type()) first = last = (int)rh_type_from_name(only_type());
  matrix m = {.context = context, .extent = extent(), .pairs = pairs(), .settings = settings};
  char *path = NULL;
  must(load_strategy(&context->options, rh_foreign_open, name, &m.strategy, &path, &error));
  int ok = matrix_run(&m, (rh_type)first, (rh_type)last);
  __atomic_fetch_add(&counts->cases, m.cases, __ATOMIC_RELAXED);
  __atomic_fetch_add(&counts->declined, m.declined, __ATOMIC_RELAXED);
  free(path);
  ck_assert_msg(ok, "%s", m.failure);
}

int main(void) {
  n_strategies = bench_words("REDHOST_TEST_STRATEGIES", strategies, MOST);
  bench_words("REDHOST_TEST_SETTINGS", settings, MOST);
  matrix_most = strtoull(environment("REDHOST_TEST_MOST", "0"), NULL, 10);
  counts = mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (n_strategies == 0 || counts == MAP_FAILED) {
    fputs("REDHOST_TEST_STRATEGIES names no strategy\n", stderr);
    return 2;
  }
  int status = run_tests();
  printf("%llu cases of %d strategies, %llu operators on types declined\n",
         (unsigned long long)counts->cases, n_strategies, (unsigned long long)counts->declined);
  return status;
}
