#include "quick.h"
#include "../../core/base/half.h"
#include "../../core/base/vocabulary.h"
#include "../../core/check/enclosed.h"
#include "../../core/operation/ops.h"
#include "../../core/operation/result.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST = 2048 /* elements; longer segments are worth a reference */ };

static int is_exact(const rh_operator *op) {
  return (rh_op_flags(op->base, op->type) & RH_OP_EXACT) != 0;
}

static int is_float_sum(const rh_operator *op) {
  return (op->base == RH_OP_sum || op->base == RH_OP_asum) && rh_type_is_float(op->type);
}

int rh_quick_serves(const rh_operator *op) {
  if (op->is_struct || op->n_results || op->keeps_products || op->map_error != 0) return 0;
  return !rh_enclosed_serves(op) && (is_exact(op) || is_float_sum(op));
}

/* ---- Sums ---- */

/* In so much more precision that its own error hardly counts. */
typedef struct sums {
  long double sum, magnitudes;
} sums;

#define ADD(word)                                                                                  \
  for (uint64_t k = 0; k < n; k++) {                                                               \
    sum += ((const word *)x)[k];                                                                   \
    magnitudes += fabs(((const word *)x)[k]);                                                      \
  }
static sums add_up_f32(const void *x, uint64_t n) {
  double sum = 0, magnitudes = 0;
  ADD(float)
  return (sums){sum, magnitudes};
}

static sums add_up_f64(const void *x, uint64_t n) {
  long double sum = 0, magnitudes = 0;
  ADD(double)
  return (sums){sum, magnitudes};
}

static sums add_up_f16(const void *x, uint64_t n) {
  float number[MOST];
  for (uint64_t k = 0; k < n; k++) number[k] = rh_half_to_float(((const uint16_t *)x)[k]);
  return add_up_f32(number, n);
}

/* The bound is that of check.c, without its smaller terms.  The sum here errs by at most
 * n times its own roundoff of the magnitudes, and where that is not less than a tenth of the bound,
 * it says nothing. */
static int is_right_sum(const rh_operator *op, const void *x, uint64_t n, uint64_t depth,
                        const void *value, double *part) {
  sums s = op->type == RH_TYPE_f64   ? add_up_f64(x, n)
           : op->type == RH_TYPE_f32 ? add_up_f32(x, n)
                                     : add_up_f16(x, n);
  rh_result result;
  rh_op_result(op->base, op->type, value, &result);
  if (op->base == RH_OP_asum) s.sum = s.magnitudes;
  if (!isfinite(s.magnitudes) || !isfinite(result.value.f)) return 0;
  uint64_t h = depth == 0 || depth > n - 1 ? n - 1 : depth;
  int is_f64 = op->type == RH_TYPE_f64;
  long double bound = (long double)h * s.magnitudes * (is_f64 ? 0x1p-53L : 0x1p-24L);
  long double own = (long double)n * s.magnitudes * (is_f64 ? LDBL_EPSILON : DBL_EPSILON);
  long double error = fabsl(s.sum - (long double)result.value.f);
  *part = bound > 0 ? (double)(error / bound) : 0;
  if (error == 0 && h == 0) return 1; /* one element */
  return own <= bound / 10 && error + own <= bound;
}

/* ---- Operators that are exact ---- */

static int is_right_value(const rh_operator *op, const void *x, uint64_t n, const void *value) {
  _Alignas(16) unsigned char expected[16];
  const rh_op *row = rh_op_find(op->base, op->type);
  memcpy(expected, row->identity, row->value_size);
  row->fold(expected, x, 0, n);
  return rh_op_same_values(row, op->type, value, expected);
}

int rh_quick_is_right(const rh_operator *op, const rh_arrays *arrays, uint64_t n, uint64_t depth,
                      const void *value, double *part) {
  _Alignas(64) unsigned char mapped[MOST * sizeof(uint64_t)];
  const void *x = arrays->operands[0];
  *part = 0;
  if (n > MOST) return 0;
  if (op->calls->map) {
    op->calls->map(op, arrays, 0, n, mapped);
    x = mapped;
  }
  if (is_exact(op)) return is_right_value(op, x, n, value);
  return is_right_sum(op, x, n, depth, value, part);
}
