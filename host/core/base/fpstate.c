#include "fpstate.h"

#include <fenv.h>

#if defined(__x86_64__) || defined(__i386__)
#include <xmmintrin.h>

/* MXCSR without its sticky exception flags, and the x87 control word. */
enum { MXCSR_FLAGS = 0x3f };

rh_fpstate rh_fpstate_save(void) {
  uint16_t x87;
  __asm__ volatile("fnstcw %0" : "=m"(x87));
  return (rh_fpstate){{_mm_getcsr() & ~(uint32_t)MXCSR_FLAGS, x87}};
}

int rh_fpstate_restore(const rh_fpstate *saved) {
  rh_fpstate now = rh_fpstate_save();
  if (now.words[0] == saved->words[0] && now.words[1] == saved->words[1]) return 0;
  uint16_t x87 = (uint16_t)saved->words[1];
  _mm_setcsr(saved->words[0]);
  __asm__ volatile("fldcw %0" : : "m"(x87));
  return 1;
}

#elif defined(__aarch64__)

rh_fpstate rh_fpstate_save(void) {
  uint64_t fpcr;
  __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
  return (rh_fpstate){{(uint32_t)fpcr, 0}};
}

int rh_fpstate_restore(const rh_fpstate *saved) {
  rh_fpstate now = rh_fpstate_save();
  if (now.words[0] == saved->words[0]) return 0;
  uint64_t fpcr = saved->words[0];
  __asm__ volatile("msr fpcr, %0" : : "r"(fpcr));
  return 1;
}

#else /* portable C: only the rounding mode */

rh_fpstate rh_fpstate_save(void) {
  return (rh_fpstate){{(uint32_t)fegetround(), 0}};
}

int rh_fpstate_restore(const rh_fpstate *saved) {
  if ((uint32_t)fegetround() == saved->words[0]) return 0;
  fesetround((int)saved->words[0]);
  return 1;
}

#endif
