/* The thread's floating-point control word: rounding, flush-to-zero, exception masks.
 *
 * A shared object that is linked with -ffast-math switches the loading thread to flush-to-zero,
 * which would corrupt the reference that it is checked against.  The host saves and compares the
 * control word around every call into a plugin. */
#ifndef RH_BASE_FPSTATE_H
#define RH_BASE_FPSTATE_H

#include <stdint.h>

typedef struct rh_fpstate {
  uint32_t words[2];
} rh_fpstate;

rh_fpstate rh_fpstate_save(void);
/* Returns 1 and restores the state if it differs from *saved, else 0. */
int rh_fpstate_restore(const rh_fpstate *saved);

#endif
