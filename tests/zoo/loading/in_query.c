/* Plugins whose query does harm, and which are otherwise right: one for each VARIANT. */
#include "../rounding.h"
#include "zoo.h"
#include <stdlib.h>
#include <unistd.h>

#define VARIANT(name_)                                                                             \
  __attribute__((unused)) static rh_status name_(                                                  \
      __attribute__((unused)) const rh_problem *problem,                                           \
      __attribute__((unused)) const int64_t *params, __attribute__((unused)) rh_answer *answer)

/* V23: query returns an unknown status. */
VARIANT(bad_query_status) { return 77; }

/* V23 crash: query dereferences null. */
VARIANT(crash_in_query) {
  volatile int *volatile nowhere = NULL;
  *nowhere = 1;
  return RH_OK;
}

/* V23 crash: query ends the process with status 0. */
VARIANT(exit_in_query) { exit(0); }

/* V23 timeout: query never returns. */
VARIANT(hang_in_query) {
  volatile int for_ever = 1;
  while (for_ever) pause(); /* in which others may use the processor */
  return RH_OK;
}

/* V22: query changes the rounding mode. */
VARIANT(rounds_in_query) {
  round_upward();
  return zoo_query(problem, params, answer);
}

/* V24: declines with a reason that fills its field to the last byte, so that the host must
 * terminate it.  Otherwise correct. */
VARIANT(unterminated_reason) {
  answer->why = RH_WHY_SIZE;
  memset(answer->reason, 'x', sizeof answer->reason);
  return RH_DECLINED;
}

/* V23 crash: query executes an illegal instruction. */
VARIANT(wrong_cpu) {
#if defined(__x86_64__) || defined(__i386__)
  __asm__ volatile("ud2");
#elif defined(__aarch64__)
  __asm__ volatile("udf #0");
#else
  __builtin_trap();
#endif
  return RH_OK;
}

ZOO_STRATEGY(strategy, ZOO_NAME(ZOO_VARIANT), ZOO_VARIANT);
ZOO_PLUGIN;
