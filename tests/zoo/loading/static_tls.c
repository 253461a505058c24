/* V05: more static thread-local storage than a process has left for libraries that are loaded
 * later. */
#include "zoo.h"

static __thread volatile char large[1 << 20] __attribute__((tls_model("initial-exec")));

static rh_status query(const rh_problem *problem, const int64_t *params, rh_answer *answer) {
  large[problem->max_n % sizeof large] = 1;
  return zoo_query(problem, params, answer);
}

ZOO_STRATEGY(static_tls, "static_tls", query);
ZOO_PLUGIN;
