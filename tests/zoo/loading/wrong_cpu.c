/* query executes an illegal instruction. */
#include "zoo.h"

static rh_status query(const rh_problem *problem, const int64_t *params, rh_answer *answer) {
  (void)problem;
  (void)params;
  (void)answer;
#if defined(__x86_64__) || defined(__i386__)
  __asm__ volatile("ud2");
#elif defined(__aarch64__)
  __asm__ volatile("udf #0");
#else
  __builtin_trap();
#endif
  return RH_OK;
}

ZOO_STRATEGY(wrong_cpu, "wrong_cpu", query);
ZOO_PLUGIN(wrong_cpu);
