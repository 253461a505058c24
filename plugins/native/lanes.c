#include "lanes.h"

#if defined(__x86_64__)
#include "contest.h"

#include <cpuid.h>
#include <stdatomic.h>

/* Some compilers' __builtin_cpu_supports() lacks this feature. */
static int has_f16c(void) {
  unsigned a, b, c, d;
  return __get_cpuid(1, &a, &b, &c, &d) && c & bit_F16C;
}

enum { IN_CACHE = 1 << 12 /* floats: 16 KiB, in the nearest cache */, REPEATS = 16 };

static double seconds_of(const rh_native_lanes *lanes, const float *x) {
  float sum;
  double start = rh_native_seconds();
  for (int k = 0; k < REPEATS; k++) lanes->sum[RH_TYPE_f32](x, IN_CACHE, 1, &sum);
  return rh_native_seconds() - start;
}

/* A processor that works on vectors of 512 bits in two halves gains little by them in its nearest
 * cache, and from memory it loses 4 to 15 %: they take 0.89 to 0.92 of the time there (AMD EPYC,
 * Zen 4), and 0.65 to 0.75 on one that does not (Intel Xeon, model 207).  The latter may take 0.8
 * ms to raise its clock rate or to wake its upper halves.  The elements begin a line, or each
 * vector of 512 bits would take two. */
static int are_512_bits_halves(void) {
  enum { LEAST_TRIALS = 31, MOST_TRIALS = 248 };
  static _Alignas(64) const float x[IN_CACHE];
  const double part = 0.8;
  double wide = 1, narrow = 1, time;
  for (int trial = 0; trial < LEAST_TRIALS || (trial < MOST_TRIALS && wide > part * narrow);
       trial++) {
    time = seconds_of(&rh_native_lanes_512, x);
    if (time < wide) wide = time;
    time = seconds_of(&rh_native_lanes_256vl, x);
    if (time < narrow) narrow = time;
  }
  return wide > part * narrow;
}

/* Conversions to 64 bits leave the loads less to do: on the same Zen 4 vectors of 512 bits take
 * 0.92 to 0.97 of the time of sums of 32 and 8 bits in a cache, and as long from memory. */
static int is_widening(uint32_t op, rh_type type) {
  return op == RH_OP_sum && type < RH_TYPE_f16 && type != RH_TYPE_i64 && type != RH_TYPE_u64;
}

/* Measured once: 1 + the answer. */
static const rh_native_lanes *best_of_avx512(uint32_t op, rh_type type) {
  static _Atomic int known;
  int answer = atomic_load_explicit(&known, memory_order_relaxed);
  if (!answer) {
    answer = 1 + are_512_bits_halves();
    atomic_store_explicit(&known, answer, memory_order_relaxed);
  }
  return answer == 2 && !is_widening(op, type) ? &rh_native_lanes_256vl : &rh_native_lanes_512;
}

const rh_native_across *rh_native_across_find(unsigned vectors, uint32_t op, rh_type type) {
  int has_256 = __builtin_cpu_supports("avx2") && has_f16c();
  return vectors == NATIVE_128 || !has_256 ? &rh_native_across_128[op][type]
                                           : &rh_native_across_256[op][type];
}

const rh_native_lanes *rh_native_lanes_find(unsigned vectors, uint32_t op, rh_type type) {
  int has_256 = __builtin_cpu_supports("avx2") && has_f16c();
  int has_512 = has_256 && __builtin_cpu_supports("avx512f") &&
                __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                __builtin_cpu_supports("avx512vl");
  if (vectors == NATIVE_128 || !has_256) return &rh_native_lanes_128;
  if (vectors == NATIVE_256 || !has_512) return &rh_native_lanes_256;
  if (vectors == NATIVE_512) return &rh_native_lanes_512;
  return vectors == NATIVE_256VL ? &rh_native_lanes_256vl : best_of_avx512(op, type);
}
#else
const rh_native_across *rh_native_across_find(unsigned vectors, uint32_t op, rh_type type) {
  (void)vectors;
  return &rh_native_across_128[op][type];
}

const rh_native_lanes *rh_native_lanes_find(unsigned vectors, uint32_t op, rh_type type) {
  (void)vectors;
  (void)op;
  (void)type;
  return &rh_native_lanes_128;
}
#endif
