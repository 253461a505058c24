/* One row for each operator on each type: load, combine and fold, compiled for it.
 * kernels/prelude/operators.cl says the same in OpenCL C and explains order keys; tests/plugins
 * compares the two on every row. */
#include "internal.h"

/* ---- Order keys: floats as integers that order alike, every NaN as the key that wins ---- */

static inline int32_t key32(float x, int32_t key_of_nan) {
  int32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return isnan(x) ? key_of_nan : bits < 0 ? bits ^ INT32_MAX : bits;
}

static inline int64_t key64(double x, int64_t key_of_nan) {
  int64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return isnan(x) ? key_of_nan : bits < 0 ? bits ^ INT64_MAX : bits;
}

/* -0 and +0 are equal to argmin and argmax; the key of -0, and only that, is -1. */
static inline int32_t merge_zeros32(int32_t key) { return key == -1 ? 0 : key; }
static inline int64_t merge_zeros64(int64_t key) { return key == -1 ? 0 : key; }

/* Unsigned, and so right for the one number whose negative is not an int64_t. */
static inline uint64_t magnitude(int64_t x) { return x < 0 ? 0 - (uint64_t)x : (uint64_t)x; }

/* x -> a*x + b over 32-bit words, f first. */
static inline uint64_t compose(uint64_t f, uint64_t g) {
  uint32_t a = (uint32_t)g * (uint32_t)f;
  uint32_t b = (uint32_t)g * (uint32_t)(f >> 32) + (uint32_t)(g >> 32);
  return (uint64_t)b << 32 | a;
}

#define AS_IS(x)            (x)
#define HALF(x)             rh_half_to_float(x)
#define WIDE_SIGNED(x)      ((uint64_t)(int64_t)(x))
#define LEAST_KEY32(x)      key32(x, INT32_MIN)
#define LEAST_KEY64(x)      key64(x, INT64_MIN)
#define LEAST_HALF(x)       key32(rh_half_to_float(x), INT32_MIN)
#define GREATEST_KEY32(x)   key32(x, INT32_MAX)
#define GREATEST_KEY64(x)   key64(x, INT64_MAX)
#define GREATEST_HALF(x)    key32(rh_half_to_float(x), INT32_MAX)
#define FIRST_LEAST32(x)    merge_zeros32(LEAST_KEY32(x))
#define FIRST_LEAST64(x)    merge_zeros64(LEAST_KEY64(x))
#define FIRST_LEAST_H(x)    merge_zeros32(LEAST_HALF(x))
#define FIRST_GREATEST32(x) merge_zeros32(GREATEST_KEY32(x))
#define FIRST_GREATEST64(x) merge_zeros64(GREATEST_KEY64(x))
#define FIRST_GREATEST_H(x) merge_zeros32(GREATEST_HALF(x))
#define MAGNITUDE_HALF(x)   fabsf(rh_half_to_float(x))
#define LARGEST_HALF(x)     key32(MAGNITUDE_HALF(x), INT32_MAX)
#define LARGEST_KEY32(x)    key32(fabsf(x), INT32_MAX)
#define LARGEST_KEY64(x)    key64(fabs(x), INT64_MAX)

#define ADD(a, b)      ((a) + (b))
#define MULTIPLY(a, b) ((a) * (b))
#define AND(a, b)      ((a) & (b))
#define OR(a, b)       ((a) | (b))
#define XOR(a, b)      ((a) ^ (b))
#define LEAST(a, b)    ((b) < (a) ? (b) : (a))
#define GREATEST(a, b) ((b) > (a) ? (b) : (a))
#define COMPOSE(a, b)  compose(a, b)
#define LESS(a, b)     ((a) < (b))
#define GREATER(a, b)  ((a) > (b))

#define DEFINE_SCALAR(op, type, element, scalar, convert, apply, identity)                         \
  static const scalar identity_##op##_##type = identity;                                           \
  static void load_##op##_##type(void *value, const void *input, uint64_t index) {                 \
    *(scalar *)value = (scalar)convert(((const element *)input)[index]);                           \
  }                                                                                                \
  static void combine_##op##_##type(void *accumulator, const void *value) {                        \
    scalar a = *(scalar *)accumulator, b = *(const scalar *)value;                                 \
    *(scalar *)accumulator = apply(a, b);                                                          \
  }                                                                                                \
  static void fold_##op##_##type(void *accumulator, const void *input, uint64_t first,             \
                                 uint64_t n) {                                                     \
    const element *x = (const element *)input + first;                                             \
    scalar a = *(scalar *)accumulator;                                                             \
    for (uint64_t i = 0; i < n; i++) {                                                             \
      scalar b = (scalar)convert(x[i]);                                                            \
      a = apply(a, b);                                                                             \
    }                                                                                              \
    *(scalar *)accumulator = a;                                                                    \
  }

#define DEFINE_INDEXED(op, type, element, key_type, convert, beats, identity)                      \
  typedef struct {                                                                                 \
    key_type key;                                                                                  \
    uint64_t index;                                                                                \
  } pair_##op##_##type;                                                                            \
  static const pair_##op##_##type identity_##op##_##type = {identity, UINT64_MAX};                 \
  static void load_##op##_##type(void *value, const void *input, uint64_t index) {                 \
    pair_##op##_##type *pair = value;                                                              \
    pair->key = (key_type)convert(((const element *)input)[index]);                                \
    pair->index = index;                                                                           \
  }                                                                                                \
  static void combine_##op##_##type(void *accumulator, const void *value) {                        \
    pair_##op##_##type *a = accumulator;                                                           \
    const pair_##op##_##type *b = value;                                                           \
    if (beats(b->key, a->key) || (b->key == a->key && b->index < a->index)) *a = *b;               \
  }                                                                                                \
  static void fold_##op##_##type(void *accumulator, const void *input, uint64_t first,             \
                                 uint64_t n) {                                                     \
    const element *x = input;                                                                      \
    pair_##op##_##type a = *(pair_##op##_##type *)accumulator;                                     \
    for (uint64_t i = first; i < first + n; i++) {                                                 \
      key_type key = (key_type)convert(x[i]);                                                      \
      if (beats(key, a.key) || (key == a.key && i < a.index)) a.key = key, a.index = i;            \
    }                                                                                              \
    *(pair_##op##_##type *)accumulator = a;                                                        \
  }

#define DEFINE_SCALED(op, type, element, value_type, convert)                                      \
  static const rh_scaled_##value_type identity_##op##_##type = {1, 0};                             \
  static void load_##op##_##type(void *value, const void *input, uint64_t index) {                 \
    *(rh_scaled_##value_type *)value =                                                             \
        rh_scaled_of_##value_type(convert(((const element *)input)[index]));                       \
  }                                                                                                \
  static void combine_##op##_##type(void *accumulator, const void *value) {                        \
    rh_scaled_##value_type *a = accumulator;                                                       \
    const rh_scaled_##value_type *b = value;                                                       \
    *a = rh_scaled_multiply_##value_type(*a, *b);                                                  \
  }                                                                                                \
  static void fold_##op##_##type(void *accumulator, const void *input, uint64_t first,             \
                                 uint64_t n) {                                                     \
    const element *x = (const element *)input + first;                                             \
    rh_scaled_##value_type a = *(rh_scaled_##value_type *)accumulator;                             \
    for (uint64_t i = 0; i < n; i++)                                                               \
      a = rh_scaled_multiply_##value_type(a, rh_scaled_of_##value_type(convert(x[i])));            \
    *(rh_scaled_##value_type *)accumulator = a;                                                    \
  }

ROWS(DEFINE_SCALAR, DEFINE_INDEXED, DEFINE_SCALED)

/* rh_op_flags() knows which operators are exact on a type, and rh_op_find() has no state to keep it
 * in, so the table says it again: sums and products are exact where the scalar is the integer that
 * wraps. */
#define IS_ARITHMETIC(op)  ((op) == RH_OP_sum || (op) == RH_OP_prod || (op) == RH_OP_asum)
#define IS_INTEGER(scalar) ((scalar)0.5 == 0)
#define FLAGS(op, scalar)                                                                          \
  ((RH_OP_##op == RH_OP_affine ? 0u : RH_OP_COMMUTATIVE) |                                         \
   (!IS_ARITHMETIC(RH_OP_##op) || IS_INTEGER(scalar) ? RH_OP_EXACT : 0u))

#define ROW(op_, type_, element, value, flags_)                                                    \
  [RH_OP_##op_][RH_TYPE_##type_] = {                                                               \
      .struct_size = sizeof(rh_op),                                                                \
      .id = RH_OP_##op_,                                                                           \
      .flags = flags_,                                                                             \
      .element_size = sizeof(element),                                                             \
      .value_size = sizeof(value),                                                                 \
      .name = #op_,                                                                                \
      .identity = &identity_##op_##_##type_,                                                       \
      .load = load_##op_##_##type_,                                                                \
      .combine = combine_##op_##_##type_,                                                          \
      .fold = fold_##op_##_##type_,                                                                \
  },
#define ROW_SCALAR(op, type, element, scalar, convert, apply, identity)                            \
  ROW(op, type, element, scalar, FLAGS(op, scalar))
#define ROW_INDEXED(op, type, element, key, convert, beats, identity)                              \
  ROW(op, type, element, pair_##op##_##type, FLAGS(op, key) | RH_OP_INDEXED)

#define ROW_SCALED(op, type, element, value_type, convert)                                         \
  ROW(op, type, element, rh_scaled_##value_type, RH_OP_COMMUTATIVE)

const rh_op rh_op_rows[RH_N_OPS + 1][RH_N_TYPES + 1] = {ROWS(ROW_SCALAR, ROW_INDEXED, ROW_SCALED)};

const rh_op *rh_op_find(uint32_t op, rh_type type) {
  return rh_op_is_defined(op, type) ? &rh_op_rows[op][type] : NULL;
}
