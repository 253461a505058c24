#include "segments.h"

#include <float.h>

#include "../../operators/custom/custom.h"

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

/* Is its value n, mean and m2, in expressions that are known here? */
static int has_moments(const rh_operator *op) {
  return op->is_struct && !op->is_code && !op->is_masked && rh_custom_of(op)->is_moments;
}

int rh_quick_serves(const rh_operator *op) {
  uint32_t at, index_at, k = 0;
  const rh_operator *part;
  if (has_moments(op)) return 1;
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

/* ---- Mean and variance, against exact ones within a bound that is derived ---- */

/* The bounds are for Chan's merge in any tree of depth h, in units u = 2^-53.
 *
 * A merge takes d = b.mean - a.mean and adds d * r, r <= 1, to a mean, with four roundings: it errs
 * by u * (M + 3 R) at most, where M is the largest magnitude and R the range of the elements; and
 * means are averaged, so that their errors only add up along the depth: E = h u (M + 3 R).
 *
 * A merge adds w d d to m2, w = a.n b.n/n.  Its roundings and those of the sums make (2 h + 7) u
 * m2.  Each d errs by 2 E, besides.  The w d d add up to m2, and the w to n h/4 at most, for a
 * level has no more than n/4; so that is 2 E sqrt(m2 n h) + E E n h, by Cauchy and Schwarz. */
enum { N, MEAN, M2, APART = 64 /* elements, whose sums are added up apart */ };

typedef struct moments {
  long double mean, m2;
  double most, range;
} moments;

static long double sum_of(const double *x, uint64_t n, long double from, int is_square) {
  long double all = 0;
  for (uint64_t end; n > 0; x += end, n -= end) {
    long double piece = 0;
    end = n < APART ? n : APART;
    for (uint64_t j = 0; j < end; j++) {
      long double d = x[j] - from;
      piece += is_square ? d * d : d;
    }
    all += piece;
  }
  return all;
}

static moments moments_of(const double *x, uint64_t n) {
  double low = x[0], high = x[0];
  for (uint64_t j = 1; j < n; j++) {
    low = x[j] < low ? x[j] : low;
    high = x[j] > high ? x[j] : high;
  }
  moments exact = {.most = fmax(fabs(low), fabs(high)), .range = high - low};
  exact.mean = x[0] + sum_of(x, n, x[0], 0) / (long double)n;
  exact.m2 = sum_of(x, n, exact.mean, 1);
  return exact;
}

/* The error in parts of a bound; -1: it is beyond, or not known well enough. */
static double share_of(long double error, double bound, double own) {
  double size = (double)fabsl(error);
  if (size == 0) return 0;
  return own <= bound / 10 && size + own <= bound ? size / bound : -1;
}

static double judge_segment(const double *x, uint64_t n, uint64_t depth, const double *value) {
  const double unit = 0x1p-53, own_unit = 0x1p-64 * (APART + (double)n / APART + 2);
  double h = (double)steps_of(depth, n);
  const moments exact = moments_of(x, n);
  double m2 = (double)exact.m2;
  /* Far from where squares overflow or are subnormal; not so for NaN. */
  int is_normal = exact.most < 0x1p480 && (exact.range > 0x1p-480 || exact.range == 0);
  if (!is_normal || value[N] != (double)n) return -1;
  double by_mean = h * unit * (exact.most + 3 * exact.range);
  double own = own_unit * exact.range + 0x1p-63 * exact.most;
  double mean = share_of(value[MEAN] - exact.mean, by_mean, own);
  double by_m2 = (2 * h + 7) * unit * m2 + 2 * by_mean * sqrt(m2 * (double)n * h) +
                 by_mean * by_mean * (double)n * h;
  double own_m2 = own_unit * m2 + 2 * (double)n * exact.range * own;
  double variance = share_of(value[M2] - exact.m2, by_m2, own_m2);
  if (value[M2] != m2 && by_m2 > 0.01 * m2) return -1; /* such a bound says little */
  return mean < 0 || variance < 0 ? -1 : fmax(mean, variance);
}

static void judge_moments(const values *of, const rh_arrays *arrays, uint64_t n) {
  const rh_custom *custom = rh_custom_of(of->op);
  double x[n], spare[n], value[RH_MOST_FIELDS];
  void *fields[RH_MOST_FIELDS];
  for (uint32_t k = 0; k < RH_MOST_FIELDS; k++) fields[k] = k == MEAN ? x : spare;
  rh_custom_load_fields(custom, arrays, 0, n, fields);
  for (uint64_t k = 0, at = 0; k < of->count; at += of->lengths[k++]) {
    if (of->lengths[k] == 0) continue;
    for (uint32_t j = 0; j <= M2; j++)
      memcpy(&value[j], of->at + k * of->apart + custom->fields[j].offset, sizeof *value);
    of->parts[k] = judge_segment(x + at, of->lengths[k], of->depth, value);
  }
}

/* ---- Segments of any of them ---- */

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
  values of = {.op = op,
               .lengths = lengths,
               .length = differ ? 0 : lengths[0],
               .count = count,
               .depth = depth,
               .at = from,
               .apart = apart,
               .parts = parts};
  if (n == 0) return;
  if (has_moments(op)) {
    judge_moments(&of, arrays, n);
    return;
  }
  for (uint32_t k = 0, at, index_at; (of.op = part_of(op, k, &at, &index_at)) != NULL; k++) {
    of.at = (const char *)from + at;
    of.index_at = (const char *)from + index_at;
    judge_one(&of, arrays, n);
  }
}
