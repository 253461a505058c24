/* Mean and variance of a tile.  Halving a row's lanes down to eight combines whole vectors, which
 * stay in registers. */
#include "internal.h"

enum { ROWS = 4, MOST_STEPS = 5 /* from 4 * 8 lanes on */ };

#define INLINE static inline __attribute__((always_inline))
typedef double eight __attribute__((vector_size(RH_MOMENTS_LANES * sizeof(double))));
typedef double in_memory __attribute__((vector_size(RH_MOMENTS_LANES * sizeof(double)),
                                        aligned(sizeof(double)), may_alias));
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

RH_WIDEST void rh_moments_tile(const double *x, uint64_t lanes, double *mean, double *m2) {
  node of[MOST_STEPS], one;
  uint64_t count = lanes / RH_MOMENTS_LANES / 4, k = 0;
  do {
    double n = 4 * ROWS;
    uint32_t c = 0;
    one = quarters(x + RH_MOMENTS_LANES * rh_bits_reversed(k, count), lanes);
    for (; k >> c & 1; c++, n *= 2) one = combine(&of[c], &one, n);
    of[c] = one;
  } while (++k < count);
  memcpy(mean, &one.mean, sizeof one.mean);
  memcpy(m2, &one.m2, sizeof one.m2);
}
