#include "base.h"

#if defined(__x86_64__)

enum { X87_AT = 32, X87_FLAGS_AT = 16, X87_USUAL = 0x37f };
static const uint64_t usual = (uint64_t)X87_USUAL << X87_AT | RH_FP_USUAL;

rh_fpstate rh_fpstate_save(void) {
  uint32_t sse = rh_control_read();
  uint16_t x87, x87_flags;
  __asm__ volatile("fnstcw %0\n\tfnstsw %1" : "=m"(x87), "=a"(x87_flags));
  return (rh_fpstate){(uint64_t)x87 << X87_AT | (sse & ~(uint32_t)RH_FP_FLAGS),
                      (uint32_t)(x87_flags & RH_FP_FLAGS) << X87_FLAGS_AT | (sse & RH_FP_FLAGS)};
}

/* Control and flags at once: a flag that is set and no longer masked would be an exception. */
void rh_fpstate_back(const rh_fpstate *wanted) {
  const rh_fpstate now = rh_fpstate_save();
  uint32_t sse = (uint32_t)wanted->control | (wanted->flags & RH_FP_FLAGS);
  uint16_t control = (uint16_t)(wanted->control >> X87_AT),
           flags = (uint16_t)(wanted->flags >> X87_FLAGS_AT);
  struct {
    uint16_t control, unused_1, status, unused_2, others[10];
  } x87;
  if (rh_control_read() != sse) rh_control_write(sse);
  if (now.control >> X87_AT == control && now.flags >> X87_FLAGS_AT == flags) return;
  __asm__ volatile("fnstenv %0" : "=m"(x87));
  x87.control = control;
  x87.status = (uint16_t)((x87.status & ~(unsigned)RH_FP_FLAGS) | flags);
  __asm__ volatile("fldenv %0" : : "m"(x87) : "memory");
}

#elif defined(__aarch64__)

static const uint64_t usual = 0;

rh_fpstate rh_fpstate_save(void) {
  uint64_t control, flags;
  __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(control), "=r"(flags) : : "memory");
  return (rh_fpstate){control, (uint32_t)flags};
}

void rh_fpstate_back(const rh_fpstate *wanted) {
  uint64_t flags = wanted->flags;
  __asm__ volatile("msr fpsr, %0\n\tmsr fpcr, %1" : : "r"(flags), "r"(wanted->control) : "memory");
}

#else /* portable C: of the control word only the rounding mode */

static const uint64_t usual = FE_TONEAREST;

rh_fpstate rh_fpstate_save(void) {
  return (rh_fpstate){(uint64_t)fegetround(), (uint32_t)fetestexcept(FE_ALL_EXCEPT)};
}

void rh_fpstate_back(const rh_fpstate *wanted) {
  fesetround((int)wanted->control);
  feclearexcept(FE_ALL_EXCEPT);
  feraiseexcept((int)wanted->flags);
}

#endif

int rh_fpstate_restore(const rh_fpstate *saved) {
  if (rh_fpstate_save().control == saved->control) return 0;
  rh_fpstate_back(saved);
  return 1;
}

rh_fpstate rh_fpstate_leave(void) {
  const rh_fpstate caller = rh_fpstate_save(), own = {usual, 0};
  if (caller.control != own.control) rh_fpstate_back(&own);
  return caller;
}
