/* V59: its score depends on the environment, which it reads without a library call. */
#include "../right.h"
#include <unistd.h>

extern char **environ;

static int32_t variables(void) {
  int32_t n = 0;
  while (environ[n]) n++;
  return n % 1000;
}

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  RH_TRY(right_query(problem, values, answer));
  answer->score = variables();
  return RH_OK;
}

RIGHT_BUT("score_by_environ",
          .summary = "its score depends on the environment, which it reads without a library call",
          .query = query);
