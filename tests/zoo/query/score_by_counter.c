/* V59: its score depends on the time-stamp counter, once a second. */
#include "../right.h"
#include <time.h>

static int32_t second(void) {
#if defined(__x86_64__)
  return (int32_t)((__builtin_ia32_rdtsc() >> 31) % 1000);
#else
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int32_t)(now.tv_sec % 1000);
#endif
}

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  RH_TRY(right_query(problem, values, answer));
  answer->score = second();
  return RH_OK;
}

RIGHT_BUT("score_by_counter",
          .summary = "its score depends on the time-stamp counter, once a second", .query = query);
