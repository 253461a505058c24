/* Sets flush-to-zero when it is loaded, like crtfastmath.o in objects that are linked with
 * -ffast-math. */
#include "zoo.h"
#if defined(__x86_64__) || defined(__i386__)
#include <xmmintrin.h>
#else
#include <fenv.h>
#endif

ZOO_STRATEGY(sets_ftz, "sets_ftz", zoo_query);
ZOO_PLUGIN(sets_ftz);

ZOO_ON_LOAD {
#if defined(__x86_64__) || defined(__i386__)
  _mm_setcsr(_mm_getcsr() | 0x8040u);
#elif defined(__aarch64__)
  uint64_t fpcr;
  __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
  fpcr |= 1ull << 24;
  __asm__ volatile("msr fpcr, %0" : : "r"(fpcr));
#else
  fesetround(FE_UPWARD);
#endif
}
