/* Compilers convert a vector of floats piece by piece, which takes longer than the rest of a tile;
 * hence intrinsics.
 *
 * As in moments_f32.c, squares of differences of floats neither overflow nor become subnormal as
 * doubles, and to multiply them by powers of two is exact.  So m2 is kept times 2, where a pair's
 * is the square itself, and a multiplication by a power of two and an addition are one
 * operation. */
#include "moments_tile.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

enum { ROW = RH_MOMENTS_ROW_F32, LINE = 16 /* floats */, AHEAD = 8 /* tiles */ };
#define INLINE static inline __attribute__((always_inline))
/* In the order of the text, which compilers do not keep of __builtin_prefetch(): memory is read
 * much faster if its lines are asked for one after the other. */
#define FETCH(x)    __asm__ volatile("prefetcht0 %0" : : "m"(*(x)))
#define TARGET(set) __attribute__((target(set)))

/* Down to the last eight lanes of a tile: `combine` is of n elements on each side, `pair` of two;
 * `rows` combines rows 0 and 1, 2 and 3, and the two results; then lanes j and j + ROW/2, j + ROW/4
 * and so on. */
#define DEFINE_NODES(width, set, vector, OF, LOAD)                                                 \
  typedef struct node_##width {                                                                    \
    vector mean, m2;                                                                               \
  } node_##width;                                                                                  \
  INLINE TARGET(set) node_##width combine_##width(node_##width a, node_##width b, double n) {      \
    vector d = OF(sub_pd)(b.mean, a.mean), squares = OF(mul_pd)(d, d);                             \
    return (node_##width){OF(fmadd_pd)(d, OF(set1_pd)(0.5), a.mean),                               \
                          OF(fmadd_pd)(squares, OF(set1_pd)(n), OF(add_pd)(a.m2, b.m2))};          \
  }                                                                                                \
  INLINE TARGET(set) node_##width pair_##width(vector a, vector b) {                               \
    vector d = OF(sub_pd)(b, a);                                                                   \
    return (node_##width){OF(fmadd_pd)(d, OF(set1_pd)(0.5), a), OF(mul_pd)(d, d)};                 \
  }                                                                                                \
  INLINE TARGET(set) node_##width rows_##width(const float *x, const float **ahead) {              \
    for (size_t k = 0; k < sizeof(vector) / 32; k++, *ahead += LINE) FETCH(*ahead);                \
    return combine_##width(pair_##width(LOAD(x), LOAD(x + ROW)),                                   \
                           pair_##width(LOAD(x + 2 * ROW), LOAD(x + 3 * ROW)), 2);                 \
  }                                                                                                \
  INLINE TARGET(set) node_##width halves_##width(const float *x, const float **ahead) {            \
    return combine_##width(rows_##width(x, ahead), rows_##width(x + ROW / 2, ahead), 4);           \
  }                                                                                                \
  INLINE TARGET(set) node_##width quarters_##width(const float *x, const float **ahead) {          \
    return combine_##width(halves_##width(x, ahead), halves_##width(x + ROW / 4, ahead), 8);       \
  }                                                                                                \
  INLINE TARGET(set) node_##width eighths_##width(const float *x, const float **ahead) {           \
    return combine_##width(quarters_##width(x, ahead), quarters_##width(x + ROW / 8, ahead), 16);  \
  }                                                                                                \
  INLINE TARGET(set) node_##width lanes_##width(const float *x, const float **ahead) {             \
    return combine_##width(eighths_##width(x, ahead), eighths_##width(x + ROW / 16, ahead), 32);   \
  }

#define LANES_OF_256    "avx2,fma"
#define LANES_OF_512    "avx2,fma,avx512f"
#define LANES_OF_HALVED "avx2,fma,avx512f,avx512vl"
#define OF_256(f)       _mm256_##f
#define OF_512(f)       _mm512_##f
#define OF_HALVED(f)    halved_##f
#define LOAD_256(x)     _mm256_cvtps_pd(_mm_loadu_ps(x))
#define LOAD_512(x)     _mm512_cvtps_pd(_mm256_loadu_ps(x))

/* Two vectors of 256 bits: where vectors of 512 are computed in halves, a conversion to one costs
 * more than two to its halves (AMD EPYC, Zen 4: 69 ns a tile instead of 59); and two chains side by
 * side wait less than one (62 ns). */
typedef struct halved {
  __m256d low, high;
} halved;
#define HALVED_OF(f, a, b) ((halved){OF_256(f)((a).low, (b).low), OF_256(f)((a).high, (b).high)})
INLINE TARGET(LANES_OF_HALVED)
halved halved_add_pd(halved a, halved b) {
  return HALVED_OF(add_pd, a, b);
}
INLINE TARGET(LANES_OF_HALVED)
halved halved_sub_pd(halved a, halved b) {
  return HALVED_OF(sub_pd, a, b);
}
INLINE TARGET(LANES_OF_HALVED)
halved halved_mul_pd(halved a, halved b) {
  return HALVED_OF(mul_pd, a, b);
}
INLINE TARGET(LANES_OF_HALVED)
halved halved_fmadd_pd(halved a, halved b, halved c) {
  return (halved){OF_256(fmadd_pd)(a.low, b.low, c.low), OF_256(fmadd_pd)(a.high, b.high, c.high)};
}
INLINE TARGET(LANES_OF_HALVED)
halved halved_set1_pd(double x) {
  return (halved){_mm256_set1_pd(x), _mm256_set1_pd(x)};
}
INLINE TARGET(LANES_OF_HALVED)
halved load_halved(const float *x) {
  return (halved){LOAD_256(x), LOAD_256(x + 4)};
}

DEFINE_NODES(256, LANES_OF_256, __m256d, OF_256, LOAD_256)
DEFINE_NODES(512, LANES_OF_512, __m512d, OF_512, LOAD_512)
DEFINE_NODES(halved, LANES_OF_HALVED, halved, OF_HALVED, load_halved)

/* Down to the last four. */
INLINE TARGET(LANES_OF_256)
node_256 four_256(const float *x, const float **ahead) {
  return combine_256(lanes_256(x, ahead), lanes_256(x + 4, ahead), 64);
}
INLINE TARGET(LANES_OF_512)
node_256 four_512(const float *x, const float **ahead) {
  const node_512 all = lanes_512(x, ahead);
  const node_256 low = {_mm512_castpd512_pd256(all.mean), _mm512_castpd512_pd256(all.m2)};
  const node_256 high = {_mm512_extractf64x4_pd(all.mean, 1), _mm512_extractf64x4_pd(all.m2, 1)};
  return combine_256(low, high, 64);
}

INLINE TARGET(LANES_OF_HALVED)
node_256 four_halved(const float *x, const float **ahead) {
  const node_halved all = lanes_halved(x, ahead);
  const node_256 low = {all.mean.low, all.m2.low}, high = {all.mean.high, all.m2.high};
  return combine_256(low, high, 64);
}

/* Lanes j and j + 2 of two tiles, which then stand side by side. */
INLINE TARGET(LANES_OF_256)
node_256 two_of(node_256 a, node_256 b) {
  const node_256 low = {_mm256_permute2f128_pd(a.mean, b.mean, 0x20),
                        _mm256_permute2f128_pd(a.m2, b.m2, 0x20)};
  const node_256 high = {_mm256_permute2f128_pd(a.mean, b.mean, 0x31),
                         _mm256_permute2f128_pd(a.m2, b.m2, 0x31)};
  return combine_256(low, high, 128);
}

/* The last two lanes of two and two: to one lane of the first of a, of b, the second of a, of b. */
INLINE TARGET(LANES_OF_256)
node_256 one_of(node_256 a, node_256 b) {
  const node_256 low = {_mm256_unpacklo_pd(a.mean, b.mean), _mm256_unpacklo_pd(a.m2, b.m2)};
  const node_256 high = {_mm256_unpackhi_pd(a.mean, b.mean), _mm256_unpackhi_pd(a.m2, b.m2)};
  return combine_256(low, high, 256);
}

#define DEFINE_FOUR_TILES(width, set)                                                              \
  TARGET(set) static void four_tiles_##width(const float *x, double *mean, double *m2) {           \
    enum { TILE = 4 * ROW };                                                                       \
    const float *from = x + AHEAD * TILE, **ahead = &from;                                         \
    const node_256 even = two_of(four_##width(x, ahead), four_##width(x + 2 * TILE, ahead));       \
    const node_256 odd = two_of(four_##width(x + TILE, ahead), four_##width(x + 3 * TILE, ahead)); \
    const node_256 all = one_of(even, odd);                                                        \
    _mm256_storeu_pd(mean, all.mean);                                                              \
    _mm256_storeu_pd(m2, _mm256_mul_pd(all.m2, _mm256_set1_pd(0.5)));                              \
  }
DEFINE_FOUR_TILES(256, LANES_OF_256)
DEFINE_FOUR_TILES(512, LANES_OF_512)
DEFINE_FOUR_TILES(halved, LANES_OF_HALVED)

rh_moments_four_tiles *rh_moments_wide_by(int kind) {
  int has_256 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  int has_512 = has_256 && __builtin_cpu_supports("avx512f");
  switch (kind) {
  case RH_MOMENTS_256: return has_256 ? four_tiles_256 : 0;
  case RH_MOMENTS_512: return has_512 ? four_tiles_512 : 0;
  default: return has_512 && __builtin_cpu_supports("avx512vl") ? four_tiles_halved : 0;
  }
}

/* Zen 4 is the one of its family that has AVX-512. */
rh_moments_four_tiles *rh_moments_wide(void) {
  int kind = __builtin_cpu_is("amdfam19h") ? RH_MOMENTS_HALVED : RH_MOMENTS_512;
  rh_moments_four_tiles *four_tiles = rh_moments_wide_by(kind);
  return four_tiles ? four_tiles : rh_moments_wide_by(RH_MOMENTS_256);
}
#else
rh_moments_four_tiles *rh_moments_wide_by(int kind) {
  (void)kind;
  return 0;
}
rh_moments_four_tiles *rh_moments_wide(void) {
  return 0;
}
#endif
