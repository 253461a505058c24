/* The thread's floating-point control word: rounding, flush-to-zero, exception masks.
 *
 * A shared object that is linked with -ffast-math switches the loading thread to flush-to-zero,
 * which would corrupt the reference that it is checked against.  The host saves and compares the
 * control word around every call into a plugin. */
#pragma once

#include <redhost/control.h>

#include <fenv.h>
#include <stdint.h>

typedef struct rh_fpstate {
  uint32_t words[2];
} rh_fpstate;

rh_fpstate rh_fpstate_save(void);
/* Returns 1 and restores the state if it differs from *saved, else 0. */
int rh_fpstate_restore(const rh_fpstate *saved);

/* ---- The library's own environment ----
 * A caller may flush subnormals, round upwards or trap exceptions.  References, strategies and the
 * threads that they start are made for the default environment, so every call runs in that one and
 * gives the caller's back, flags included. */

/* The first declaration of every function that programs call. */
#define RH_OWN_ENVIRONMENT                                                                         \
  const rh_fpcaller its_caller __attribute__((unused, cleanup(rh_fpcaller_back))) =                \
      rh_fpcaller_leave()

/* The same for code without long double, in a few cycles if the caller's is the default. */
#define RH_OWN_ENVIRONMENT_QUICK                                                                   \
  const rh_fpquick its_caller __attribute__((unused, cleanup(rh_fpquick_back))) = rh_fpquick_leave()

#if defined(__x86_64__)

typedef struct rh_fpcaller {
  uint32_t sse; /* control and flags */
  uint16_t x87, x87_flags;
} rh_fpcaller;

typedef uint32_t rh_fpquick;

enum { RH_FP_FLAGS = 0x3f, RH_FP_USUAL = 0x1f80 };

static inline rh_fpquick rh_fpquick_leave(void) {
  rh_fpquick caller = rh_control_read();
  if (__builtin_expect((caller & ~(uint32_t)RH_FP_FLAGS) != RH_FP_USUAL, 0))
    rh_control_write(RH_FP_USUAL);
  return caller;
}

static inline void rh_fpquick_back(const rh_fpquick *caller) {
  if (__builtin_expect(rh_control_read() != *caller, 0)) rh_control_write(*caller);
}

#elif defined(__aarch64__)

typedef struct rh_fpcaller {
  uint64_t control, flags;
} rh_fpcaller;

typedef rh_fpcaller rh_fpquick;

#define rh_fpquick_leave rh_fpcaller_leave
#define rh_fpquick_back  rh_fpcaller_back

#else /* portable C */

typedef fenv_t rh_fpcaller, rh_fpquick;

#define rh_fpquick_leave rh_fpcaller_leave
#define rh_fpquick_back  rh_fpcaller_back

#endif

rh_fpcaller rh_fpcaller_leave(void);
void rh_fpcaller_back(const rh_fpcaller *caller);
