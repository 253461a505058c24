/* The bounds are for Chan's merge in any tree of depth h, in units u = 2^-53.
 *
 * A merge takes d = b.mean - a.mean and adds d * r, r <= 1, to a mean, with four roundings: it errs
 * by u * (M + 3 R) at most, where M is the largest magnitude and R the range of the elements; and
 * means are averaged, so that their errors only add up along the depth: E = h u (M + 3 R).
 *
 * A merge adds w d d to m2, w = a.n b.n/n.  Its roundings and those of the sums make (2 h + 7) u
 * m2.  Each d errs by 2 E, besides.  The w d d add up to m2, and the w to n h/4 at most, for a
 * level has no more than n/4; so that is 2 E sqrt(m2 n h) + E E n h, by Cauchy and Schwarz. */
#include "segments.h"

#include "../../operators/custom/custom.h"

enum { N, MEAN, M2, PIECE = 64 /* elements, whose sums are added up apart */ };

int rh_quick_moments_serves(const rh_operator *op) {
  return op->is_struct && !op->is_code && !op->is_masked && rh_custom_of(op)->is_moments;
}

typedef struct moments {
  long double mean, m2;
  double most, range;
} moments;

static long double sum_of(const double *x, uint64_t n, long double from, int is_square) {
  long double all = 0;
  for (uint64_t end; n > 0; x += end, n -= end) {
    long double piece = 0;
    end = n < PIECE ? n : PIECE;
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
static double part_of(long double error, double bound, double own) {
  double size = (double)fabsl(error);
  if (size == 0) return 0;
  return own <= bound / 10 && size + own <= bound ? size / bound : -1;
}

static double judge_segment(const double *x, uint64_t n, uint64_t depth, const double *value) {
  const double unit = 0x1p-53, own_unit = 0x1p-64 * (PIECE + (double)n / PIECE + 2);
  double h = (double)(depth == 0 || depth > n - 1 ? n - 1 : depth);
  const moments exact = moments_of(x, n);
  double m2 = (double)exact.m2;
  /* Far from where squares overflow or are subnormal; not so for NaN. */
  int is_normal = exact.most < 0x1p480 && (exact.range > 0x1p-480 || exact.range == 0);
  if (!is_normal || value[N] != (double)n) return -1;
  double by_mean = h * unit * (exact.most + 3 * exact.range);
  double own = own_unit * exact.range + 0x1p-63 * exact.most;
  double mean = part_of(value[MEAN] - exact.mean, by_mean, own);
  double by_m2 = (2 * h + 7) * unit * m2 + 2 * by_mean * sqrt(m2 * (double)n * h) +
                 by_mean * by_mean * (double)n * h;
  double own_m2 = own_unit * m2 + 2 * (double)n * exact.range * own;
  double variance = part_of(value[M2] - exact.m2, by_m2, own_m2);
  if (value[M2] != m2 && by_m2 > 0.01 * m2) return -1; /* such a bound says little */
  return mean < 0 || variance < 0 ? -1 : fmax(mean, variance);
}

void rh_quick_moments(const rh_operator *op, const rh_arrays *arrays, const uint64_t *lengths,
                      uint64_t count, uint64_t n, uint64_t depth, const char *values,
                      double *parts) {
  const rh_custom *custom = rh_custom_of(op);
  double x[n], spare[n], value[RH_MOST_FIELDS];
  void *fields[RH_MOST_FIELDS];
  uint32_t apart = op->abi->value_size;
  for (uint32_t k = 0; k < RH_MOST_FIELDS; k++) fields[k] = k == MEAN ? x : spare;
  rh_custom_load_fields(custom, arrays, 0, n, fields);
  for (uint64_t k = 0, at = 0; k < count; at += lengths[k++]) {
    if (lengths[k] == 0) continue;
    for (uint32_t j = 0; j <= M2; j++)
      memcpy(&value[j], values + k * apart + custom->fields[j].offset, sizeof *value);
    parts[k] = judge_segment(x + at, lengths[k], depth, value);
  }
}
