/* Mean and variance on the host, by loops of their own: the one struct operator that NumPy and
 * everybody else has as a loop, too.
 *
 * In whole tiles of the canonical order (docs/inside/bits.md) both sides of every combination have
 * as many elements, so that Chan's merge has neither a division nor a branch: b.n/n is 1/2.  The
 * operations that are left are those of the expressions, in their order. */
#include "internal.h"

enum { ROWS = 4, ROW_BYTES = 512, MOST_LANES = ROW_BYTES /* of elements of a byte */ };
enum { MOST_STEPS = 5 /* from 4 * 8 lanes on */, LANES = 8 };
enum { FEWEST = 8 }; /* elements, which loops over arrays take no faster than one by one */

/* ---- A tile ---- halving a row's lanes down to eight combines whole vectors, which stay in
 * registers. */

#define INLINE static inline __attribute__((always_inline))
typedef double eight __attribute__((vector_size(LANES * sizeof(double))));
typedef double in_memory
    __attribute__((vector_size(LANES * sizeof(double)), aligned(sizeof(double)), may_alias));
#define LOAD(x) (*(const in_memory *)(const void *)(x))
/* In the order of the expression d*d*a.n*r: squares may overflow or become subnormal. */
#define TERM(d, n) ((d) * (d) * (n)*0.5)

typedef struct node {
  eight mean, m2;
} node;

INLINE node combine(const node *a, const node *b, double n) {
  eight d = b->mean - a->mean;
  return (node){a->mean + d * 0.5, a->m2 + b->m2 + TERM(d, n)};
}

/* Rows 0 and 1, 2 and 3, and the two results. */
INLINE node rows(const double *x, uint64_t lanes) {
  eight a = LOAD(x), d = LOAD(x + lanes) - a;
  eight b = LOAD(x + 2 * lanes), e = LOAD(x + 3 * lanes) - b;
  const node low = {a + d * 0.5, TERM(d, 1)}, high = {b + e * 0.5, TERM(e, 1)};
  return combine(&low, &high, 2);
}

/* Lanes j and j + lanes/2, j + lanes/4 and j + 3*lanes/4, and the two results. */
INLINE node quarters(const double *x, uint64_t lanes) {
  const node a = rows(x, lanes), c = rows(x + lanes / 2, lanes);
  const node low = combine(&a, &c, ROWS);
  const node b = rows(x + lanes / 4, lanes), d = rows(x + 3 * lanes / 4, lanes);
  const node high = combine(&b, &d, ROWS);
  return combine(&low, &high, 2 * ROWS);
}

/* mean[j] and m2[j] = those of lanes j, j + 8, ... of the four rows of `lanes` elements at x, for 8
 * lanes j; `lanes` is a power of two from 64 to 512. */
RH_WIDEST static void reduce_lanes(const double *x, uint64_t lanes, double *mean, double *m2) {
  node of[MOST_STEPS], one;
  uint64_t count = lanes / LANES / 4, k = 0;
  do {
    double n = 4 * ROWS;
    uint32_t c = 0;
    one = quarters(x + LANES * rh_bits_reversed(k, count), lanes);
    for (; k >> c & 1; c++, n *= 2) one = combine(&of[c], &one, n);
    of[c] = one;
  } while (++k < count);
  memcpy(mean, &one.mean, sizeof one.mean);
  memcpy(m2, &one.m2, sizeof one.m2);
}

/* ---- Whole tiles ---- */

/* Combines the pieces at j + half, of `n` elements each, into those at j. */
RH_WIDEST static void halve(double *restrict mean, double *restrict m2,
                            const double *restrict upper_mean, const double *restrict upper_m2,
                            uint64_t half, double n) {
  for (uint64_t j = 0; j < half; j++) {
    double d = upper_mean[j] - mean[j];
    mean[j] = mean[j] + d * 0.5;
    m2[j] = m2[j] + upper_m2[j] + d * d * n * 0.5;
  }
}

#define CONVERT(word)                                                                              \
  for (uint64_t j = 0; j < n; j++) to[j] = (double)((const word *)x)[first + j]
/* Of the operand that is loaded as the mean; 0: only the expression does. */
RH_WIDEST static int convert(const rh_custom *self, const rh_arrays *arrays, uint64_t first,
                             uint64_t n, double *to) {
  uint32_t variable = 0;
  rh_type type = rh_exprs_variable_of(self->load, 1, &variable);
  const void *x = arrays->operands[variable];
  switch (type) {
  case RH_TYPE_i8: CONVERT(int8_t); return 1;
  case RH_TYPE_u8: CONVERT(uint8_t); return 1;
  case RH_TYPE_i16: CONVERT(int16_t); return 1;
  case RH_TYPE_u16: CONVERT(uint16_t); return 1;
  case RH_TYPE_i32: CONVERT(int32_t); return 1;
  case RH_TYPE_u32: CONVERT(uint32_t); return 1;
  case RH_TYPE_f32: CONVERT(float); return 1;
  case RH_TYPE_f64: CONVERT(double); return 1;
  default: return 0;
  }
}

/* To eight lanes. */
static void reduce_tile(const rh_custom *self, const rh_arrays *arrays, uint64_t first,
                        uint64_t lanes, double *mean, double *m2) {
  _Alignas(64) double loaded[4][ROWS * MOST_LANES];
  void *const outputs[4] = {loaded[0], loaded[1], loaded[2], loaded[3]};
  uint32_t variable = 0;
  rh_type type = rh_exprs_variable_of(self->load, 1, &variable);
  if (type == RH_TYPE_f64) {
    reduce_lanes((const double *)arrays->operands[variable] + first, lanes, mean, m2);
    return;
  }
  if (!convert(self, arrays, first, ROWS * lanes, loaded[1]))
    rh_custom_load_fields(self, arrays, first, ROWS * lanes, outputs);
  reduce_lanes(loaded[1], lanes, mean, m2);
}

/* Whole tiles, to so many lanes each as are returned.  Lane l of tile t stands at l * tiles + (t's
 * bits in reverse order), as in reduce.c: so the next halves are of tiles side by side, and after
 * the lanes come neighbouring tiles. */
static uint64_t reduce_to_lanes(const rh_custom *self, const rh_arrays *arrays, uint64_t first,
                                uint64_t tiles, double *mean, double *m2) {
  double means[LANES], m2s[LANES];
  uint64_t lanes = ROW_BYTES / self->op.element_size;
  uint32_t variable;
  rh_type type = rh_exprs_variable_of(self->load, 1, &variable);
  rh_moments_tiles *wide = rh_moments_wide();
  if (wide && lanes == RH_MOMENTS_ROW_F32 && type == RH_TYPE_f32) {
    wide((const float *)arrays->operands[variable] + first, tiles, mean, m2);
    return RH_MOMENTS_WIDE_LANES;
  }
  for (uint64_t t = 0; t < tiles; t++, first += ROWS * lanes) {
    uint64_t to = rh_bits_reversed(t, tiles);
    reduce_tile(self, arrays, first, lanes, means, m2s);
    for (uint64_t j = 0; j < LANES; j++, to += tiles) {
      mean[to] = means[j];
      m2[to] = m2s[j];
    }
  }
  return LANES;
}

void rh_moments_join(double *mean, double *m2, uint64_t pieces, double n) {
  for (uint64_t half = pieces / 2; half > 0; half /= 2, n *= 2)
    halve(mean, m2, mean + half, m2 + half, half, n);
}

/* ---- A tile that is not whole ---- */

/* As arrays of each field. */
typedef struct few {
  _Alignas(64) double n[ROWS * MOST_LANES], mean[ROWS * MOST_LANES], m2[ROWS * MOST_LANES],
      large[ROWS * MOST_LANES];
} few;

/* Combines the values at `from` on into those at `at`: each has an element. */
RH_WIDEST static void combine_few(few *of, uint64_t at, uint64_t from, uint64_t count) {
  for (uint64_t j = at; j < at + count; j++, from++) {
    double n = of->n[j] + of->n[from], d = of->mean[from] - of->mean[j], r = of->n[from] / n;
    double e = d * RH_MOMENTS_LARGE;
    of->m2[j] = of->m2[j] + of->m2[from] + d * d * of->n[j] * r;
    of->large[j] = of->large[j] + of->large[from] + e * e * of->n[j] * r;
    of->mean[j] = isfinite(d) ? of->mean[j] + d * r : of->mean[j] * (1 - r) + of->mean[from] * r;
    of->n[j] = n;
  }
}

static void load_few(const rh_custom *self, const rh_arrays *arrays, uint64_t first, uint64_t n,
                     few *to) {
  void *const outputs[4] = {to->n, to->mean, to->m2, to->large};
  if (!convert(self, arrays, first, n, to->mean)) {
    memset(to->large, 0, n * sizeof *to->large);
    rh_custom_load_fields(self, arrays, first, n, outputs);
    return;
  }
  for (uint64_t j = 0; j < n; j++) {
    to->n[j] = 1;
    to->m2[j] = to->large[j] = 0;
  }
}

/* Up to FEWEST elements; 0: only the expression converts them. */
static int reduce_fewest(const rh_custom *self, const rh_arrays *arrays, uint64_t first, uint64_t n,
                         void *value) {
  double x[FEWEST];
  rh_moments of[FEWEST];
  if (n > FEWEST || !convert(self, arrays, first, n, x)) return 0;
  for (uint64_t j = 0; j < n; j++) of[j] = (rh_moments){1, x[j], 0, 0};
  for (uint64_t half = FEWEST / 2; half > 0; half /= 2) {
    for (uint64_t j = 0; j + half < n; j++) of[j] = rh_moments_of_both(of[j], of[j + half]);
    if (n > half) n = half;
  }
  memcpy(value, of, self->op.value_size);
  return 1;
}

static void reduce_few(const rh_custom *self, const rh_arrays *arrays, uint64_t first, uint64_t n,
                       void *value) {
  few all;
  uint64_t row = ROW_BYTES / self->op.element_size, lanes = n < row ? n : row;
  if (reduce_fewest(self, arrays, first, n, value)) return;
  load_few(self, arrays, first, n, &all);
  for (uint64_t to = 0; to < ROWS * row; to += 2 * row)
    if (n > to + row) combine_few(&all, to, to + row, n - to - row < row ? n - to - row : row);
  if (n > 2 * row) combine_few(&all, 0, 2 * row, n - 2 * row < row ? n - 2 * row : row);
  for (uint64_t half = row / 2; half > 0; half /= 2) {
    if (lanes <= half) continue;
    combine_few(&all, 0, half, lanes - half);
    lanes = half;
  }
  const rh_moments made = {all.n[0], all.mean[0], all.m2[0], all.large[0]};
  memcpy(value, &made, self->op.value_size);
}

/* From a difference that is not finite comes a mean that is not, and stays so.  To multiply
 * differences by a power of two is exact unless squares overflow or become subnormal, and then such
 * a square does not count. */
int rh_moments_reduce(const rh_custom *self, const rh_arrays *arrays, uint64_t first, uint64_t n,
                      void *value) {
  uint64_t tiles = n / (ROWS * ROW_BYTES / self->op.element_size);
  if (tiles == 0) {
    reduce_few(self, arrays, first, n, value);
    return 1;
  }
  _Alignas(64) double mean[LANES * RH_MOMENTS_MOST_TILES], m2[LANES * RH_MOMENTS_MOST_TILES];
  uint64_t pieces = tiles * reduce_to_lanes(self, arrays, first, tiles, mean, m2);
  rh_moments_join(mean, m2, pieces, (double)(n / pieces));
  const rh_moments all = {(double)n, *mean, *m2, *m2 * RH_MOMENTS_LARGE * RH_MOMENTS_LARGE};
  memcpy(value, &all, self->op.value_size);
  if (self->n_fields == 3) return isfinite(all.mean);
  return isfinite(all.m2) && (all.m2 == 0 || all.m2 > 0x1p-640);
}

/* ---- The operator ---- */

/* The formulas of Chan, Golub and LeVeque 1979, as library/meanvar.json has them. */
static const struct {
  const char *name, *load, *let, *is, *combine;
} meanvar[] = {
    {"n", "1", "n", "a.n + b.n", "n"},
    {"mean", NULL, "d", "b.mean - a.mean",
     "a.n == 0 ? b.mean : b.n == 0 ? a.mean : d - d == 0 ? a.mean + d*r : a.mean*(1 - r) + "
     "b.mean*r"},
    {"m2", "0", "r", "b.n/n", "a.n == 0 ? b.m2 : b.n == 0 ? a.m2 : a.m2 + b.m2 + d*d*a.n*r"},
    {"large", "0", "e", "d*0x1p-128",
     "a.n == 0 ? b.large : b.n == 0 ? a.large : a.large + b.large + e*e*a.n*r"}};

int rh_moments_is(const rh_custom *self, const rh_definition *of) {
  int is = self->combine && self->op.flags & RH_OP_COMMUTATIVE && !of->where &&
           (of->n_fields == 3 || of->n_fields == 4) && of->n_lets == of->n_fields;
  for (uint32_t k = 0; is && k < of->n_fields; k++)
    is = self->fields[k].type == RH_TYPE_f64 &&
         strcmp(self->fields[k].name, meanvar[k].name) == 0 &&
         (!meanvar[k].load ||
          (of->fields[k].load && strcmp(of->fields[k].load, meanvar[k].load) == 0)) &&
         strcmp(of->lets[k].name, meanvar[k].let) == 0 &&
         strcmp(of->lets[k].text, meanvar[k].is) == 0 &&
         strcmp(of->fields[k].combine, meanvar[k].combine) == 0;
  return is;
}
