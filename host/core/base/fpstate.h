/* The thread's floating-point control word: rounding, flush-to-zero, exception masks.
 *
 * A shared object that was merely linked with -ffast-math switches its loader's thread to
 * flush-to-zero, and so would corrupt the reference that it is checked against.  The host saves and
 * compares around every call into a plugin. */
#ifndef RH_BASE_FPSTATE_H
#define RH_BASE_FPSTATE_H

#include <stdint.h>

typedef struct rh_fpstate {
  uint32_t words[2];
} rh_fpstate;

rh_fpstate rh_fpstate_save(void);
/* 1 and restored where the state differs from *saved, 0 where it does not. */
int rh_fpstate_restore(const rh_fpstate *saved);

#endif
