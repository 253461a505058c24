#include "operation.h"

/* Undoes the order keys of kernels/prelude/operators.cl. */
static double from_key32(int32_t key) {
  int32_t bits = key < 0 ? key ^ INT32_MAX : key;
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static double from_key64(int64_t key) {
  int64_t bits = key < 0 ? key ^ INT64_MAX : key;
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static int is_scaled(uint32_t op, rh_type type) {
  return op == RH_OP_prod && rh_type_is_float(type);
}

static int is_least(uint32_t op) { return op == RH_OP_min || op == RH_OP_argmin; }

/* Any element is better than this key, which no element has. */
static double extreme_of_nothing(uint32_t op) {
  if (op == RH_OP_amax || op == RH_OP_argamax) return 0;
  return is_least(op) ? (double)INFINITY : (double)-INFINITY;
}

static double read_float(uint32_t op, rh_type type, const void *value) {
  int is_wide = type == RH_TYPE_f64;
  if (is_scaled(op, type))
    return is_wide ? rh_scaled_double(*(const rh_scaled_f64 *)value)
                   : rh_scaled_float(*(const rh_scaled_f32 *)value);
  int64_t key = is_wide ? *(const int64_t *)value : *(const int32_t *)value;
  int64_t least = is_wide ? INT64_MIN : INT32_MIN, most = is_wide ? INT64_MAX : INT32_MAX;
  if (key == (is_least(op) ? most : least)) return extreme_of_nothing(op);
  return is_wide ? from_key64(key) : from_key32((int32_t)key);
}

/* An identity may lie outside the type, which then has its nearest number: that of min on i8 is the
 * largest int. */
static int64_t narrow(rh_type type, int32_t value) {
  int bits = 8 * (int)rh_type_size(type);
  int32_t most = bits == 32 ? INT32_MAX : (1 << (bits - 1)) - 1;
  return value > most ? most : value < -most - 1 ? -most - 1 : value;
}

rh_decoding rh_op_decoding(const rh_op *op, rh_type type) {
  if (op->flags & RH_OP_INDEXED) return RH_DECODE_OTHER;
  if (!rh_type_is_float(type)) return op->value_size == 8 ? RH_DECODE_WORD : RH_DECODE_OTHER;
  if (!rh_op_is_arithmetic(op->id) || is_scaled(op->id, type)) return RH_DECODE_OTHER;
  return type == RH_TYPE_f64 ? RH_DECODE_WORD : RH_DECODE_FLOAT;
}

void rh_op_decode_other(const rh_op *op, rh_type type, const void *value, rh_result *result) {
  if (rh_type_is_float(type)) result->value.f = read_float(op->id, type, value);
  else if (rh_type_size(type) == sizeof(uint64_t)) result->value.u = *(const uint64_t *)value;
  else if (rh_type_is_signed(result->type)) result->value.i = narrow(type, *(const int32_t *)value);
  else result->value.u = *(const uint32_t *)value & UINT32_MAX >> (32 - 8 * rh_type_size(type));
  if (op->flags & RH_OP_INDEXED)
    memcpy(&result->index, (const char *)value + 8, sizeof result->index);
}

void rh_op_result(uint32_t op, rh_type type, const void *value, rh_result *result) {
  const rh_op *row = rh_op_find(op, type);
  memset(result, 0, sizeof *result);
  result->type = rh_op_result_type(op, type);
  result->indexed = (row->flags & RH_OP_INDEXED) != 0;
  rh_op_decode(rh_op_decoding(row, type), row, type, value, result);
}

void rh_operator_decode_base(const rh_operator *self, const void *value, uint64_t n,
                             rh_result *result) {
  rh_op_result(self->base, self->type, value, result);
  /* The identity of a float sum is -0; the sum of nothing is 0 to a user, and of what a condition
   * chose it is unknown whether that was something. */
  int may_be_empty = n == 0 || self->is_masked;
  if (may_be_empty && self->base == RH_OP_sum && rh_type_is_float(result->type) &&
      result->value.f == 0)
    result->value.f = 0;
}

/* ---- Many values ---- */

#define TAKE_WORDS(word)                                                                           \
  do {                                                                                             \
    for (uint64_t k = 0; k < n; k++) memcpy((word *)to + k, from + k * apart, sizeof(word));       \
    return;                                                                                        \
  } while (0)
void rh_take_words(const void *values, uint64_t apart, uint32_t size, uint64_t n, void *to) {
  const char *from = values;
  if (apart == size) {
    if (to != values) memcpy(to, values, n * size);
    return;
  }
  switch (size) {
  case 1: TAKE_WORDS(uint8_t);
  case 2: TAKE_WORDS(uint16_t);
  case 4: TAKE_WORDS(uint32_t);
  default: TAKE_WORDS(uint64_t);
  }
}

/* Keys that stand one behind the other become floats where they are; no element has key `none`. */
#define DEFINE_DECODE(scalar, word, most)                                                          \
  RH_WIDEST static void decode_##scalar(word *key, uint64_t n, word none, scalar nothing) {        \
    word ends;                                                                                     \
    memcpy(&ends, &nothing, sizeof ends);                                                          \
    for (uint64_t k = 0; k < n; k++) {                                                             \
      word bits = key[k] < 0 ? key[k] ^ (most) : key[k];                                           \
      key[k] = key[k] == none ? ends : bits;                                                       \
    }                                                                                              \
  }
DEFINE_DECODE(float, int32_t, INT32_MAX)
DEFINE_DECODE(double, int64_t, INT64_MAX)
#define DECODE_SCALED(type, scalar, convert)                                                       \
  for (uint64_t k = 0; k < n; k++) {                                                               \
    rh_scaled_##type one;                                                                          \
    memcpy(&one, from + k * apart, sizeof one);                                                    \
    ((scalar *)to)[k] = convert(one);                                                              \
  }

/* The identity of a float sum is -0; the sum of nothing is 0 to a user. */
#define NOTHING_IS_ZERO(scalar)                                                                    \
  for (uint64_t k = 0; k < n; k++) ((scalar *)to)[k] += lengths[k] == 0 ? 0 : -(scalar)0

static void float_results(uint32_t op, rh_type type, const char *from, uint64_t apart,
                          const uint64_t *lengths, uint64_t n, void *to) {
  int is_wide = type == RH_TYPE_f64;
  if (is_scaled(op, type)) {
    if (is_wide) DECODE_SCALED(f64, double, rh_scaled_double)
    else DECODE_SCALED(f32, float, rh_scaled_float)
    return;
  }
  if (type == RH_TYPE_f16 && !rh_op_is_arithmetic(op)) { /* a half's key is that of an f32 */
    for (uint64_t k = 0; k < n; k++)
      ((uint16_t *)to)[k] = rh_half_from_float((float)read_float(op, type, from + k * apart));
    return;
  }
  rh_take_words(from, apart, is_wide ? 8 : 4, n, to);
  if (!rh_op_is_arithmetic(op) && is_wide)
    decode_double(to, n, is_least(op) ? INT64_MAX : INT64_MIN, extreme_of_nothing(op));
  else if (!rh_op_is_arithmetic(op))
    decode_float(to, n, is_least(op) ? INT32_MAX : INT32_MIN, (float)extreme_of_nothing(op));
  else if (op == RH_OP_sum && is_wide) NOTHING_IS_ZERO(double);
  else if (op == RH_OP_sum) NOTHING_IS_ZERO(float);
}

#define NARROW_BY(element, bytes, convert)                                                         \
  for (uint64_t k = 0; k < n; k++) {                                                               \
    int32_t one;                                                                                   \
    memcpy(&one, from + k * (bytes), sizeof one);                                                  \
    ((element *)to)[k] = (element)(convert);                                                       \
  }
#define NARROW(element)                                                                            \
  do {                                                                                             \
    if (apart == sizeof(int32_t)) /* a loop by vectors */                                          \
      NARROW_BY(element, sizeof(int32_t), one)                                                     \
    else NARROW_BY(element, apart, one)                                                            \
  } while (0)
static void integer_results(rh_type result_type, rh_type type, const char *from, uint64_t apart,
                            uint64_t n, void *to) {
  int is_signed = rh_type_is_signed(result_type);
  uint32_t size = rh_type_size(result_type);
  if (size == 1 && is_signed) NARROW_BY(int8_t, apart, narrow(type, one))
  else if (size == 2 && is_signed) NARROW_BY(int16_t, apart, narrow(type, one))
  else if (size == 1) NARROW(uint8_t);
  else if (size == 2) NARROW(uint16_t);
  else rh_take_words(from, apart, size, n, to);
}

void rh_op_results(uint32_t op, rh_type type, const void *values, uint64_t apart,
                   const uint64_t *lengths, uint64_t n, void *to) {
  if (rh_type_is_float(type)) float_results(op, type, values, apart, lengths, n, to);
  else integer_results(rh_op_result_type(op, type), type, values, apart, n, to);
}

void rh_operator_results_base(const rh_operator *self, const void *values, const uint64_t *lengths,
                              uint64_t n, void *const *to) {
  const rh_op *row = rh_op_find(self->base, self->type);
  const char *index = (const char *)values + 8;
  void *values_to = row->flags & RH_OP_INDEXED ? to[1] : to[0];
  if (row->flags & RH_OP_INDEXED && to[0])
    rh_take_words(index, row->value_size, sizeof(uint64_t), n, to[0]);
  if (values_to)
    rh_op_results(self->base, self->type, values, row->value_size, lengths, n, values_to);
}

int rh_op_same_values(const rh_op *op, rh_type type, const void *a, const void *b) {
  rh_result x, y;
  if (!(op->flags & RH_OP_INDEXED) && !is_scaled(op->id, type))
    return memcmp(a, b, op->value_size) == 0;
  rh_op_result(op->id, type, a, &x);
  rh_op_result(op->id, type, b, &y);
  return x.indexed ? x.index == y.index : memcmp(&x.value, &y.value, sizeof x.value) == 0;
}
