/* Products of floats: the value of a whole tile.
 *
 * Mantissas and exponents are kept apart.  Mantissas are multiplied with exponents of 0, and as few
 * between two times that exponents are taken out that nothing overflows: at most 64 of them, each
 * below 2.  Where an exponent is taken out does not change the rounding. */
#ifndef NATIVE_LANES_PROD_H
#define NATIVE_LANES_PROD_H

#include "lanes_tiles.h"

enum { EIGHT = 8 }; /* vectors that are loaded of each row in turn */

#define EXPONENT_AT_f32 23
#define EXPONENT_AT_f64 52
#define BIAS_f32        127u
#define BIAS_f64        1023u

/* The value of a product, as the host holds it. */
typedef struct scaled_f32 {
  e_f32 mantissa;
  int64_t exponent;
} scaled_f32;
typedef struct scaled_f64 {
  e_f64 mantissa;
  int64_t exponent;
} scaled_f64;

/* Takes the exponents out of x, and adds them to *fields, with the bias. */
#define DEFINE_MANTISSAS(lane, word)                                                               \
  LANES_TARGET static inline v_##lane mantissas_##lane(v_##lane x, v_##word *fields) {             \
    const e_##word most = 2 * BIAS_##lane + 1, one = BIAS_##lane;                                  \
    v_##word bits = (v_##word)x;                                                                   \
    *fields += (bits >> EXPONENT_AT_##lane) & most;                                                \
    return (v_##lane)((bits & ~(most << EXPONENT_AT_##lane)) | one << EXPONENT_AT_##lane);         \
  }                                                                                                \
  /* The same of elements; *odd: are some of them zeros, subnormals, infinities or NaN? */         \
  LANES_TARGET static inline v_##lane elements_##lane(v_##lane x, v_##word *fields,                \
                                                      v_##word *odd) {                             \
    const e_##word most = 2 * BIAS_##lane + 1;                                                     \
    v_##word field = ((v_##word)x >> EXPONENT_AT_##lane) & most;                                   \
    *odd |= (v_##word)(field == 0) | (v_##word)(field == most);                                    \
    return mantissas_##lane(x, fields);                                                            \
  }
DEFINE_MANTISSAS(f32, u32)
DEFINE_MANTISSAS(f64, u64)

/* Rows, lanes and the order of loads as in DEFINE_TILES. */
#define DEFINE_PROD_TILE(type, element, lane, word)                                                \
  LANES_TARGET static int prod_##type##_tile(const void *elements, void *value) {                  \
    enum {                                                                                         \
      WIDTH = LANES_BYTES / sizeof(e_##lane),                                                      \
      ROW_OF = NATIVE_ROW_BYTES / sizeof(e_##element),                                             \
      MANY = ROW_OF / WIDTH,                                                                       \
      TAKEN = 4 * ROW_OF + (4 + 1) * WIDTH /* exponents */                                         \
    };                                                                                             \
    const e_##element *x = elements;                                                               \
    v_##lane a[MANY], b[EIGHT];                                                                    \
    v_##word fields = {0}, odd = {0};                                                              \
    for (int at = 0; at < MANY; at += EIGHT, x += EIGHT * WIDTH) {                                 \
      EACH(k, EIGHT) a[at + k] = elements_##lane(LOAD_##type(x + k * WIDTH), &fields, &odd);       \
      IN_THIS_ORDER;                                                                               \
      EACH(k, EIGHT)                                                                               \
      a[at + k] *= elements_##lane(LOAD_##type(x + ROW_OF + k * WIDTH), &fields, &odd);            \
      IN_THIS_ORDER;                                                                               \
      EACH(k, EIGHT)                                                                               \
      b[k] = elements_##lane(LOAD_##type(x + 2 * ROW_OF + k * WIDTH), &fields, &odd);              \
      IN_THIS_ORDER;                                                                               \
      EACH(k, EIGHT)                                                                               \
      b[k] *= elements_##lane(LOAD_##type(x + 3 * ROW_OF + k * WIDTH), &fields, &odd);             \
      IN_THIS_ORDER;                                                                               \
      EACH(k, EIGHT) a[at + k] *= b[k];                                                            \
    }                                                                                              \
    if (ANY(odd)) return 0;                                                                        \
    for (int half = MANY / 2; half > 4; half /= 2)                                                 \
      for (int k = 0; k < half; k++) a[k] *= a[k + half];                                          \
    EACH(k, 4) a[k] = mantissas_##lane(a[k] * a[k + 4], &fields);                                  \
    v_##lane all = (a[0] * a[2]) * (a[1] * a[3]), last = {0};                                      \
    last[0] = multiply_lanes_##lane(all);                                                          \
    EACH(k, WIDTH - 1) last[k + 1] = 1;                                                            \
    scaled_##lane product = {mantissas_##lane(last, &fields)[0], 0};                               \
    for (int k = 0; k < WIDTH; k++) product.exponent += (int64_t)fields[k];                        \
    product.exponent -= (int64_t)BIAS_##lane * TAKEN;                                              \
    memcpy(value, &product, sizeof product);                                                       \
    return 1;                                                                                      \
  }
DEFINE_PROD_TILE(f16, u16, f32, u32)
DEFINE_PROD_TILE(f32, f32, f32, u32)
DEFINE_PROD_TILE(f64, f64, f64, u64)

#endif
