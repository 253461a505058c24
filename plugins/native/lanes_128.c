/* The inner loops on 16-byte vectors: SSE2 on x86-64, NEON on ARM.  Also the choice of the widest
 * that a processor supports. */
#define LANES_BYTES 16
#define LANES_TARGET
#define LANES_TABLE rh_native_lanes_128
#include "lanes_body.h"

#if defined(__x86_64__)
#include <cpuid.h>

/* Some compilers' __builtin_cpu_supports() lacks this feature. */
static int has_f16c(void) {
  unsigned a, b, c, d;
  return __get_cpuid(1, &a, &b, &c, &d) && c & bit_F16C;
}

const rh_native_lanes *rh_native_lanes_find(unsigned bits) {
  int has_256 = __builtin_cpu_supports("avx2") && has_f16c();
  int has_512 = has_256 && __builtin_cpu_supports("avx512f") &&
                __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                __builtin_cpu_supports("avx512vl");
  if (bits >= 512 && has_512) return &rh_native_lanes_512;
  return bits >= 256 && has_256 ? &rh_native_lanes_256 : &rh_native_lanes_128;
}
#else
const rh_native_lanes *rh_native_lanes_find(unsigned bits) {
  (void)bits;
  return &rh_native_lanes_128;
}
#endif
