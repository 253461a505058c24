#include "segments.h"

#include <float.h>

/* ---- Which operators ---- */

static int is_exact(const rh_operator *op) {
  return (rh_op_flags(op->base, op->type) & RH_OP_EXACT) != 0;
}

/* Its elements are those of a built-in operator: its own, or what a map makes of them. */
static int serves_one(const rh_operator *op) {
  int is_float = rh_type_is_float(op->type);
  if (op->is_struct || op->is_code || op->keeps_products || op->map_error != 0) return 0;
  if (op->count_slot >= 0 || rh_enclosed_serves(op)) return 0;
  return is_exact(op) ||
         (is_float && (op->base == RH_OP_sum || op->base == RH_OP_asum || op->base == RH_OP_prod));
}

/* Operator k of those that make up a value; null: there are no more. */
static const rh_operator *part_of(const rh_operator *op, uint32_t k, uint32_t *value_at,
                                  uint32_t *index_at) {
  *value_at = 0;
  *index_at = 8;
  if (op->is_struct) return op->calls->part(op, k, value_at, index_at);
  return k == 0 ? op : NULL;
}

int rh_quick_serves(const rh_operator *op) {
  uint32_t at, index_at, k = 0;
  const rh_operator *part;
  if (rh_quick_moments_serves(op)) return 1;
  for (; (part = part_of(op, k, &at, &index_at)) != NULL; k++)
    if (!serves_one(part)) return 0;
  return k > 0;
}

/* ---- Segments of one operator ---- */

typedef struct values {
  const rh_operator *op;
  const void *x; /* its elements */
  const uint64_t *lengths;
  uint64_t length; /* of all; 0: they differ */
  uint64_t count, depth;
  const char *at, *index_at; /* value 0, and its index */
  uint64_t apart;
  double *parts; /* the largest of all operators; < 0: a reference decides */
} values;

static uint64_t steps_of(uint64_t depth, uint64_t n) {
  return depth == 0 || depth > n - 1 ? n - 1 : depth;
}

/* bound: without the smaller terms of check.c; own: by how much the expected value may err.  Where
 * that is not less than a tenth of the bound, it says nothing. */
static inline void take_error(const values *of, uint64_t k, double error, double bound,
                              double own) {
  /* Without branches, of which short segments would take half the wrong way. */
  int is_zero = (error == 0) & (bound == 0); /* one element */
  int is_right = is_zero | ((own <= bound / 10) & (error + own <= bound));
  double part = is_zero ? 0 : error / bound, before = of->parts[k];
  part = part > before ? part : before;
  of->parts[k] = (is_right & (before >= 0)) ? part : -1;
}

/* In so much more precision that its own error hardly counts, with sums of pieces. */
enum { PIECE = 128 };
#define JUDGE_SUMS(element, scalar, wide, magnitude, unit, epsilon)                                \
  do {                                                                                             \
    const element *x = from;                                                                       \
    for (uint64_t k = 0; k < of->count; x += of->lengths[k++]) {                                   \
      uint64_t n = of->lengths[k];                                                                 \
      wide sum = 0, all = 0;                                                                       \
      scalar value;                                                                                \
      if (n == 0) continue;                                                                        \
      memcpy(&value, of->at + k * of->apart, sizeof value);                                        \
      if (n == 1 && value == (of->op->base == RH_OP_asum ? (scalar)magnitude(*x) : *x)) continue;  \
      for (uint64_t j = 0, end; j < n;) {                                                          \
        wide piece = 0, sizes = 0;                                                                 \
        for (end = n - j < PIECE ? n : j + PIECE; j < end; j++) {                                  \
          piece += x[j];                                                                           \
          sizes += magnitude(x[j]);                                                                \
        }                                                                                          \
        sum += piece;                                                                              \
        all += sizes;                                                                              \
      }                                                                                            \
      if (of->op->base == RH_OP_asum) sum = all;                                                   \
      sum -= value;                                                                                \
      if (!isfinite(sum) || !isfinite(all)) of->parts[k] = -1;                                     \
      else                                                                                         \
        take_error(of, k, (double)magnitude(sum),                                                  \
                   (double)steps_of(of->depth, n) * (double)all * (unit),                          \
                   (double)(n < PIECE ? n : PIECE + n / PIECE + 1) * (double)all * (epsilon));     \
    }                                                                                              \
  } while (0)
/* Short segments of one length go side by side, in loops that become vectors.  A sum of f64 is two
 * numbers: the second has what the roundings of the first lose. */
enum { SHORT = 16, STRIP = 128 };
#define JUDGE_SHORT_SUMS(element, unit)                                                            \
  do {                                                                                             \
    const uint64_t n = of->length, base = of->op->base;                                            \
    const int is_wide = sizeof(element) == sizeof(double);                                         \
    const double steps = (double)steps_of(of->depth, n) * (unit);                                  \
    const double own_unit = n == 1    ? 0                                                          \
                            : is_wide ? (double)(n * n) * 0x1p-104                                 \
                                      : (double)n * 0x1p-53;                                       \
    for (uint64_t first = 0, m; first < of->count; first += m) {                                   \
      const element *x = (const element *)from + first * n;                                        \
      double *restrict parts = of->parts + first, sum[STRIP], rest[STRIP] = {0}, all[STRIP] = {0}; \
      element value[STRIP];                                                                        \
      m = of->count - first < STRIP ? of->count - first : STRIP;                                   \
      for (uint64_t k = 0; k < m; k++)                                                             \
        memcpy(&value[k], of->at + (first + k) * of->apart, sizeof *value);                        \
      for (uint64_t k = 0; k < m; k++) sum[k] = -(double)value[k];                                 \
      for (uint64_t j = 0; j < n; j++)                                                             \
        for (uint64_t k = 0; k < m; k++) {                                                         \
          double next = x[k * n + j], size = fabs(next), before = sum[k];                          \
          if (base == RH_OP_asum) next = size;                                                     \
          double more = before + next, part = more - before;                                       \
          if (is_wide) rest[k] += (before - (more - part)) + (next - part);                        \
          sum[k] = more;                                                                           \
          all[k] += size;                                                                          \
        }                                                                                          \
      for (uint64_t k = 0; k < m; k++) {                                                           \
        double error = fabs(sum[k] + rest[k]), bound = steps * all[k], own = own_unit * all[k];    \
        double part = error / (bound + DBL_MIN), before = parts[k];                                \
        part = error + own <= bound ? part : -1;                                                   \
        part = all[k] <= 0x1p1000 ? part : -1;                                                     \
        double larger = part > before ? part : before, less = part < before ? part : before;       \
        parts[k] = less < 0 ? -1 : larger;                                                         \
      }                                                                                            \
    }                                                                                              \
  } while (0)
static void judge_sums(const values *of, const void *from) {
  int is_short = of->length > 0 && of->length <= SHORT;
  if (is_short && of->op->type == RH_TYPE_f64) JUDGE_SHORT_SUMS(double, 0x1p-53);
  else if (is_short) JUDGE_SHORT_SUMS(float, 0x1p-24);
  else if (of->op->type == RH_TYPE_f64)
    JUDGE_SUMS(double, double, long double, fabsl, 0x1p-53, (double)LDBL_EPSILON);
  else JUDGE_SUMS(float, float, double, fabs, 0x1p-24, DBL_EPSILON);
}

/* Exponents are taken out of a product before it may overflow.  Multiplications may all err in one
 * direction, so that each counts, whatever the depth. */
#define JUDGE_PRODUCTS(type, element, wide, magnitude, scale, far, unit, epsilon)                  \
  do {                                                                                             \
    const wide limit = scale((wide)1, far);                                                        \
    const element *x = from;                                                                       \
    for (uint64_t k = 0; k < of->count; x += of->lengths[k++]) {                                   \
      uint64_t n = of->lengths[k];                                                                 \
      wide product = 1, size;                                                                      \
      rh_scaled_##type value;                                                                      \
      int64_t exponent = 0;                                                                        \
      if (n == 0) continue;                                                                        \
      for (uint64_t j = 0; j < n; j++) {                                                           \
        product *= x[j];                                                                           \
        size = magnitude(product);                                                                 \
        if (size < limit && size * limit > 1) continue;                                            \
        if (size == 0 || !isfinite(size)) continue;                                                \
        int step = size > 1 ? -(far) : (far);                                                      \
        product = scale(product, step);                                                            \
        exponent -= step;                                                                          \
      }                                                                                            \
      memcpy(&value, of->at + k * of->apart, sizeof value);                                        \
      int64_t apart = exponent - value.exponent;                                                   \
      int is_zero =                                                                                \
          product == 0 && value.mantissa == 0 && signbit(product) == signbit(value.mantissa);      \
      if (is_zero) continue;                                                                       \
      if (product == 0 || !isfinite(product) || !isfinite(value.mantissa) || apart > 2 * (far) ||  \
          apart < -2 * (far)) {                                                                    \
        of->parts[k] = -1;                                                                         \
        continue;                                                                                  \
      }                                                                                            \
      if (apart) product = scale(product, (int)apart);                                             \
      size = magnitude(product);                                                                   \
      take_error(of, k, (double)magnitude(product - value.mantissa),                               \
                 (double)(n - 1) * (double)size * (unit), (double)n * (double)size * (epsilon));   \
    }                                                                                              \
  } while (0)
static void judge_products(const values *of, const void *from) {
  if (of->op->type == RH_TYPE_f64)
    JUDGE_PRODUCTS(f64, double, long double, fabsl, ldexpl, 8000, 0x1p-53, (double)LDBL_EPSILON);
  else JUDGE_PRODUCTS(f32, float, double, fabs, rh_scaled_to, 500, 0x1p-24, DBL_EPSILON);
}

static void judge_exact(const values *of) {
  _Alignas(16) unsigned char identity[16] = {0}, expected[16];
  const rh_op *row = rh_op_find(of->op->base, of->op->type);
  const char *x = of->x;
  int is_indexed = (row->flags & RH_OP_INDEXED) != 0;
  memcpy(identity, row->identity, row->value_size);
  for (uint64_t k = 0; k < of->count; x += of->lengths[k++] * row->element_size) {
    const char *value = of->at + k * of->apart, *index = of->index_at + k * of->apart;
    uint64_t n = of->lengths[k];
    if (n == 0) continue;
    memcpy(expected, identity, sizeof identity); /* of a size that is known: no call */
    row->fold(expected, x, 0, n);
    int is_right = is_indexed             ? memcmp(index, expected + 8, 8) == 0
                   : row->value_size == 8 ? memcmp(value, expected, 8) == 0
                   : row->value_size == 4 ? memcmp(value, expected, 4) == 0
                                          : memcmp(value, expected, row->value_size) == 0;
    if (!is_right) of->parts[k] = -1;
  }
}

static void judge_one(values *of, const rh_arrays *arrays, uint64_t n) {
  const rh_operator *op = of->op;
  int is_half = op->type == RH_TYPE_f16 && !is_exact(op);
  _Alignas(64) unsigned char mapped[op->calls->map ? n * rh_type_size(op->type) : 1];
  float number[is_half ? n : 1];
  of->x = arrays->operands[0];
  if (op->calls->map) {
    op->calls->map(op, arrays, 0, n, mapped);
    of->x = mapped;
  }
  if (is_exact(op)) {
    judge_exact(of);
    return;
  }
  const void *x = of->x;
  if (is_half) {
    for (uint64_t k = 0; k < n; k++) number[k] = rh_half_to_float(((const uint16_t *)x)[k]);
    x = number;
  }
  if (op->base == RH_OP_prod) judge_products(of, x);
  else judge_sums(of, x);
}

void rh_quick_judge(const rh_operator *op, const rh_arrays *arrays, const uint64_t *lengths,
                    uint64_t count, uint64_t depth, const void *from, double *parts) {
  uint64_t n = 0, apart = op->abi->value_size, differ = 0;
  for (uint64_t k = 0; k < count; k++) {
    parts[k] = 0;
    differ |= lengths[k] ^ lengths[0];
    n += lengths[k];
  }
  for (uint64_t k = 0; k < count && (differ || n == 0); k++) {
    const char *value = (const char *)from + k * apart;
    if (lengths[k] == 0 && memcmp(value, op->abi->identity, apart) != 0) parts[k] = -1;
  }
  if (n > 0 && rh_quick_moments_serves(op)) {
    rh_quick_moments(op, arrays, lengths, count, n, depth, from, parts);
    return;
  }
  const rh_operator *part;
  for (uint32_t k = 0, at, index_at; n > 0 && (part = part_of(op, k, &at, &index_at)); k++) {
    values of = {.op = part,
                 .lengths = lengths,
                 .length = differ ? 0 : lengths[0],
                 .count = count,
                 .depth = depth,
                 .at = (const char *)from + at,
                 .index_at = (const char *)from + index_at,
                 .apart = apart,
                 .parts = parts};
    judge_one(&of, arrays, n);
  }
}
