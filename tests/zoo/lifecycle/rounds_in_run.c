/* V35: run changes the rounding mode. */
#include "../right.h"
#include <fenv.h>

static rh_status run(void *instance, const rh_run *run) {
#if defined(__x86_64__) || defined(__i386__)
  unsigned short word; /* inline assembly, because fesetround is in libm */
  __asm__ volatile("fnstcw %0" : "=m"(word));
  word = (unsigned short)(word | FE_UPWARD);
  __asm__ volatile("fldcw %0" : : "m"(word));
#else
  fesetround(FE_UPWARD);
#endif
  return right_run(instance, run);
}

RIGHT_BUT("rounds_in_run", .summary = "changes the rounding mode in run", .run = run);
