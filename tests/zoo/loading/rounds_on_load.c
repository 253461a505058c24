/* V11: changes the rounding mode when it is loaded. */
#include "zoo.h"
#include <fenv.h>

ZOO_STRATEGY(rounds_on_load, "rounds_on_load", zoo_query);
ZOO_PLUGIN(rounds_on_load);

ZOO_ON_LOAD {
#if defined(__x86_64__) || defined(__i386__)
  unsigned short word; /* inline assembly, because fesetround is in libm */
  __asm__ volatile("fnstcw %0" : "=m"(word));
  word = (unsigned short)(word | FE_UPWARD);
  __asm__ volatile("fldcw %0" : : "m"(word));
#else
  fesetround(FE_UPWARD);
#endif
}
