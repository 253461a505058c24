/* Compilers convert a vector of floats piece by piece, which takes longer than the rest of a tile;
 * hence intrinsics.
 *
 * Squares of differences of floats neither overflow nor become subnormal as doubles, and to
 * multiply them by powers of two is exact, fused or not.  So m2 is kept times 2, where a
 * pair's is the square itself, and a multiplication by a power of two and an addition are one
 * operation.
 *
 * Half of the operations are conversions, additions and subtractions, the other half
 * multiplications, and processors have units of their own for both halves (AMD EPYC, Zen 4: two and
 * two).  A tile's tree has the first half at its leaves, so computed node by node it leaves either
 * kind of units idle in turns (59 ns a tile instead of 47).  Hence steps: each loads a leaf,
 * combines the rows of the leaf before, and combines two nodes that earlier steps have made, one
 * operation of each in turn.  Step k has a pair of nodes of level L, where L is the number of ones
 * that k ends in: pairs of leaves in every other step, pairs of these in every fourth, and so on.
 * The nodes above a tile's last leaves are combined in the steps of the next tile. */
#include "internal.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

enum { ROW = RH_MOMENTS_ROW_F32, TILE = 4 * ROW, LINE = 16 /* floats */, AHEAD = 4 /* tiles */ };
enum { LEVELS_OF_FOUR = 6, LEVELS_OF_EIGHT = 5 /* of nodes with so many lanes */ };
#define INLINE static inline __attribute__((always_inline))
/* In the order of the text, which compilers do not keep of __builtin_prefetch(): memory is read
 * much faster if its lines are asked for one after the other. */
#define FETCH(x)    __asm__ volatile("prefetcht0 %0" : : "m"(*(x)))
#define TARGET(set) __attribute__((target(set)))

#define SET_256   "avx2,fma"
#define SET_256VL "avx2,fma,avx512f,avx512vl"
#define SET_512   "avx2,fma,avx512f"

/* ---- Four lanes; or eight: a vector of 512 bits, or two of 256 ----
 * Where vectors of 512 are computed in halves, a conversion to one costs more than two to its
 * halves (AMD EPYC, Zen 4: 61 ns a tile instead of 48).  Two of 256 need more registers than AVX2
 * has. */

typedef struct halved {
  __m256d low, high;
} halved;
#define OF_256(f)          _mm256_##f
#define OF_512(f)          _mm512_##f
#define OF_HALVED(f)       halved_##f
#define HALVED_OF(f, a, b) ((halved){OF_256(f)((a).low, (b).low), OF_256(f)((a).high, (b).high)})
INLINE TARGET(SET_256)
__m256d load_256(const float *x) { return _mm256_cvtps_pd(_mm_loadu_ps(x)); }
INLINE TARGET(SET_256)
halved halved_add_pd(halved a, halved b) { return HALVED_OF(add_pd, a, b); }
INLINE TARGET(SET_256)
halved halved_sub_pd(halved a, halved b) { return HALVED_OF(sub_pd, a, b); }
INLINE TARGET(SET_256)
halved halved_mul_pd(halved a, halved b) { return HALVED_OF(mul_pd, a, b); }
INLINE TARGET(SET_256)
halved halved_fmadd_pd(halved a, halved b, halved c) {
  return (halved){OF_256(fmadd_pd)(a.low, b.low, c.low), OF_256(fmadd_pd)(a.high, b.high, c.high)};
}
INLINE TARGET(SET_256)
halved halved_set1_pd(double x) { return (halved){_mm256_set1_pd(x), _mm256_set1_pd(x)}; }
INLINE TARGET(SET_256)
halved load_halved(const float *x) { return (halved){load_256(x), load_256(x + 4)}; }
INLINE TARGET(SET_512)
__m512d load_512(const float *x) { return _mm512_cvtps_pd(_mm256_loadu_ps(x)); }

/* ---- Nodes ----
 * combine: of two nodes of n elements.
 * step: loads the leaf at x, the first rows of which are `row 0` and so on, into *leaf; *rows is
 * the node of the leaf that stood there, four elements in each lane; returns what left and right
 * combine to. */

#define DEFINE_NODES(kind, set, vector, OF)                                                        \
  typedef struct node_##kind {                                                                     \
    vector mean, m2;                                                                               \
  } node_##kind;                                                                                   \
  typedef struct leaf_##kind {                                                                     \
    vector row_0, to_1, row_2, to_3; /* elements, and how far it is to those of the next row */    \
  } leaf_##kind;                                                                                   \
  INLINE TARGET(set) node_##kind combine_##kind(node_##kind a, node_##kind b, double n) {          \
    vector d = OF(sub_pd)(b.mean, a.mean), squares = OF(mul_pd)(d, d);                             \
    return (node_##kind){OF(fmadd_pd)(d, OF(set1_pd)(0.5), a.mean),                                \
                         OF(fmadd_pd)(squares, OF(set1_pd)(n), OF(add_pd)(a.m2, b.m2))};           \
  }
#define DEFINE_STEP(kind, set, vector, OF)                                                         \
  INLINE TARGET(set)                                                                               \
      node_##kind step_##kind(const float *x, const float *ahead, leaf_##kind *leaf,               \
                              node_##kind *rows, node_##kind left, node_##kind right, double n) {  \
    const leaf_##kind was = *leaf;                                                                 \
    const vector half = OF(set1_pd)(0.5);                                                          \
    leaf->row_0 = load_##kind(x);                                                                  \
    const vector first = OF(fmadd_pd)(was.to_1, half, was.row_0);                                  \
    const vector apart = OF(sub_pd)(right.mean, left.mean);                                        \
    const vector row_1 = load_##kind(x + ROW);                                                     \
    const vector second = OF(fmadd_pd)(was.to_3, half, was.row_2);                                 \
    const vector first_m2 = OF(mul_pd)(was.to_1, was.to_1);                                        \
    leaf->to_1 = OF(sub_pd)(row_1, leaf->row_0);                                                   \
    const vector squares = OF(mul_pd)(apart, apart);                                               \
    FETCH(ahead);                                                                                  \
    leaf->row_2 = load_##kind(x + 2 * ROW);                                                        \
    const vector second_m2 = OF(mul_pd)(was.to_3, was.to_3);                                       \
    const vector to_second = OF(sub_pd)(second, first);                                            \
    const vector mean = OF(fmadd_pd)(apart, half, left.mean);                                      \
    const vector m2s = OF(add_pd)(left.m2, right.m2);                                              \
    const vector row_3 = load_##kind(x + 3 * ROW);                                                 \
    const vector m2 = OF(fmadd_pd)(squares, OF(set1_pd)(n), m2s);                                  \
    const vector rows_m2s = OF(add_pd)(first_m2, second_m2);                                       \
    const vector rows_squares = OF(mul_pd)(to_second, to_second);                                  \
    leaf->to_3 = OF(sub_pd)(row_3, leaf->row_2);                                                   \
    if (sizeof(vector) > sizeof(__m256d)) FETCH(ahead + LINE);                                     \
    rows->mean = OF(fmadd_pd)(to_second, half, first);                                             \
    rows->m2 = OF(fmadd_pd)(rows_squares, OF(set1_pd)(2), rows_m2s);                               \
    return (node_##kind){mean, m2};                                                                \
  }
DEFINE_NODES(256, SET_256, __m256d, OF_256)
DEFINE_NODES(halved, SET_256, halved, OF_HALVED)
DEFINE_NODES(512, SET_512, __m512d, OF_512)
DEFINE_STEP(256, SET_256, __m256d, OF_256)
DEFINE_STEP(halved, SET_256, halved, OF_HALVED)
DEFINE_STEP(512, SET_512, __m512d, OF_512)

/* Four lanes: of eight, j and j + 4. */
INLINE TARGET(SET_256)
node_256 four_256(node_256 all) { return all; }
INLINE TARGET(SET_256)
node_256 four_halved(node_halved all) {
  const node_256 low = {all.mean.low, all.m2.low}, high = {all.mean.high, all.m2.high};
  return combine_256(low, high, 64);
}
INLINE TARGET(SET_512)
node_256 four_512(node_512 all) {
  const node_256 low = {_mm512_castpd512_pd256(all.mean), _mm512_castpd512_pd256(all.m2)};
  const node_256 high = {_mm512_extractf64x4_pd(all.mean, 1), _mm512_extractf64x4_pd(all.m2, 1)};
  return combine_256(low, high, 64);
}

/* ---- Steps ---- */

/* Where the k-th leaf of a tile stands: neighbours are ROW/2 apart, pairs of them ROW/4. */
#define AT(k)                                                                                      \
  (64 * ((k)&1) + 32 * ((k) >> 1 & 1) + 16 * ((k) >> 2 & 1) + 8 * ((k) >> 3 & 1) +                 \
   4 * ((k) >> 4 & 1))
_Static_assert(ROW == 128, "AT() is made for it");

/* Nodes of level L wait in made[L], the left one and the right one; those of level 0 are leaves. */
#define STEP(kind, k, L)                                                                           \
  made[(L) + 1][~((k) >> ((L) + 1)) & 1] =                                                         \
      step_##kind(x + AT((k) + 1), ahead + (k)*LINES_OF_##kind, &leaf, &made[0][(k)&1],            \
                  made[L][0], made[L][1], 4 << (L));
/* There is no pair left for the last step, which loads the first leaf of the next tile. */
#define LAST_STEP(kind, k)                                                                         \
  (void)step_##kind(next, ahead + (k)*LINES_OF_##kind, &leaf, &made[0][1], made[0][0], made[0][0], \
                    0);
#define SEVEN_STEPS(kind, k)                                                                       \
  STEP(kind, k, 0)                                                                                 \
  STEP(kind, (k) + 1, 1)                                                                           \
  STEP(kind, (k) + 2, 0)                                                                           \
  STEP(kind, (k) + 3, 2)                                                                           \
  STEP(kind, (k) + 4, 0)                                                                           \
  STEP(kind, (k) + 5, 1)                                                                           \
  STEP(kind, (k) + 6, 0)
/* Once the first half is over there is the node of the tile before, which goes to `at`. */
#define STEPS_OF_EIGHT(kind, at)                                                                   \
  SEVEN_STEPS(kind, 0)                                                                             \
  STEP(kind, 7, 3)                                                                                 \
  put(four_##kind(made[LEVELS_OF_EIGHT - 1][1]), at, tiles, mean, m2);                             \
  SEVEN_STEPS(kind, 8)                                                                             \
  LAST_STEP(kind, 15)
#define STEPS_OF_FOUR(kind, at)                                                                    \
  SEVEN_STEPS(kind, 0)                                                                             \
  STEP(kind, 7, 3)                                                                                 \
  SEVEN_STEPS(kind, 8)                                                                             \
  STEP(kind, 15, 4)                                                                                \
  put(four_##kind(made[LEVELS_OF_FOUR - 1][1]), at, tiles, mean, m2);                              \
  SEVEN_STEPS(kind, 16)                                                                            \
  STEP(kind, 23, 3)                                                                                \
  SEVEN_STEPS(kind, 24)                                                                            \
  LAST_STEP(kind, 31)
enum { LINES_OF_256 = LINE, LINES_OF_halved = 2 * LINE, LINES_OF_512 = 2 * LINE };

/* Four lanes to `at` and on, as rh_moments_tiles has them. */
INLINE TARGET(SET_256) void put(node_256 four, uint64_t at, uint64_t tiles, double *mean,
                                double *m2) {
  double means[RH_MOMENTS_WIDE_LANES], m2s[RH_MOMENTS_WIDE_LANES];
  _mm256_storeu_pd(means, four.mean);
  _mm256_storeu_pd(m2s, _mm256_mul_pd(four.m2, _mm256_set1_pd(0.5)));
  for (uint64_t l = 0; l < RH_MOMENTS_WIDE_LANES; l++, at += tiles) {
    mean[at] = means[l];
    m2[at] = m2s[l];
  }
}

/* A tile is put where it belongs in the steps of the next tile, or at the end.  The first tile's
 * steps combine zeros before, and what they make is written over. */
#define DEFINE_TILES(name, set, kind, count)                                                       \
  TARGET(set) static void tiles_##name(const float *x, uint64_t tiles, double *mean, double *m2) { \
    node_##kind made[LEVELS_##count][2], zero = {0};                                               \
    for (int L = 0; L + 1 < LEVELS_##count; L++) made[L][L == 0] = zero;                           \
    leaf_##kind leaf = {0};                                                                        \
    (void)step_##kind(x, x + LINE, &leaf, &made[0][0], made[0][0], made[0][0], 0);                 \
    for (uint64_t t = 0; t < tiles; t++, x += TILE) {                                              \
      const float *next = t + 1 < tiles ? x + TILE : x, *ahead = x + AHEAD * TILE;                 \
      STEPS_##count(kind, t ? rh_bits_reversed(t - 1, tiles) : 0)                                  \
    }                                                                                              \
    for (int L = 0; L + 1 < LEVELS_##count; L++)                                                   \
      made[L + 1][1] = combine_##kind(made[L][0], made[L][1], 4 << L);                             \
    put(four_##kind(made[LEVELS_##count - 1][1]), tiles - 1, tiles, mean, m2);                     \
  }
DEFINE_TILES(256, SET_256, 256, OF_FOUR)
DEFINE_TILES(256vl, SET_256VL, halved, OF_EIGHT)
DEFINE_TILES(512, SET_512, 512, OF_EIGHT)

rh_moments_tiles *rh_moments_wide_by(int kind) {
  int has_256 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  int has_512 = has_256 && __builtin_cpu_supports("avx512f");
  switch (kind) {
  case RH_MOMENTS_256: return has_256 ? tiles_256 : 0;
  case RH_MOMENTS_512: return has_512 ? tiles_512 : 0;
  default: return has_512 && __builtin_cpu_supports("avx512vl") ? tiles_256vl : 0;
  }
}

/* Zen 4 is the one of its family that has AVX-512. */
rh_moments_tiles *rh_moments_wide(void) {
  int kind = __builtin_cpu_is("amdfam19h") ? RH_MOMENTS_256VL : RH_MOMENTS_512;
  rh_moments_tiles *tiles = rh_moments_wide_by(kind);
  return tiles ? tiles : rh_moments_wide_by(RH_MOMENTS_256);
}
#else
rh_moments_tiles *rh_moments_wide_by(int kind) {
  (void)kind;
  return 0;
}
rh_moments_tiles *rh_moments_wide(void) { return 0; }
#endif
