/* Changes the rounding mode as a plugin may, which links no libm. */
#ifndef ZOO_ROUNDING_H
#define ZOO_ROUNDING_H

#include <fenv.h>

static inline void round_upward(void) {
#if defined(__x86_64__) || defined(__i386__)
  unsigned short word; /* inline assembly, because fesetround is in libm */
  __asm__ volatile("fnstcw %0" : "=m"(word));
  word = (unsigned short)(word | FE_UPWARD);
  __asm__ volatile("fldcw %0" : : "m"(word));
#else
  fesetround(FE_UPWARD);
#endif
}

#endif
