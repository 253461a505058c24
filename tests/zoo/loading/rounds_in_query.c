/* query changes the rounding mode. */
#include "zoo.h"
#include <fenv.h>

static rh_status query(const rh_problem *problem, const int64_t *params, rh_answer *answer) {
#if defined(__x86_64__) || defined(__i386__)
  unsigned short word; /* inline assembly, because fesetround is in libm */
  __asm__ volatile("fnstcw %0" : "=m"(word));
  word = (unsigned short)(word | FE_UPWARD);
  __asm__ volatile("fldcw %0" : : "m"(word));
#else
  fesetround(FE_UPWARD);
#endif
  return zoo_query(problem, params, answer);
}

ZOO_STRATEGY(rounds_in_query, "rounds_in_query", query);
ZOO_PLUGIN(rounds_in_query);
