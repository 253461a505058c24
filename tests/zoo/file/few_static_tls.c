/* V05: a few bytes of thread-local storage at a fixed offset: it loads until the process has
 * none left. */
#include "../right.h"

static __thread volatile uint64_t asked __attribute__((tls_model("initial-exec")));

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  asked++;
  return right_query(problem, values, answer);
}

RIGHT_BUT(few_static_tls, .summary = "has static thread-local storage", .query = query);

RH_PLUGIN(&strategy_few_static_tls);
