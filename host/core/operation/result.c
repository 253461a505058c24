#include "result.h"
#include "../base/vocabulary.h"
#include "ops.h"
#include "scaled.h"

#include <math.h>
#include <string.h>

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

static int is_least(uint32_t op) {
  return op == RH_OP_min || op == RH_OP_argmin;
}

static int is_magnitude(uint32_t op) {
  return op == RH_OP_amax || op == RH_OP_argamax;
}

/* Any element is better than this key, which no element has. */
static double extreme_of_nothing(uint32_t op) {
  return is_magnitude(op) ? 0 : is_least(op) ? (double)INFINITY : (double)-INFINITY;
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
  if (rh_type_is_float(type))
    result->value.f = read_float(op->id, type, value);
  else if (rh_type_size(type) == sizeof(uint64_t))
    result->value.u = *(const uint64_t *)value;
  else if (rh_type_is_signed(result->type))
    result->value.i = narrow(type, *(const int32_t *)value);
  else
    result->value.u = *(const uint32_t *)value & UINT32_MAX >> (32 - 8 * rh_type_size(type));
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

int rh_op_same_values(const rh_op *op, rh_type type, const void *a, const void *b) {
  rh_result x, y;
  if (!(op->flags & RH_OP_INDEXED) && !is_scaled(op->id, type))
    return memcmp(a, b, op->value_size) == 0;
  rh_op_result(op->id, type, a, &x);
  rh_op_result(op->id, type, b, &y);
  return x.indexed ? x.index == y.index : memcmp(&x.value, &y.value, sizeof x.value) == 0;
}
