#include "custom.h"
#include "../../host/core/base/half.h"
#include "../../host/core/operation/result.h"

#include <math.h>
#include <string.h>

/* ---- Mapped built-in operators ---- */

/* The built-in operator's value of a mapped element. */
static void load_mapped(void *value, uint32_t op, rh_type type, const void *element, uint64_t i) {
  const rh_op *base = rh_op_find(op, type);
  base->load(value, element, 0);
  if (base->flags & RH_OP_INDEXED) memcpy((char *)value + 8, &i, sizeof i);
}

static void dot_load(void *value, const void *input, uint64_t i) {
  const custom_input *in = input;
  float x = ((const float *)in->operands[0])[i] * ((const float *)in->operands[1])[i];
  load_mapped(value, RH_OP_sum, RH_TYPE_f32, &x, i);
}

static void dot_combine(void *a, const void *b) {
  rh_op_find(RH_OP_sum, RH_TYPE_f32)->combine(a, b);
}

static void difference_load(void *value, const void *input, uint64_t i) {
  const custom_input *in = input;
  float x = rh_half_to_float(((const uint16_t *)in->operands[0])[i]);
  float difference = fabsf(x - ((const float *)in->operands[1])[i]);
  load_mapped(value, RH_OP_argmax, RH_TYPE_f32, &difference, i);
}

static void difference_combine(void *a, const void *b) {
  rh_op_find(RH_OP_argmax, RH_TYPE_f32)->combine(a, b);
}

static const int64_t threshold = -7;

static void count_load(void *value, const void *input, uint64_t i) {
  const custom_input *in = input;
  int32_t counts = ((const int32_t *)in->operands[0])[i] > threshold;
  load_mapped(value, RH_OP_sum, RH_TYPE_i32, &counts, i);
}

static void count_combine(void *a, const void *b) {
  rh_op_find(RH_OP_sum, RH_TYPE_i32)->combine(a, b);
}

/* One operand: the elements themselves, as for the built-in operators. */
static void magnitude_load(void *value, const void *input, uint64_t i) {
  int32_t x = ((const int16_t *)input)[i], mapped = 3 - (x < 0 ? -x : x);
  load_mapped(value, RH_OP_argmin, RH_TYPE_i32, &mapped, i);
}

static void magnitude_combine(void *a, const void *b) {
  rh_op_find(RH_OP_argmin, RH_TYPE_i32)->combine(a, b);
}

/* ---- Structs ---- */

typedef struct moments {
  double n, mean, m2;
} moments;

static void moments_load(void *value, const void *input, uint64_t i) {
  moments v = {1, ((const float *)input)[i], 0};
  memcpy(value, &v, sizeof v);
}

static void moments_combine(void *accumulator, const void *value) {
  moments a, b, v;
  memcpy(&a, accumulator, sizeof a);
  memcpy(&b, value, sizeof b);
  double d = b.mean - a.mean;
  v.n = a.n + b.n;
  v.mean = a.n == 0 ? b.mean : b.n == 0 ? a.mean : a.mean + d * b.n / v.n;
  v.m2 = a.n == 0 ? b.m2 : b.n == 0 ? a.m2 : a.m2 + b.m2 + d * d * a.n * b.n / v.n;
  memcpy(accumulator, &v, sizeof v);
}

static void product_load(void *value, const void *input, uint64_t i) {
  const custom_input *in = input;
  uint32_t v[4] = {((const uint32_t *)in->operands[0])[i], ((const uint8_t *)in->operands[1])[i], 1,
                   (uint32_t)i};
  memcpy(value, v, sizeof v);
}

static void product_combine(void *accumulator, const void *value) {
  uint32_t x[4], y[4];
  memcpy(x, accumulator, sizeof x);
  memcpy(y, value, sizeof y);
  uint32_t v[4] = {x[0] * y[0] + x[1] * y[2], x[0] * y[1] + x[1] * y[3], x[2] * y[0] + x[3] * y[2],
                   x[2] * y[1] + x[3] * y[3]};
  memcpy(accumulator, v, sizeof v);
}

static void least_load(void *value, const void *input, uint64_t i) {
  uint32_t x = ((const uint8_t *)input)[i];
  memcpy(value, &x, sizeof x);
}

static void least_combine(void *accumulator, const void *value) {
  uint32_t a, b;
  memcpy(&a, accumulator, sizeof a);
  memcpy(&b, value, sizeof b);
  if (b < a) memcpy(accumulator, &b, sizeof b);
}

typedef struct range {
  int32_t least, greatest;
} range;

static void range_load(void *value, const void *input, uint64_t i) {
  int16_t x = ((const int16_t *)input)[i];
  range v = {x, x};
  memcpy(value, &v, sizeof v);
}

static void range_combine(void *accumulator, const void *value) {
  range a, b;
  memcpy(&a, accumulator, sizeof a);
  memcpy(&b, value, sizeof b);
  if (b.least < a.least) a.least = b.least;
  if (b.greatest > a.greatest) a.greatest = b.greatest;
  memcpy(accumulator, &a, sizeof a);
}

enum { BINS = 16, SHIFT = 5 };
typedef struct histogram {
  uint32_t count[BINS], last[BINS];
} histogram;

static void histogram_load(void *value, const void *input, uint64_t i) {
  const custom_input *in = input;
  histogram v = {{0}, {0}};
  uint64_t bin = (((const uint64_t *)in->operands[0])[i] + i + SHIFT) % BINS;
  v.count[bin] = 1;
  v.last[bin] = (uint32_t)i + 1;
  memcpy(value, &v, sizeof v);
}

static void histogram_combine(void *accumulator, const void *value) {
  histogram a, b;
  memcpy(&a, accumulator, sizeof a);
  memcpy(&b, value, sizeof b);
  for (int k = 0; k < BINS; k++) {
    a.count[k] += b.count[k];
    if (b.last[k] > a.last[k]) a.last[k] = b.last[k];
  }
  memcpy(accumulator, &a, sizeof a);
}

/* ---- The table ---- */

#define FOLD(operator_)                                                                            \
  static void operator_##_fold(void *accumulator, const void *input, uint64_t first, uint64_t n) { \
    unsigned char value[RH_ANY_VALUE_BYTES];                                                       \
    for (uint64_t i = first; i < first + n; i++) {                                                 \
      operator_##_load(value, input, i);                                                           \
      operator_##_combine(accumulator, value);                                                     \
    }                                                                                              \
  }
FOLD(dot)
FOLD(difference)
FOLD(count)
FOLD(magnitude)
FOLD(moments)
FOLD(product)
FOLD(least)
FOLD(range)
FOLD(histogram)

#define COMMUTES RH_OP_COMMUTATIVE
#define EXACT    (RH_OP_COMMUTATIVE | RH_OP_EXACT)
#define OPERATOR(name_, flags_, element, value)                                                    \
  .name = #name_, .op = {.struct_size = sizeof(rh_op),                                             \
                         .id = RH_FIRST_USER_OP,                                                   \
                         .flags = flags_,                                                          \
                         .element_size = element,                                                  \
                         .value_size = value,                                                      \
                         .name = #name_,                                                           \
                         .load = name_##_load,                                                     \
                         .combine = name_##_combine,                                               \
                         .fold = name_##_fold}

const custom customs[] = {
    {OPERATOR(dot, COMMUTES, 4, 4), .base = RH_OP_sum, .mapped = RH_TYPE_f32, .n_operands = 2,
     .operands = {RH_TYPE_f32, RH_TYPE_f32}, .expands = 1},
    {OPERATOR(difference, EXACT | RH_OP_INDEXED, 4, 16), .base = RH_OP_argmax,
     .mapped = RH_TYPE_f32, .n_operands = 2, .operands = {RH_TYPE_f16, RH_TYPE_f32}, .expands = 1},
    {OPERATOR(count, EXACT, 4, 8), .base = RH_OP_sum, .mapped = RH_TYPE_i32, .n_operands = 1,
     .operands = {RH_TYPE_i32}, .expands = 1, .constants = {(uint64_t)-7}},
    {OPERATOR(magnitude, EXACT | RH_OP_INDEXED, 2, 16), .base = RH_OP_argmin, .mapped = RH_TYPE_i32,
     .n_operands = 1, .operands = {RH_TYPE_i16}},
    {OPERATOR(moments, COMMUTES, 4, 24), .n_operands = 1, .operands = {RH_TYPE_f32},
     .rounds = 1 << 20},
    {OPERATOR(product, RH_OP_EXACT, 4, 16), .n_operands = 2, .operands = {RH_TYPE_u32, RH_TYPE_u8},
     .expands = 1},
    {OPERATOR(least, EXACT, 1, 4), .n_operands = 1, .operands = {RH_TYPE_u8}},
    {OPERATOR(range, EXACT, 2, 8), .n_operands = 1, .operands = {RH_TYPE_i16}},
    {OPERATOR(histogram, EXACT, 8, 128), .n_operands = 1, .operands = {RH_TYPE_u64}, .expands = 1,
     .constants = {0, SHIFT}},
};
const uint32_t n_customs = sizeof customs / sizeof *customs;

const void *custom_identity(const custom *c) {
  static const moments none = {0, 0, 0};
  static const uint32_t unit[4] = {1, 0, 0, 1}, greatest = 0xffffffffu;
  static const histogram empty = {{0}, {0}};
  if (c->base) return rh_op_find(c->base, c->mapped)->identity;
  static const range nothing = {INT32_MAX, -INT32_MAX};
  if (c->op.load == range_load) return &nothing;
  if (c->op.load == moments_load) return &none;
  if (c->op.load == product_load) return unit;
  return c->op.load == least_load ? (const void *)&greatest : &empty;
}

int custom_agree(const custom *c, const void *a, const void *b) {
  if (c->base) return rh_op_same_values(rh_op_find(c->base, c->mapped), c->mapped, a, b);
  if (!c->rounds) return memcmp(a, b, c->op.value_size) == 0;
  double x[RH_ANY_VALUE_BYTES / sizeof(double)], y[RH_ANY_VALUE_BYTES / sizeof(double)];
  memcpy(x, a, c->op.value_size);
  memcpy(y, b, c->op.value_size);
  for (uint32_t k = 0; k < c->op.value_size / sizeof(double); k++)
    if (!(fabs(x[k] - y[k]) <= c->rounds * 0x1p-53 * fmax(1, fabs(x[k])))) return 0;
  return 1;
}
