/* redhost/control.h: the control word of floating-point arithmetic, with its sticky flags.
 * SPDX-License-Identifier: MIT */
#ifndef REDHOST_CONTROL_H
#define REDHOST_CONTROL_H

#include <stdint.h>

/* The operands in memory and the clobbers keep arithmetic on its side of them. */
#if defined(__x86_64__)
enum { RH_HAS_CONTROL = 1 };
static inline uint32_t rh_control_read(void) {
  uint32_t word;
  __asm__ volatile("stmxcsr %0" : "=m"(word) : : "memory");
  return word;
}
static inline void rh_control_write(uint32_t word) {
  __asm__ volatile("ldmxcsr %0" : : "m"(word) : "memory");
}
#else
enum { RH_HAS_CONTROL = 0 };
static inline uint32_t rh_control_read(void) { return 0; }
static inline void rh_control_write(uint32_t word) { (void)word; }
#endif

#endif
