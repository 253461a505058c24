/* Floats in the canonical order of docs/inside/bits.md, whatever the width of a vector: their
 * lanes, the values of whole tiles and of the last one, and of any number of elements.
 * lanes_sums.h and lanes_forms.h say of what. */
#ifndef NATIVE_LANES_TILES_H
#define NATIVE_LANES_TILES_H

#include "lanes_rows.h"

#ifndef HALVES
/* As rh_native_half. */
static inline v_f32 halves(const e_u16 *p) {
  v_u32 bits = {p[0], p[1], p[2], p[3]};
  v_u32 sign = (bits & 0x8000u) << 16, magnitude = bits & 0x7fffu;
  v_u32 small = (v_u32)(magnitude < 0x400u), infinite = (v_u32)(magnitude >= 0x7c00u);
  v_u32 scaled = (v_u32)(__builtin_convertvector((v_i32)magnitude, v_f32) * 0x1p-24f);
  v_u32 rest = (magnitude << 13) + (112u << 23);
  return (v_f32)(sign | (small & scaled) | (~small & rest) | (infinite & 0x7f800000u));
}
#define HALVES(p) halves(p)
#endif
#define LOAD_f16(p) HALVES(p)
#define LOAD_f32(p) LOAD(f32, p)
#define LOAD_f64(p) LOAD(f64, p)
/* Floats of 32 bits as 64. */
typedef e_f32 in_wide __attribute__((vector_size(LANES_BYTES / 2), may_alias, aligned(1)));
#define LOAD_wide(p)  __builtin_convertvector(*(const in_wide *)(const void *)(p), v_f64)
#define UNSIGN_f32(x) ((v_f32)((v_u32)(x)&0x7fffffffu))
#define UNSIGN_f64(x) ((v_f64)((v_u64)(x) & ~TOP(64)))

/* A tile takes the elements at p themselves, or what a form makes of them and of those at q, which
 * stand `beside` bytes behind. */
#define BESIDE(p)              ((const unsigned char *)(p) + beside)
#define SAME(type, lane, p, q) LOAD_##type(p)

#define ADD(a, b)      ((a) + (b))
#define MULTIPLY(a, b) ((a) * (b))

/* The upper half of a vector's lanes onto the lower half, down to one. */
typedef e_f32 w32_f32 __attribute__((vector_size(32), may_alias));
typedef e_f64 w32_f64 __attribute__((vector_size(32), may_alias));
typedef e_f32 w16_f32 __attribute__((vector_size(16), may_alias));
typedef e_f64 w16_f64 __attribute__((vector_size(16), may_alias));
#define LAST_f32(APPLY, x) APPLY(APPLY((x)[0], (x)[2]), APPLY((x)[1], (x)[3]))
#define LAST_f64(APPLY, x) APPLY((x)[0], (x)[1])
#if LANES_BYTES == 64
#define HALVE(lane, APPLY)                                                                         \
  union {                                                                                          \
    v_##lane all;                                                                                  \
    w32_##lane part[2];                                                                            \
  } wide = {x};                                                                                    \
  union {                                                                                          \
    w32_##lane all;                                                                                \
    w16_##lane part[2];                                                                            \
  } half = {APPLY(wide.part[0], wide.part[1])};                                                    \
  w16_##lane least = APPLY(half.part[0], half.part[1]);
#elif LANES_BYTES == 32
#define HALVE(lane, APPLY)                                                                         \
  union {                                                                                          \
    v_##lane all;                                                                                  \
    w16_##lane part[2];                                                                            \
  } half = {x};                                                                                    \
  w16_##lane least = APPLY(half.part[0], half.part[1]);
#else
#define HALVE(lane, APPLY) w16_##lane least = x;
#endif
#define DEFINE_HALVE(name, lane, APPLY)                                                            \
  LANES_TARGET static inline e_##lane name##_##lane(v_##lane x) {                                  \
    HALVE(lane, APPLY)                                                                             \
    return LAST_##lane(APPLY, least);                                                              \
  }
DEFINE_HALVE(add_lanes, f32, ADD)
DEFINE_HALVE(add_lanes, f64, ADD)
DEFINE_HALVE(multiply_lanes, f32, MULTIPLY)
DEFINE_HALVE(multiply_lanes, f64, MULTIPLY)

/* The values of whole tiles: rows 0 and 1, rows 2 and 3, and these two; then the upper half of the
 * lanes onto the lower half, down to one.  A tile is read from its begin to its end, or ACROSS
 * vectors of each row in turn where a row has more of them: loads that jump between rows take twice
 * as long (AMD EPYC, Zen 5).
 *
 * MORE_ACROSS vectors do not all have a register under AVX2.  Yet by it sums of f16, whose vectors
 * have half as many bytes, take 0.87 of the time from memory, and sums of products, which jump
 * between operands as well, 0.9 of it from 2^16 elements on.  Other sums take 0.95 of it from a
 * cache, but 1.04 from memory (Zen 3). */
#ifdef LANES_REGISTERS
enum { ACROSS = LANES_REGISTERS / 2, MORE_ACROSS = ACROSS };
#elif LANES_BYTES == 32
enum { ACROSS = 8, MORE_ACROSS = 16 };
#else
enum { ACROSS = 8, MORE_ACROSS = ACROSS };
#endif
enum { BATCH = 64 /* tiles */, TILES_OF_A_PAGE = PAGE_BYTES / NATIVE_TILE_BYTES };

/* The k-th tile that is read, where whole batches are read in several pages in turn. */
static inline uint64_t tile_of_walk(uint64_t k, unsigned pages) {
  uint64_t side_by_side = (uint64_t)pages * TILES_OF_A_PAGE, at = k % side_by_side;
  return k - at + at % pages * TILES_OF_A_PAGE + at / pages;
}

#define IN_THIS_ORDER __asm__ volatile("" ::: "memory") /* the compiler moves no load past this */
/* Keeps a pointer in a register: compilers would keep, or spill, the distance of every vector from
 * its partner. */
#define ON_ITS_OWN(pointer) __asm__("" : "+r"(pointer))
/* The loads before come first.  Where registers are few, the vectors they went to are named, for
 * past a barrier of all memory GCC keeps these in memory, too: sums then take 1.5 times as long in
 * a cache (AVX2). */
#if LANES_BYTES == 64 || defined(LANES_REGISTERS)
#define ROW_IS_LOADED(v) IN_THIS_ORDER
#else
#define ROW_IS_LOADED(v)                                                                           \
  EACH(k, STEP) LOADED_ONCE(v[k]);                                                                 \
  ON_ITS_OWN(x);                                                                                   \
  ON_ITS_OWN(y)
#endif
/* Stored once, so that no vector in use is. */
#define IN_MEMORY(v) __asm__("" : "+m"(v))

/* Loads at x and y from here on wait for v: what is added to both is 0, but the processor learns
 * that from v alone.  So it reads two rows at a time, 16 lines, and not as many as it has room for.
 * From memory, by two threads of an AMD EPYC (Zen 4), sums of f32 and f64 take 0.88 to 0.97 of the
 * time so, as long as a loop of one chain of additions, which does not read far ahead either.  From
 * its caches they take 1.2 to 2 times as long, and dot, which reads two streams, 1.15 from memory.
 */
#ifdef LANES_REGISTERS
enum { CAN_STEP = 1 };
#define IN_STEP_WITH(v)                                                                            \
  do {                                                                                             \
    int64_t none = ((v_i64)(v))[0];                                                                \
    __asm__("and $0, %0" : "+r"(none));                                                            \
    x = (const void *)((const unsigned char *)x + none);                                           \
    y = (const void *)((const unsigned char *)y + none);                                           \
  } while (0)
#else
enum { CAN_STEP = 0 };
#define IN_STEP_WITH(v) (void)0
#endif

/* STEP vectors of each of a tile's rows, from element `at` of *from and *and_of on; `across` at
 * most.  in_step: of two rows at a time.  `across` and in_step are constants. */
#define DEFINE_COLUMNS(op, type, element, lane, TAKE, APPLY, across)                               \
  LANES_TARGET INLINE void op##_##type##_columns(                                                  \
      const e_##element **from, const e_##element **and_of, int at, v_##lane *a, int in_step) {    \
    enum {                                                                                         \
      WIDTH = LANES_BYTES / sizeof(e_##lane),                                                      \
      ROW_OF = NATIVE_ROW_BYTES / sizeof(e_##element),                                             \
      STEP = ROW_OF / WIDTH < across ? ROW_OF / WIDTH : across                                     \
    };                                                                                             \
    const e_##element *x = *from + at * WIDTH, *y = *and_of + at * WIDTH;                          \
    v_##lane b[STEP];                                                                              \
    EACH(k, STEP) a[k] = TAKE(type, lane, x + k * WIDTH, y + k * WIDTH);                           \
    ROW_IS_LOADED(a);                                                                              \
    EACH(k, STEP)                                                                                  \
    a[k] = APPLY(a[k], TAKE(type, lane, x + ROW_OF + k * WIDTH, y + ROW_OF + k * WIDTH));          \
    ROW_IS_LOADED(a);                                                                              \
    if (in_step) IN_STEP_WITH(a[0]);                                                               \
    EACH(k, STEP)                                                                                  \
    b[k] = TAKE(type, lane, x + 2 * ROW_OF + k * WIDTH, y + 2 * ROW_OF + k * WIDTH);               \
    ROW_IS_LOADED(b);                                                                              \
    EACH(k, STEP)                                                                                  \
    b[k] = APPLY(b[k], TAKE(type, lane, x + 3 * ROW_OF + k * WIDTH, y + 3 * ROW_OF + k * WIDTH));  \
    ROW_IS_LOADED(b);                                                                              \
    if (in_step) IN_STEP_WITH(b[0]);                                                               \
    EACH(k, STEP) a[k] = APPLY(a[k], b[k]);                                                        \
    if (in_step) *from = x - at * WIDTH, *and_of = y - at * WIDTH;                                 \
    (void)y;                                                                                       \
  }

/* Columns of the second half of a row are combined at once with those of the first. */
#define DEFINE_TILES(op, type, element, lane, TAKE, APPLY, lanes_of, across)                       \
  DEFINE_COLUMNS(op, type, element, lane, TAKE, APPLY, across)                                     \
  LANES_TARGET INLINE e_##lane op##_##type##_whole(const e_##element **from,                       \
                                                   const e_##element **and_of, int in_step) {      \
    enum {                                                                                         \
      WIDTH = LANES_BYTES / sizeof(e_##lane),                                                      \
      ROW_OF = NATIVE_ROW_BYTES / sizeof(e_##element),                                             \
      MANY = ROW_OF / WIDTH,                                                                       \
      STEP = MANY < across ? MANY : across,                                                        \
      KEPT = MANY > STEP ? MANY / 2 : MANY                                                         \
    };                                                                                             \
    v_##lane a[KEPT], b[STEP];                                                                     \
    for (int at = 0; at < KEPT; at += STEP) {                                                      \
      op##_##type##_columns(from, and_of, at, a + at, in_step);                                    \
      if (KEPT < MANY) EACH(k, STEP) IN_MEMORY(a[at + k]);                                         \
    }                                                                                              \
    for (int at = KEPT; at < MANY; at += STEP) {                                                   \
      op##_##type##_columns(from, and_of, at, b, in_step);                                         \
      EACH(k, STEP) a[at - KEPT + k] = APPLY(a[at - KEPT + k], b[k]);                              \
    }                                                                                              \
    UNROLLED for (int half = KEPT / 2; half > 4; half /= 2) EACH(k, half) a[k] =                   \
        APPLY(a[k], a[k + half]);                                                                  \
    EACH(k, 4) a[k] = APPLY(a[k], a[k + 4]);                                                       \
    a[0] = APPLY(APPLY(a[0], a[2]), APPLY(a[1], a[3]));                                            \
    return lanes_of##_##lane(a[0]);                                                                \
  }                                                                                                \
  LANES_TARGET static void op##_##type##_tiles(const void *elements, intptr_t beside,              \
                                               uint64_t tiles, unsigned pages, e_##lane *nodes) {  \
    const uint64_t tile_of = NATIVE_TILE_BYTES / sizeof(e_##element);                              \
    const e_##element *x = elements, *y = (const e_##element *)(const void *)BESIDE(x);            \
    if (pages == NATIVE_IN_STEP && CAN_STEP) {                                                     \
      for (uint64_t tile = 0; tile < tiles; tile++, x += tile_of, y += tile_of)                    \
        nodes[tile] = op##_##type##_whole(&x, &y, 1);                                              \
      return;                                                                                      \
    }                                                                                              \
    if (pages > 1 && tiles % (pages * TILES_OF_A_PAGE) != 0) pages = 1;                            \
    for (uint64_t turn = 0; turn < tiles; turn++) {                                                \
      uint64_t tile = pages > 1 ? tile_of_walk(turn, pages) : turn;                                \
      x = (const e_##element *)elements + tile * tile_of;                                          \
      y = (const e_##element *)(const void *)BESIDE(x);                                            \
      (void)y;                                                                                     \
      ON_ITS_OWN(y);                                                                               \
      nodes[tile] = op##_##type##_whole(&x, &y, 0);                                                \
    }                                                                                              \
  }

/* The vector at element `at`, a constant, of a row of which `left` elements exist; `rest`, a
 * constant, stands for the others. */
#if LANES_BYTES == 64 || defined LANES_REGISTERS
/* A bit for each of a row's elements from `at` on that exists: one mask for 64 of them, shifted,
 * for a mask of each vector's own would take longer than the additions. */
INLINE uint64_t ones_from(int at, int64_t left) {
  left -= at / 64 * 64;
  uint64_t ones = left >= 64 ? UINT64_MAX : left > 0 ? ((uint64_t)1 << left) - 1 : 0;
  return ones >> at % 64;
}
#if LANES_BYTES == 64
LANES_TARGET INLINE v_f32 load_some_f32(const e_f32 *row, int at, int64_t left, float rest) {
  __mmask16 ones = (__mmask16)ones_from(at, left);
  return (v_f32)_mm512_mask_loadu_ps(_mm512_set1_ps(rest), ones, row + at);
}
LANES_TARGET INLINE v_f64 load_some_f64(const e_f64 *row, int at, int64_t left, double rest) {
  __mmask8 ones = (__mmask8)ones_from(at, left);
  return (v_f64)_mm512_mask_loadu_pd(_mm512_set1_pd(rest), ones, row + at);
}
LANES_TARGET INLINE v_f32 load_some_f16(const e_u16 *row, int at, int64_t left, e_u16 rest) {
  __mmask16 ones = (__mmask16)ones_from(at, left);
  return (v_f32)_mm512_cvtph_ps(
      _mm256_mask_loadu_epi16(_mm256_set1_epi16((int16_t)rest), ones, row + at));
}
#else
LANES_TARGET INLINE v_f32 load_some_f32(const e_f32 *row, int at, int64_t left, float rest) {
  __mmask8 ones = (__mmask8)ones_from(at, left);
  return (v_f32)_mm256_mask_loadu_ps(_mm256_set1_ps(rest), ones, row + at);
}
LANES_TARGET INLINE v_f64 load_some_f64(const e_f64 *row, int at, int64_t left, double rest) {
  __mmask8 ones = (__mmask8)(ones_from(at, left) & 0xf);
  return (v_f64)_mm256_mask_loadu_pd(_mm256_set1_pd(rest), ones, row + at);
}
LANES_TARGET INLINE v_f32 load_some_f16(const e_u16 *row, int at, int64_t left, e_u16 rest) {
  __mmask8 ones = (__mmask8)ones_from(at, left);
  return (v_f32)_mm256_cvtph_ps(
      _mm_mask_loadu_epi16(_mm_set1_epi16((int16_t)rest), ones, row + at));
}
#endif
#endif
#define DEFINE_LOAD_SOME(type, element, lane)                                                      \
  LANES_TARGET INLINE v_##lane load_some_##type(const e_##element *row, int at, int64_t left,      \
                                                e_##element rest) {                                \
    enum { WIDTH = LANES_BYTES / sizeof(e_##lane) };                                               \
    e_##element some[WIDTH];                                                                       \
    if (left - at >= WIDTH) return LOAD_##type(row + at);                                          \
    for (int k = 0; k < WIDTH; k++) some[k] = at + k < left ? row[at + k] : rest;                  \
    return LOAD_##type(some);                                                                      \
  }
DEFINE_LOAD_SOME(wide, f32, f64)
#if LANES_BYTES != 64 && !defined LANES_REGISTERS
DEFINE_LOAD_SOME(f16, u16, f32)
#if LANES_BYTES == 32
/* AVX2 compares the elements' numbers with `left`, without a branch; what does not exist is 0. */
LANES_TARGET INLINE v_f32 load_some_f32(const e_f32 *row, int at, int64_t left, float rest) {
  __m256i first = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  __m256i ones = _mm256_cmpgt_epi32(_mm256_set1_epi32((int)left - at), first);
  __m256 some = _mm256_maskload_ps(row + at, ones);
  return (v_f32)_mm256_or_ps(some, _mm256_andnot_ps((__m256)ones, _mm256_set1_ps(rest)));
}
LANES_TARGET INLINE v_f64 load_some_f64(const e_f64 *row, int at, int64_t left, double rest) {
  __m256i first = _mm256_setr_epi64x(0, 1, 2, 3);
  __m256i ones = _mm256_cmpgt_epi64(_mm256_set1_epi64x(left - at), first);
  __m256d some = _mm256_maskload_pd(row + at, ones);
  return (v_f64)_mm256_or_pd(some, _mm256_andnot_pd((__m256d)ones, _mm256_set1_pd(rest)));
}
#else
DEFINE_LOAD_SOME(f32, f32, f32)
DEFINE_LOAD_SOME(f64, f64, f64)
#endif
#endif

/* TAKE of a vector in which the elements of x and y end.  Lanes without an element have -0, the
 * identity of a sum, which is -0 * +0; or +0, where no term is negative. */
#define NEGATIVE_ZERO_f16                       0x8000
#define NEGATIVE_ZERO_f32                       -0.0f
#define NEGATIVE_ZERO_f64                       -0.0
#define NEGATIVE_ZERO_wide                      -0.0f
#define SOME_SAME(type, lane, x, y, at, left)   load_some_##type(x, at, left, NEGATIVE_ZERO_##type)
#define SOME_UNSIGN(type, lane, x, y, at, left) UNSIGN_##lane(load_some_##type(x, at, left, 0))
#define SOME_PRODUCT(type, lane, x, y, at, left)                                                   \
  (load_some_##type(x, at, left, NEGATIVE_ZERO_##type) * load_some_##type(y, at, left, 0))
#define SOME_DIFFERENCE(type, x, y, at, left)                                                      \
  (load_some_##type(x, at, left, 0) - load_some_##type(y, at, left, 0))
#define SOME_DISTANCE(type, lane, x, y, at, left)                                                  \
  UNSIGN_##lane(SOME_DIFFERENCE(type, x, y, at, left))
#define SOME_SQUARE(type, lane, x, y, at, left) square_##lane(SOME_DIFFERENCE(type, x, y, at, left))

/* The tile that the data end in: at least one element, and at most a tile.  last: its row that they
 * end in; many: the vectors of a row that have elements, or more, a power of two.  Both are
 * constants.  Vectors without elements are left out: combining with the identity changes nothing.
 * SOME_TAKE is TAKE where the data end. */
#define DEFINE_LAST_TILE(op, type, element, lane, TAKE, SOME_TAKE, APPLY, lanes_of)                \
  LANES_TARGET INLINE e_##lane op##_##type##_rows(const e_##element *x, const e_##element *y,      \
                                                  uint64_t n, int last, int many) {                \
    enum {                                                                                         \
      WIDTH = LANES_BYTES / sizeof(e_##lane),                                                      \
      ROW_OF = NATIVE_ROW_BYTES / sizeof(e_##element),                                             \
      MANY = ROW_OF / WIDTH                                                                        \
    };                                                                                             \
    int64_t left = (int64_t)n - last * ROW_OF;                                                     \
    v_##lane a[MANY];                                                                              \
    (void)y;                                                                                       \
    UNROLLED for (int k = 0; k < many; k++) {                                                      \
      const e_##element *p = x + k * WIDTH, *q = y + k * WIDTH;                                    \
      v_##lane end = SOME_TAKE(type, lane, x + last * ROW_OF, y + last * ROW_OF, k * WIDTH, left); \
      (void)q;                                                                                     \
      if (last > 2) end = APPLY(TAKE(type, lane, p + 2 * ROW_OF, q + 2 * ROW_OF), end);            \
      a[k] = end;                                                                                  \
      if (last > 0) a[k] = TAKE(type, lane, p, q);                                                 \
      if (last > 1) a[k] = APPLY(a[k], TAKE(type, lane, p + ROW_OF, q + ROW_OF));                  \
      if (last > 0) a[k] = APPLY(a[k], end);                                                       \
    }                                                                                              \
    UNROLLED for (int half = many / 2; half > 0; half /= 2) {                                      \
      EACH(k, half) a[k] = APPLY(a[k], a[k + half]);                                               \
    }                                                                                              \
    return lanes_of##_##lane(a[0]);                                                                \
  }                                                                                                \
  LANES_TARGET static e_##lane op##_##type##_last(const e_##element *x, intptr_t beside,           \
                                                  uint64_t n) {                                    \
    enum { WIDTH = LANES_BYTES / sizeof(e_##lane), ROW_OF = NATIVE_ROW_BYTES / sizeof(*x) };       \
    const int many = ROW_OF / WIDTH;                                                               \
    const e_##element *y = (const e_##element *)(const void *)BESIDE(x);                           \
    if (n <= WIDTH) return op##_##type##_rows(x, y, n, 0, 1);                                      \
    if (n <= many / 4 * WIDTH) return op##_##type##_rows(x, y, n, 0, many / 4);                    \
    switch ((n - 1) / ROW_OF) {                                                                    \
    case 0: return op##_##type##_rows(x, y, n, 0, many);                                           \
    case 1: return op##_##type##_rows(x, y, n, 1, many);                                           \
    case 2: return op##_##type##_rows(x, y, n, 2, many);                                           \
    default: return op##_##type##_rows(x, y, n, 3, many);                                          \
    }                                                                                              \
  }

/* Not inlined: a call on a few elements would save its registers. */
#define APART __attribute__((noinline))

/* Neighbours, pairs of neighbours, and so on; one that is alone stays as it is.  Batches of tiles
 * are a binary counter's: nodes[k] combines 2^k of them where bit k of their number is set. */
#define DEFINE_FLOAT(op, type, element, lane, TAKE, APPLY, lanes_of, across)                       \
  DEFINE_TILES(op, type, element, lane, TAKE, APPLY, lanes_of, across)                             \
  /* Of 1 to 4 nodes.  A loop would wait for each of its levels to be stored and loaded. */        \
  LANES_TARGET INLINE e_##lane op##_##type##_few(const e_##lane *nodes, uint64_t count) {          \
    switch (count) {                                                                               \
    case 1: return nodes[0];                                                                       \
    case 2: return APPLY(nodes[0], nodes[1]);                                                      \
    case 3: return APPLY(APPLY(nodes[0], nodes[1]), nodes[2]);                                     \
    default: return APPLY(APPLY(nodes[0], nodes[1]), APPLY(nodes[2], nodes[3]));                   \
    }                                                                                              \
  }                                                                                                \
  LANES_TARGET static e_##lane op##_##type##_batch(const e_##element *x, intptr_t beside,          \
                                                   uint64_t n, unsigned pages) {                   \
    const uint64_t tile = NATIVE_TILE_BYTES / sizeof(e_##element);                                 \
    uint64_t whole = n / tile, count = whole + (n % tile != 0);                                    \
    e_##lane nodes[BATCH];                                                                         \
    op##_##type##_tiles(x, beside, whole, pages, nodes);                                           \
    if (count > whole) nodes[whole] = op##_##type##_last(x + whole * tile, beside, n % tile);      \
    for (; count > 8; count = (count + 1) / 2) {                                                   \
      for (uint64_t k = 0; k < count / 2; k++) nodes[k] = APPLY(nodes[2 * k], nodes[2 * k + 1]);   \
      if (count % 2 != 0) nodes[count / 2] = nodes[count - 1];                                     \
    }                                                                                              \
    if (count <= 4) return op##_##type##_few(nodes, count);                                        \
    return APPLY(op##_##type##_few(nodes, 4), op##_##type##_few(nodes + 4, count - 4));            \
  }                                                                                                \
  LANES_TARGET APART static e_##lane op##_##type##_batches(const e_##element *x, intptr_t beside,  \
                                                           uint64_t n, unsigned pages) {           \
    const uint64_t most = BATCH * (uint64_t)NATIVE_TILE_BYTES / sizeof(*x);                        \
    e_##lane nodes[64], node;                                                                      \
    uint64_t batches = 0, k;                                                                       \
    for (; n > most; n -= most, x += most, batches++) {                                            \
      node = op##_##type##_batch(x, beside, most, pages);                                          \
      for (k = 0; batches >> k & 1; k++) node = APPLY(nodes[k], node);                             \
      nodes[k] = node;                                                                             \
    }                                                                                              \
    node = op##_##type##_batch(x, beside, n, pages);                                               \
    for (k = 0; batches >> k != 0; k++)                                                            \
      if (batches >> k & 1) node = APPLY(nodes[k], node);                                          \
    return node;                                                                                   \
  }                                                                                                \
  LANES_TARGET static void op##_##type##_all(const void *elements, intptr_t beside, uint64_t n,    \
                                             unsigned pages, void *value) {                        \
    const e_##element *x = elements;                                                               \
    const uint64_t tile = NATIVE_TILE_BYTES / sizeof(*x);                                          \
    e_##lane node = n <= tile           ? op##_##type##_last(x, beside, n)                         \
                    : n <= BATCH * tile ? op##_##type##_batch(x, beside, n, pages)                 \
                                        : op##_##type##_batches(x, beside, n, pages);              \
    memcpy(value, &node, sizeof node);                                                             \
  }

#endif
