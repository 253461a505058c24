#include "base.h"

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

rh_fpstate rh_fpstate_save(void) { return (rh_fpstate){{(uint32_t)fegetround(), 0}}; }

int rh_fpstate_restore(const rh_fpstate *saved) {
  if ((uint32_t)fegetround() == saved->words[0]) return 0;
  fesetround((int)saved->words[0]);
  return 1;
}

#endif

#if defined(__x86_64__)

static rh_fpcaller read_all(void) {
  rh_fpcaller now = {.sse = rh_control_read()};
  __asm__ volatile("fnstcw %0\n\tfnstsw %1" : "=m"(now.x87), "=a"(now.x87_flags));
  now.x87_flags &= RH_FP_FLAGS;
  return now;
}

/* Control and flags at once: a flag that is set and no longer masked would be an exception. */
static void write_all(const rh_fpcaller *wanted) {
  const rh_fpcaller now = read_all();
  struct {
    uint16_t control, unused_1, status, unused_2, others[10];
  } x87;
  if (now.sse != wanted->sse) rh_control_write(wanted->sse);
  if (now.x87 == wanted->x87 && now.x87_flags == wanted->x87_flags) return;
  __asm__ volatile("fnstenv %0" : "=m"(x87));
  x87.control = wanted->x87;
  x87.status = (uint16_t)((x87.status & ~(unsigned)RH_FP_FLAGS) | wanted->x87_flags);
  __asm__ volatile("fldenv %0" : : "m"(x87) : "memory");
}

rh_fpcaller rh_fpcaller_leave(void) {
  enum { X87_USUAL = 0x37f };
  const rh_fpcaller caller = read_all(), usual = {RH_FP_USUAL, X87_USUAL, 0};
  if ((caller.sse & ~(uint32_t)RH_FP_FLAGS) != usual.sse || caller.x87 != usual.x87)
    write_all(&usual);
  return caller;
}

void rh_fpcaller_back(const rh_fpcaller *caller) { write_all(caller); }

#elif defined(__aarch64__)

rh_fpcaller rh_fpcaller_leave(void) {
  rh_fpcaller caller;
  __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr"
                   : "=r"(caller.control), "=r"(caller.flags)
                   :
                   : "memory");
  if (caller.control) __asm__ volatile("msr fpcr, %0" : : "r"(UINT64_C(0)) : "memory");
  return caller;
}

void rh_fpcaller_back(const rh_fpcaller *caller) {
  __asm__ volatile("msr fpsr, %0" : : "r"(caller->flags) : "memory");
  if (caller->control) __asm__ volatile("msr fpcr, %0" : : "r"(caller->control) : "memory");
}

#else

rh_fpcaller rh_fpcaller_leave(void) {
  rh_fpcaller caller;
  fegetenv(&caller);
  fesetenv(FE_DFL_ENV);
  return caller;
}

void rh_fpcaller_back(const rh_fpcaller *caller) { fesetenv(caller); }

#endif
