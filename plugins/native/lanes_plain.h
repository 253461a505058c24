/* Extremes of floats by the processor's own minimum and maximum, on x86.
 *
 * One instruction takes a vector from memory into its accumulator, where the bits of floats need a
 * load and two operations (lanes_extremes.h), and more registers than AVX2 has; nor has it extremes
 * of 64-bit integers.  On an AMD EPYC (Zen 3, two threads, 2^18 floats in a cache) this loop reads
 * 128 GB/s instead of 102, and up to a tenth more from memory.
 *
 * The instructions lose NaNs, but raise the flag of an invalid operation for each of them, quiet
 * ones too.  They say nothing of the sign of a zero.  An array with a NaN, or whose result is 0, is
 * left to the bits. */
#ifndef NATIVE_LANES_PLAIN_H
#define NATIVE_LANES_PLAIN_H

#include "lanes_rows.h"

#include <math.h>
#include <redhost/control.h>

#if defined(__x86_64__) && LANES_BYTES >= 32

#if LANES_BYTES == 64
#define FLOATS(f, suffix, type, a, b) ((v_##type)PASTE(_mm512_, f##_##suffix)(a, b))
#else
#define FLOATS(f, suffix, type, a, b) ((v_##type)PASTE(_mm256_, f##_##suffix)(a, b))
#endif
#define LOWER_f32(a, v)  FLOATS(min, ps, f32, a, v)
#define UPPER_f32(a, v)  FLOATS(max, ps, f32, a, v)
#define LOWER_f64(a, v)  FLOATS(min, pd, f64, a, v)
#define UPPER_f64(a, v)  FLOATS(max, pd, f64, a, v)
#define LOWER_1(a, b)    ((b) < (a) ? (b) : (a))
#define UPPER_1(a, b)    ((b) > (a) ? (b) : (a))
#define ITSELF(type, x)  (x)
#define SIZE_OF(type, x) SIZE_##type(x)
#define SIZE_f32(x)      ((v_f32)((v_u32)(x) & ~SPLAT(u32, (uint32_t)TOP(32))))
#define SIZE_f64(x)      ((v_f64)((v_u64)(x) & ~SPLAT(u64, TOP(64))))

/* The control word: no flag raised, no exception taken, subnormal numbers kept. */
enum { PLAIN_CONTROL = 0x1f80, INVALID_FLAG = 1, PLAIN_CHAINS = 8 };

/* A flag that nothing raises says nothing: valgrind has none. */
static inline int flag_works(void) {
  float nan = NAN;
  __asm__ volatile("minss %0, %0" : "+x"(nan));
  return (rh_control_read() & INVALID_FLAG) != 0;
}

#define DEFINE_PLAIN(name, type, TAKE, PICK, PICK_1)                                               \
  LANES_TARGET __attribute__((noinline)) static void name##_loop(const void *elements, uint64_t n, \
                                                                 unsigned pages, e_##type *one) {  \
    enum { WIDTH = LANES_BYTES / sizeof(e_##type), ROW_OF = PLAIN_CHAINS * WIDTH };                \
    const e_##type *x = elements;                                                                  \
    v_##type a[PLAIN_CHAINS];                                                                      \
    e_##type lanes[WIDTH];                                                                         \
    EACH(k, PLAIN_CHAINS) a[k] = TAKE(type, LOAD(type, x));                                        \
    EACH_ROW(elements, n / ROW_OF, PLAIN_CHAINS * LANES_BYTES, pages) {                            \
      const e_##type *row = ROW;                                                                   \
      EACH(k, PLAIN_CHAINS) a[k] = PICK(a[k], TAKE(type, LOAD(type, row + k * WIDTH)));            \
    }                                                                                              \
    const e_##type *last = x + n - ROW_OF;                                                         \
    EACH(k, PLAIN_CHAINS) a[k] = PICK(a[k], TAKE(type, LOAD(type, last + k * WIDTH)));             \
    EACH(k, PLAIN_CHAINS - 1) a[0] = PICK(a[0], a[k + 1]);                                         \
    memcpy(lanes, &a[0], sizeof lanes);                                                            \
    UNROLLED for (int half = WIDTH / 2; half > 0; half /= 2) {                                     \
      EACH_LANE(k, half) lanes[k] = PICK_1(lanes[k], lanes[k + half]);                             \
    }                                                                                              \
    *one = lanes[0];                                                                               \
  }                                                                                                \
  /* Where the first row comes to 0, as among numbers many of which are, the rest is not read. */  \
  LANES_TARGET static int name(const void *elements, uint64_t n, unsigned pages, e_##type *one) {  \
    uint32_t before = rh_control_read();                                                           \
    rh_control_write(PLAIN_CONTROL);                                                               \
    name##_loop(elements, PLAIN_CHAINS *LANES_BYTES / sizeof(e_##type), 1, one);                   \
    if (*one != 0 && !(rh_control_read() & INVALID_FLAG)) name##_loop(elements, n, pages, one);    \
    int has_nan = (rh_control_read() & INVALID_FLAG) != 0;                                         \
    int known = *one != 0 && !has_nan && flag_works();                                             \
    rh_control_write(before);                                                                      \
    return known;                                                                                  \
  }

enum { PLAIN_LEAST_BYTES = 8192 };
#define DEFINE_PLAIN_RANGE(type, u, s)                                                             \
  DEFINE_PLAIN(lowest_##type, type, ITSELF, LOWER_##type, LOWER_1)                                 \
  DEFINE_PLAIN(highest_##type, type, ITSELF, UPPER_##type, UPPER_1)                                \
  DEFINE_PLAIN(largest_##type, type, SIZE_OF, UPPER_##type, UPPER_1)                               \
  LANES_TARGET static int plain_range_##type(const void *elements, uint64_t n, int wanted,         \
                                             unsigned pages, rh_native_range *range) {             \
    e_##type one = 0;                                                                              \
    e_##u bits;                                                                                    \
    int (*const find)(const void *, uint64_t, unsigned, e_##type *) =                              \
        wanted == NATIVE_LEAST  ? lowest_##type                                                    \
        : wanted == NATIVE_MOST ? highest_##type                                                   \
                                : largest_##type;                                                  \
    if (n * sizeof(e_##type) < PLAIN_LEAST_BYTES) return 0;                                        \
    if (!find(elements, n, pages, &one)) return 0;                                                 \
    memcpy(&bits, &one, sizeof bits);                                                              \
    *range = (rh_native_range){bits, bits, (e_##s)bits};                                           \
    return 1;                                                                                      \
  }
DEFINE_PLAIN_RANGE(f32, u32, i32)
DEFINE_PLAIN_RANGE(f64, u64, i64)

#else
#define plain_range_f32(elements, n, wanted, pages, range) 0
#define plain_range_f64(elements, n, wanted, pages, range) 0
#endif
#define plain_range_f16(elements, n, wanted, pages, range) 0

#endif
