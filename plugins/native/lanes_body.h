/* The inner loops, written once for all widths.  The including file defines LANES_BYTES, the width
 * of a vector; LANES_TARGET, the target of the functions; LANES_TABLE, the name of their table; and
 * LANES_REGISTERS, how many vectors the processor holds, if those are 32 of 32 bytes.
 *
 * GCC's and clang's vector extensions make this compile everywhere.  Operations that they cannot
 * express in one instruction (the smaller of two, a sum of bytes) are intrinsics if the processor
 * has them.  An array of accumulators stays in registers if the loops over it are unrolled.
 *
 * Loads are unaligned: float sums must not depend on the data's alignment, and on aligned data
 * unaligned loads cost nothing. */
#include "lanes.h"

#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define PASTE_(a, b) a##b
#define PASTE(a, b)  PASTE_(a, b)
#ifdef __clang__
#define EACH(k, n) _Pragma("unroll") for (int k = 0; k < (n); k++)
#else
#define EACH(k, n) _Pragma("GCC unroll 16") for (int k = 0; k < (n); k++)
#endif
/* Clang unrolls these loops, whose ends depend on the data, by its own judgement or not at all. */
#ifdef __clang__
#define UNROLLED
#else
#define UNROLLED _Pragma("GCC unroll 16")
#endif
#define EACH_LANE(k, n) for (int k = 0; k < (n); k++)
#define INLINE          static inline __attribute__((always_inline))

/* v_: a vector; in_: an unaligned vector in memory; e_: an element in memory. */
#define VECTOR(name, element)                                                                      \
  typedef element v_##name __attribute__((vector_size(LANES_BYTES), may_alias));                   \
  typedef element in_##name __attribute__((vector_size(LANES_BYTES), may_alias, aligned(1)));      \
  typedef element e_##name __attribute__((may_alias));
VECTOR(i8, int8_t)
VECTOR(u8, uint8_t)
VECTOR(i16, int16_t)
VECTOR(u16, uint16_t)
VECTOR(i32, int32_t)
VECTOR(u32, uint32_t)
VECTOR(i64, int64_t)
VECTOR(u64, uint64_t)
VECTOR(f32, float)
VECTOR(f64, double)

#define LOAD(type, p)  (*(const in_##type *)(const void *)(p))
#define SPLAT(type, x) ((x) - (v_##type){0}) /* x - 0 is x, for -0 too */

/* ---- Operations that a processor has as one instruction ---- */

#if LANES_BYTES == 64
#define INTRINSIC(f, type, a, b) ((v_##type)PASTE(_mm512_, f)((__m512i)(a), (__m512i)(b)))
#define SUM_OF_BYTES(x)          ((v_u64)_mm512_sad_epu8((__m512i)(x), _mm512_setzero_si512()))
#define ANY(x)                   (_mm512_test_epi64_mask((__m512i)(x), (__m512i)(x)) != 0)
#define HALVES(p)                ((v_f32)_mm512_cvtph_ps(_mm256_loadu_si256((const void *)(p))))
#elif LANES_BYTES == 32
#define INTRINSIC(f, type, a, b) ((v_##type)PASTE(_mm256_, f)((__m256i)(a), (__m256i)(b)))
#define SUM_OF_BYTES(x)          ((v_u64)_mm256_sad_epu8((__m256i)(x), _mm256_setzero_si256()))
#define ANY(x)                   (!_mm256_testz_si256((__m256i)(x), (__m256i)(x)))
#define HALVES(p)                ((v_f32)_mm256_cvtph_ps(_mm_loadu_si128((const void *)(p))))
#else
#define ANY(x) ((((v_u64)(x))[0] | ((v_u64)(x))[1]) != 0)
#if defined(__SSE2__)
#define SUM_OF_BYTES(x) ((v_u64)_mm_sad_epu8((__m128i)(x), _mm_setzero_si128()))
#endif
#endif

#define BLEND(type, mask, a, b)                                                                    \
  ((v_##type)(((v_u8)(mask) & (v_u8)(a)) | (~(v_u8)(mask) & (v_u8)(b))))
#define BLEND_MIN(type, a, b) BLEND(type, (b) < (a), b, a)
#define BLEND_MAX(type, a, b) BLEND(type, (b) > (a), b, a)

#if LANES_BYTES == 16
#define LEAST_OF(type, suffix, a, b) BLEND_MIN(type, a, b)
#define MOST_OF(type, suffix, a, b)  BLEND_MAX(type, a, b)
#else
#define LEAST_OF(type, suffix, a, b) INTRINSIC(min_##suffix, type, a, b)
#define MOST_OF(type, suffix, a, b)  INTRINSIC(max_##suffix, type, a, b)
#endif
/* For 64-bit numbers, only AVX-512 has them. */
#if LANES_BYTES == 64
#define LEAST_OF_64 LEAST_OF
#define MOST_OF_64  MOST_OF
#else
#define LEAST_OF_64(type, suffix, a, b) BLEND_MIN(type, a, b)
#define MOST_OF_64(type, suffix, a, b)  BLEND_MAX(type, a, b)
#endif

#define LEAST_i8(a, b)  LEAST_OF(i8, epi8, a, b)
#define LEAST_u8(a, b)  LEAST_OF(u8, epu8, a, b)
#define LEAST_i16(a, b) LEAST_OF(i16, epi16, a, b)
#define LEAST_u16(a, b) LEAST_OF(u16, epu16, a, b)
#define LEAST_i32(a, b) LEAST_OF(i32, epi32, a, b)
#define LEAST_u32(a, b) LEAST_OF(u32, epu32, a, b)
#define LEAST_i64(a, b) LEAST_OF_64(i64, epi64, a, b)
#define LEAST_u64(a, b) LEAST_OF_64(u64, epu64, a, b)
#define MOST_i8(a, b)   MOST_OF(i8, epi8, a, b)
#define MOST_u8(a, b)   MOST_OF(u8, epu8, a, b)
#define MOST_i16(a, b)  MOST_OF(i16, epi16, a, b)
#define MOST_u16(a, b)  MOST_OF(u16, epu16, a, b)
#define MOST_i32(a, b)  MOST_OF(i32, epi32, a, b)
#define MOST_u32(a, b)  MOST_OF(u32, epu32, a, b)
#define MOST_i64(a, b)  MOST_OF_64(i64, epi64, a, b)
#define MOST_u64(a, b)  MOST_OF_64(u64, epu64, a, b)

/* ---- Rows: adjacent vectors that are loaded together ----
 * A processor prefetches in several pages of memory at a time, but never past the end of a page, so
 * some read faster from memory in `pages` of them in turn than in one after the other: 2, 4, 8 and
 * 16 pages take 0.83, 0.75, 0.69 and 0.68 of the time of one (Intel Xeon with AVX-512, two threads,
 * 2^26 floats), but 1.25 times as long on others (AMD EPYC, Zen 5).  walk.h finds out.  Prefetch
 * instructions lose a tenth of what is gained. */
enum { PAGE_BYTES = 4096 };

typedef struct walk {
  const unsigned char *at; /* the first of the rows that are read in parallel */
  size_t left;             /* rows from `at` on */
  size_t deep, pages;      /* `deep` rows in each of `pages` pages */
} walk;

static inline walk walk_from(const void *at, size_t left, size_t row_bytes, unsigned most_pages) {
  size_t deep = PAGE_BYTES / row_bytes, pages = left / deep;
  if (pages > most_pages) pages = most_pages;
  return pages > 1 ? (walk){at, left, deep, pages} : (walk){at, left, left, 1};
}

static inline walk walk_on(walk w, size_t row_bytes, unsigned most_pages) {
  size_t rows = w.deep * w.pages;
  return walk_from(w.at + rows * row_bytes, w.left - rows, row_bytes, most_pages);
}

/* Loops over the rows from `elements` on; in the body, ROW points to the row. */
#define EACH_ROW(elements, rows, row_bytes, pages)                                                 \
  for (walk w = walk_from((elements), (rows), (row_bytes), (pages)); w.left > 0;                   \
       w = walk_on(w, row_bytes, (pages)))                                                         \
    for (const unsigned char *line = w.at, *stop = line + w.deep * (row_bytes); line < stop;       \
         line += (row_bytes))                                                                      \
      for (size_t page = 0; page < w.pages; page++)
#define ROW ((const void *)(line + page * PAGE_BYTES))

/* ---- Lanes of sums ---- */

/* Neighbours are added in lanes of twice the width until these have 64 bits, so nothing
 * overflows. */
#define PAIRS(type, x, bits, mask)                                                                 \
  ((((v_##type)(x)) & (mask)) + ((((v_##type)(x)) >> (bits)) & (mask)))
#define WIDEN_64(x) ((v_u64)(x))
#define WIDEN_32(x) PAIRS(u64, x, 32, 0xffffffffu)
#define WIDEN_16(x) WIDEN_32(PAIRS(u32, x, 16, 0xffffu))
#ifdef SUM_OF_BYTES
#define WIDEN_8(x) SUM_OF_BYTES(x)
#else
#define WIDEN_8(x) WIDEN_16(PAIRS(u16, x, 8, (uint16_t)0xff))
#endif

/* A signed number and the unsigned number half the range above it differ only in the top bit. */
#define TOP(bits)          ((uint64_t)1 << ((bits)-1))
#define PLAIN(type, x)     (x)
#define RAISED_8(type, x)  ((v_u8)(x) ^ (uint8_t)TOP(8))
#define RAISED_16(type, x) ((v_u16)(x) ^ (uint16_t)TOP(16))
#define RAISED_32(type, x) ((v_u32)(x) ^ (uint32_t)TOP(32))
/* If x is below 0, the mask has all bits set, and x ^ -1 is -x - 1; unsigned, so that the least
 * number is correct too. */
#define MAGNITUDE(unsign, x)  (((v_##unsign)(x) ^ (v_##unsign)((x) < 0)) - (v_##unsign)((x) < 0))
#define MAGNITUDE_8(type, x)  MAGNITUDE(u8, x)
#define MAGNITUDE_16(type, x) MAGNITUDE(u16, x)
#define MAGNITUDE_32(type, x) MAGNITUDE(u32, x)
#define MAGNITUDE_64(type, x) MAGNITUDE(u64, x)

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
#define LOAD_f16(p)   HALVES(p)
#define LOAD_f32(p)   LOAD(f32, p)
#define LOAD_f64(p)   LOAD(f64, p)
#define UNSIGN_f32(x) ((v_f32)((v_u32)(x)&0x7fffffffu))
#define UNSIGN_f64(x) ((v_f64)((v_u64)(x) & ~TOP(64)))
/* What is taken of the elements at p: they themselves, their magnitudes, or what a form makes of
 * them and of those at q, which stand `beside` bytes behind. */
#define BESIDE(p)                     ((const unsigned char *)(p) + beside)
#define SAME(type, lane, p, q)        LOAD_##type(p)
#define UNSIGN(type, lane, p, q)      UNSIGN_##lane(LOAD_##type(p))
#define PRODUCT_OF(type, lane, p, q)  (LOAD_##type(p) * LOAD_##type(q))
#define DIFFERENCE_OF(type, p, q)     (LOAD_##type(p) - LOAD_##type(q))
#define DISTANCE_OF(type, lane, p, q) UNSIGN_##lane(DIFFERENCE_OF(type, p, q))
#define SQUARE_OF(type, lane, p, q)   square_##lane(DIFFERENCE_OF(type, p, q))
LANES_TARGET INLINE v_f32 square_f32(v_f32 x) {
  return x * x;
}
LANES_TARGET INLINE v_f64 square_f64(v_f64 x) {
  return x * x;
}
#define ADD(a, b)      ((a) + (b))
#define MULTIPLY(a, b) ((a) * (b))

/* ---- Floats: the canonical order of docs/bits.md, whatever the width of a vector ---- */

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
 * as long (AMD EPYC, Zen 5). */
#ifdef LANES_REGISTERS
enum { ACROSS = LANES_REGISTERS / 2, CHAINS = 8 };
#else
enum { ACROSS = 8, CHAINS = 4 };
#endif
enum { EIGHT = 8, BATCH = 64 /* tiles */, TILES_OF_A_PAGE = PAGE_BYTES / NATIVE_TILE_BYTES };

/* The k-th tile that is read, where whole batches are read in several pages in turn. */
static inline uint64_t tile_of_walk(uint64_t k, unsigned pages) {
  uint64_t side_by_side = (uint64_t)pages * TILES_OF_A_PAGE, at = k % side_by_side;
  return k - at + at % pages * TILES_OF_A_PAGE + at / pages;
}

#define IN_THIS_ORDER __asm__ volatile("" ::: "memory") /* the compiler moves no load past this */
/* Keeps a pointer in a register: compilers would keep, or spill, the distance of every vector from
 * its partner. */
#define ON_ITS_OWN(pointer) __asm__("" : "+r"(pointer))
#define DEFINE_TILES(op, type, element, lane, TAKE, APPLY, lanes_of)                               \
  LANES_TARGET static void op##_##type##_tiles(const void *elements, intptr_t beside,              \
                                               uint64_t tiles, unsigned pages, e_##lane *nodes) {  \
    enum {                                                                                         \
      WIDTH = LANES_BYTES / sizeof(e_##lane),                                                      \
      ROW_OF = NATIVE_ROW_BYTES / sizeof(e_##element),                                             \
      MANY = ROW_OF / WIDTH,                                                                       \
      STEP = MANY < ACROSS ? MANY : ACROSS                                                         \
    };                                                                                             \
    if (pages > 1 && tiles % (pages * TILES_OF_A_PAGE) != 0) pages = 1;                            \
    for (uint64_t turn = 0; turn < tiles; turn++) {                                                \
      uint64_t tile = pages > 1 ? tile_of_walk(turn, pages) : turn;                                \
      const e_##element *x = (const e_##element *)elements + tile * (4 * ROW_OF);                  \
      const e_##element *y = (const e_##element *)(const void *)BESIDE(x);                         \
      (void)y;                                                                                     \
      ON_ITS_OWN(y);                                                                               \
      v_##lane a[MANY], b[STEP];                                                                   \
      for (int at = 0; at < MANY; at += STEP, x += STEP * WIDTH, y += STEP * WIDTH) {              \
        EACH(k, STEP) a[at + k] = TAKE(type, lane, x + k * WIDTH, y + k * WIDTH);                  \
        IN_THIS_ORDER;                                                                             \
        EACH(k, STEP)                                                                              \
        a[at + k] =                                                                                \
            APPLY(a[at + k], TAKE(type, lane, x + ROW_OF + k * WIDTH, y + ROW_OF + k * WIDTH));    \
        IN_THIS_ORDER;                                                                             \
        EACH(k, STEP)                                                                              \
        b[k] = TAKE(type, lane, x + 2 * ROW_OF + k * WIDTH, y + 2 * ROW_OF + k * WIDTH);           \
        IN_THIS_ORDER;                                                                             \
        EACH(k, STEP)                                                                              \
        b[k] =                                                                                     \
            APPLY(b[k], TAKE(type, lane, x + 3 * ROW_OF + k * WIDTH, y + 3 * ROW_OF + k * WIDTH)); \
        IN_THIS_ORDER;                                                                             \
        EACH(k, STEP) a[at + k] = APPLY(a[at + k], b[k]);                                          \
      }                                                                                            \
      UNROLLED for (int half = MANY / 2; half > 4; half /= 2) EACH(k, half) a[k] =                 \
          APPLY(a[k], a[k + half]);                                                                \
      EACH(k, 4) a[k] = APPLY(a[k], a[k + 4]);                                                     \
      a[0] = APPLY(APPLY(a[0], a[2]), APPLY(a[1], a[3]));                                          \
      nodes[tile] = lanes_of##_##lane(a[0]);                                                       \
    }                                                                                              \
  }

/* The vector at element `at`, a constant, of a row of which `left` elements exist; -0 stands for
 * the others.  -0 is the identity of a sum, and without its sign that of a sum of magnitudes. */
#if LANES_BYTES == 64 || defined LANES_REGISTERS
/* A bit for each of a row's elements from `at` on that exists: one mask for 64 of them, shifted,
 * for a mask of each vector's own would take longer than the additions. */
INLINE uint64_t ones_from(int at, int64_t left) {
  left -= at / 64 * 64;
  uint64_t ones = left >= 64 ? UINT64_MAX : left > 0 ? ((uint64_t)1 << left) - 1 : 0;
  return ones >> at % 64;
}
#if LANES_BYTES == 64
LANES_TARGET INLINE v_f32 load_some_f32(const e_f32 *row, int at, int64_t left) {
  __mmask16 ones = (__mmask16)ones_from(at, left);
  return (v_f32)_mm512_mask_loadu_ps(_mm512_set1_ps(-0.0f), ones, row + at);
}
LANES_TARGET INLINE v_f64 load_some_f64(const e_f64 *row, int at, int64_t left) {
  __mmask8 ones = (__mmask8)ones_from(at, left);
  return (v_f64)_mm512_mask_loadu_pd(_mm512_set1_pd(-0.0), ones, row + at);
}
LANES_TARGET INLINE v_f32 load_some_f16(const e_u16 *row, int at, int64_t left) {
  __mmask16 ones = (__mmask16)ones_from(at, left);
  return (v_f32)_mm512_cvtph_ps(
      _mm256_mask_loadu_epi16(_mm256_set1_epi16(INT16_MIN), ones, row + at));
}
#else
LANES_TARGET INLINE v_f32 load_some_f32(const e_f32 *row, int at, int64_t left) {
  __mmask8 ones = (__mmask8)ones_from(at, left);
  return (v_f32)_mm256_mask_loadu_ps(_mm256_set1_ps(-0.0f), ones, row + at);
}
LANES_TARGET INLINE v_f64 load_some_f64(const e_f64 *row, int at, int64_t left) {
  __mmask8 ones = (__mmask8)(ones_from(at, left) & 0xf);
  return (v_f64)_mm256_mask_loadu_pd(_mm256_set1_pd(-0.0), ones, row + at);
}
LANES_TARGET INLINE v_f32 load_some_f16(const e_u16 *row, int at, int64_t left) {
  __mmask8 ones = (__mmask8)ones_from(at, left);
  return (v_f32)_mm256_cvtph_ps(_mm_mask_loadu_epi16(_mm_set1_epi16(INT16_MIN), ones, row + at));
}
#endif
#else
#define DEFINE_LOAD_SOME(type, element, lane, negative_zero)                                       \
  LANES_TARGET INLINE v_##lane load_some_##type(const e_##element *row, int at, int64_t left) {    \
    enum { WIDTH = LANES_BYTES / sizeof(e_##lane) };                                               \
    e_##element some[WIDTH];                                                                       \
    if (left - at >= WIDTH) return LOAD_##type(row + at);                                          \
    for (int k = 0; k < WIDTH; k++)                                                                \
      some[k] = at + k < left ? row[at + k] : (e_##element)negative_zero;                          \
    return LOAD_##type(some);                                                                      \
  }
DEFINE_LOAD_SOME(f16, u16, f32, TOP(16))
DEFINE_LOAD_SOME(f32, f32, f32, -0.0f)
DEFINE_LOAD_SOME(f64, f64, f64, -0.0)
#endif

/* The tile that the data end in: at least one element, and at most a tile.  last: its row that they
 * end in; many: the vectors of a row that have elements, or more, a power of two.  Both are
 * constants.  Vectors without elements are left out: combining with the identity changes nothing.
 */
#define DEFINE_LAST_TILE(op, type, element, lane, UNSIGNED, APPLY, lanes_of)                       \
  LANES_TARGET INLINE e_##lane op##_##type##_rows(const e_##element *x, uint64_t n, int last,      \
                                                  int many) {                                      \
    enum {                                                                                         \
      WIDTH = LANES_BYTES / sizeof(e_##lane),                                                      \
      ROW_OF = NATIVE_ROW_BYTES / sizeof(e_##element),                                             \
      MANY = ROW_OF / WIDTH                                                                        \
    };                                                                                             \
    const e_##element *in_last = x + last * ROW_OF;                                                \
    int64_t left = (int64_t)n - last * ROW_OF;                                                     \
    v_##lane a[MANY];                                                                              \
    UNROLLED for (int k = 0; k < many; k++) {                                                      \
      const e_##element *at = x + k * WIDTH;                                                       \
      v_##lane end = UNSIGNED(lane, load_some_##type(in_last, k * WIDTH, left));                   \
      if (last > 2) end = APPLY(UNSIGNED(lane, LOAD_##type(at + 2 * ROW_OF)), end);                \
      a[k] = last > 0 ? UNSIGNED(lane, LOAD_##type(at)) : end;                                     \
      if (last > 1) a[k] = APPLY(a[k], UNSIGNED(lane, LOAD_##type(at + ROW_OF)));                  \
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
    (void)beside;                                                                                  \
    if (n <= WIDTH) return op##_##type##_rows(x, n, 0, 1);                                         \
    if (n <= many / 4 * WIDTH) return op##_##type##_rows(x, n, 0, many / 4);                       \
    switch ((n - 1) / ROW_OF) {                                                                    \
    case 0: return op##_##type##_rows(x, n, 0, many);                                              \
    case 1: return op##_##type##_rows(x, n, 1, many);                                              \
    case 2: return op##_##type##_rows(x, n, 2, many);                                              \
    default: return op##_##type##_rows(x, n, 3, many);                                             \
    }                                                                                              \
  }

/* Neighbours, pairs of neighbours, and so on; one that is alone stays as it is.  Batches of tiles
 * are a binary counter's: nodes[k] combines 2^k of them where bit k of their number is set. */
#define DEFINE_FLOAT(op, type, element, lane, TAKE, APPLY, lanes_of)                               \
  DEFINE_TILES(op, type, element, lane, TAKE, APPLY, lanes_of)                                     \
  LANES_TARGET static e_##lane op##_##type##_batch(const e_##element *x, intptr_t beside,          \
                                                   uint64_t n, unsigned pages) {                   \
    const uint64_t tile = NATIVE_TILE_BYTES / sizeof(e_##element);                                 \
    uint64_t whole = n / tile, count = whole + (n % tile != 0);                                    \
    e_##lane nodes[BATCH];                                                                         \
    op##_##type##_tiles(x, beside, whole, pages, nodes);                                           \
    if (count > whole) nodes[whole] = op##_##type##_last(x + whole * tile, beside, n % tile);      \
    for (; count > 1; count = (count + 1) / 2) {                                                   \
      for (uint64_t k = 0; k < count / 2; k++) nodes[k] = APPLY(nodes[2 * k], nodes[2 * k + 1]);   \
      if (count % 2 != 0) nodes[count / 2] = nodes[count - 1];                                     \
    }                                                                                              \
    return nodes[0];                                                                               \
  }                                                                                                \
  LANES_TARGET static void op##_##type##_all(const void *elements, intptr_t beside, uint64_t n,    \
                                             unsigned pages, void *value) {                        \
    const uint64_t most = BATCH * (uint64_t)NATIVE_TILE_BYTES / sizeof(e_##element);               \
    const e_##element *x = elements;                                                               \
    e_##lane nodes[64], node;                                                                      \
    uint64_t batches = 0, k;                                                                       \
    if (n <= most / BATCH) { /* a call on a few elements costs more than they */                   \
      node = op##_##type##_last(x, beside, n);                                                     \
      memcpy(value, &node, sizeof node);                                                           \
      return;                                                                                      \
    }                                                                                              \
    for (; n > most; n -= most, x += most, batches++) {                                            \
      node = op##_##type##_batch(x, beside, most, pages);                                          \
      for (k = 0; batches >> k & 1; k++) node = APPLY(nodes[k], node);                             \
      nodes[k] = node;                                                                             \
    }                                                                                              \
    node = op##_##type##_batch(x, beside, n, pages);                                               \
    for (k = 0; batches >> k != 0; k++)                                                            \
      if (batches >> k & 1) node = APPLY(nodes[k], node);                                          \
    memcpy(value, &node, sizeof node);                                                             \
  }
#define AS_IT_IS(lane, x) (x)
#define UNSIGNED(lane, x) UNSIGN_##lane(x)
#define DEFINE_SUM(op, type, element, lane, TAKE, TAKE_LOADED)                                     \
  DEFINE_LAST_TILE(op, type, element, lane, TAKE_LOADED, ADD, add_lanes)                           \
  DEFINE_FLOAT(op, type, element, lane, TAKE, ADD, add_lanes)                                      \
  LANES_TARGET static void op##_##type(const void *elements, uint64_t n, unsigned pages,           \
                                       void *value) {                                              \
    op##_##type##_all(elements, 0, n, pages, value);                                               \
  }
#define DEFINE_SUMS(type, element, lane)                                                           \
  DEFINE_SUM(sum, type, element, lane, SAME, AS_IT_IS)                                             \
  DEFINE_SUM(asum, type, element, lane, UNSIGN, UNSIGNED)
DEFINE_SUMS(f16, u16, f32)
DEFINE_SUMS(f32, f32, f32)
DEFINE_SUMS(f64, f64, f64)

/* Sums of what a form makes of two operands.  The tile that the data end in is made in memory. */
#define DEFINE_FORM(op, type, TAKE, ONE)                                                           \
  LANES_TARGET static e_##type op##_##type##_last(const e_##type *x, intptr_t beside,              \
                                                  uint64_t n) {                                    \
    e_##type made[NATIVE_TILE_BYTES / sizeof(e_##type)];                                           \
    const e_##type *y = (const e_##type *)(const void *)BESIDE(x);                                 \
    for (uint64_t k = 0; k < n; k++) made[k] = ONE(type, x[k], y[k]);                              \
    return sum_##type##_last(made, 0, n);                                                          \
  }                                                                                                \
  DEFINE_FLOAT(op, type, type, type, TAKE, ADD, add_lanes)                                         \
  LANES_TARGET static void op##_##type(const void *a, const void *b, uint64_t n, unsigned pages,   \
                                       void *value) {                                              \
    op##_##type##_all(a, (intptr_t)((uintptr_t)b - (uintptr_t)a), n, pages, value);                \
  }
#define ONE_PRODUCT(type, x, y)  ((x) * (y))
#define ONE_DISTANCE(type, x, y) magnitude_##type((x) - (y))
#define ONE_SQUARE(type, x, y)   (((x) - (y)) * ((x) - (y)))
INLINE float magnitude_f32(float x) {
  return __builtin_fabsf(x);
}
INLINE double magnitude_f64(double x) {
  return __builtin_fabs(x);
}
#define DEFINE_FORMS(type)                                                                         \
  DEFINE_FORM(products, type, PRODUCT_OF, ONE_PRODUCT)                                             \
  DEFINE_FORM(distances, type, DISTANCE_OF, ONE_DISTANCE)                                          \
  DEFINE_FORM(squares, type, SQUARE_OF, ONE_SQUARE)
DEFINE_FORMS(f32)
DEFINE_FORMS(f64)

/* Tiles of any rows, in memory. */
enum { MOST_ROW = 512 };
#define DEFINE_ROWS(op, type, TAKE_LOADED)                                                         \
  LANES_TARGET static e_##type op##_##type##_tile(const e_##type *x, uint64_t row) {               \
    e_##type a[MOST_ROW];                                                                          \
    for (uint64_t k = 0; k < row; k++)                                                             \
      a[k] = (TAKE_LOADED(type, x[k]) + TAKE_LOADED(type, x[row + k])) +                           \
             (TAKE_LOADED(type, x[2 * row + k]) + TAKE_LOADED(type, x[3 * row + k]));              \
    for (uint64_t half = row / 2; half > 0; half /= 2)                                             \
      for (uint64_t k = 0; k < half; k++) a[k] += a[half + k];                                     \
    return a[0];                                                                                   \
  }                                                                                                \
  LANES_TARGET static void op##_##type##_in_rows(const void *elements, uint64_t n, uint64_t row,   \
                                                 void *value) {                                    \
    const e_##type *x = elements;                                                                  \
    e_##type end[4 * MOST_ROW], nodes[64], node;                                                   \
    uint64_t tiles = 0, k;                                                                         \
    for (; n > 4 * row; n -= 4 * row, x += 4 * row, tiles++) {                                     \
      node = op##_##type##_tile(x, row);                                                           \
      for (k = 0; tiles >> k & 1; k++) node = nodes[k] + node;                                     \
      nodes[k] = node;                                                                             \
    }                                                                                              \
    k = 0;                                                                                         \
    do end[k] = k < n ? x[k] : -(e_##type)0;                                                       \
    while (++k < 4 * row);                                                                         \
    node = op##_##type##_tile(end, row);                                                           \
    for (k = 0; tiles >> k != 0; k++)                                                              \
      if (tiles >> k & 1) node = nodes[k] + node;                                                  \
    memcpy(value, &node, sizeof node);                                                             \
  }
#define ONE_AS_IT_IS(type, x) (x)
#define ONE_UNSIGNED(type, x) magnitude_##type(x)
DEFINE_ROWS(sum, f32, ONE_AS_IT_IS)
DEFINE_ROWS(sum, f64, ONE_AS_IT_IS)
DEFINE_ROWS(asum, f32, ONE_UNSIGNED)
DEFINE_ROWS(asum, f64, ONE_UNSIGNED)

#include "lanes_prod.h"

enum { FOUR = 4 }; /* accumulators of what needs no fixed order: as many as a load takes cycles */

/* A vector's elements are added to those of a.  Of 32-bit ones, whose neighbours make a lane of 64
 * bits, the whole lane is, and the upper half of it to those of b: what is wanted is the sum of the
 * lower halves and the upper ones, and the sum of the lanes is that of the lower halves and 2^32
 * times that of the upper ones. */
#define GATHER_8(a, b, x)  ((a) += WIDEN_8(x))
#define GATHER_16(a, b, x) ((a) += WIDEN_16(x))
#define GATHER_64(a, b, x) ((a) += WIDEN_64(x))
#define GATHER_32(a, b, x)                                                                         \
  do {                                                                                             \
    v_u64 lane = (v_u64)(x);                                                                       \
    (a) += lane;                                                                                   \
    (b) += lane >> 32;                                                                             \
  } while (0)

/* Modulo 2^64.  above: the offset added to each lane's element.  The last row is filled up with
 * zeros. */
#define DEFINE_INTEGER(op, type, bits, TRANSFORM, above)                                           \
  LANES_TARGET INLINE void op##_##type##_row(v_u64 a[CHAINS], v_u64 b[CHAINS],                     \
                                             const e_##type *x) {                                  \
    enum { WIDTH = LANES_BYTES / sizeof(e_##type) };                                               \
    (void)b;                                                                                       \
    EACH(k, CHAINS) GATHER_##bits(a[k], b[k], TRANSFORM(type, LOAD(type, x + k * WIDTH)));         \
  }                                                                                                \
  LANES_TARGET static void op##_##type(const void *elements, uint64_t n, unsigned pages,           \
                                       void *value) {                                              \
    enum { ROW_OF = CHAINS * LANES_BYTES / sizeof(e_##type) };                                     \
    v_u64 a[CHAINS], b[CHAINS];                                                                    \
    EACH(k, CHAINS) a[k] = b[k] = (v_u64){0};                                                      \
    uint64_t rows = n / ROW_OF, rest = n % ROW_OF;                                                 \
    EACH_ROW(elements, rows, CHAINS *LANES_BYTES, pages) op##_##type##_row(a, b, ROW);             \
    if (rest) {                                                                                    \
      e_##type end[ROW_OF];                                                                        \
      memset(end + rest, 0, sizeof end - rest * sizeof *end);                                      \
      memcpy(end, (const e_##type *)elements + rows * ROW_OF, rest * sizeof *end);                 \
      op##_##type##_row(a, b, end);                                                                \
      rows++;                                                                                      \
    }                                                                                              \
    uint64_t sum = 0 - rows * ROW_OF * (above);                                                    \
    EACH(k, CHAINS) a[k] += b[k] - (b[k] << 32);                                                   \
    EACH(k, CHAINS - 1) a[0] += a[k + 1];                                                          \
    for (size_t k = 0; k < LANES_BYTES / 8; k++) sum += a[0][k];                                   \
    memcpy(value, &sum, sizeof sum);                                                               \
  }
#define AS_IS(x) ((int64_t)(x))
DEFINE_INTEGER(sum, u8, 8, PLAIN, 0)
DEFINE_INTEGER(sum, u16, 16, PLAIN, 0)
DEFINE_INTEGER(sum, u32, 32, PLAIN, 0)
DEFINE_INTEGER(sum, u64, 64, PLAIN, 0)
DEFINE_INTEGER(sum, i8, 8, RAISED_8, TOP(8))
DEFINE_INTEGER(sum, i16, 16, RAISED_16, TOP(16))
DEFINE_INTEGER(sum, i32, 32, RAISED_32, TOP(32))
DEFINE_INTEGER(asum, i8, 8, MAGNITUDE_8, 0)
DEFINE_INTEGER(asum, i16, 16, MAGNITUDE_16, 0)
DEFINE_INTEGER(asum, i32, 32, MAGNITUDE_32, 0)
DEFINE_INTEGER(asum, i64, 64, MAGNITUDE_64, 0)

/* Most products of integers soon become 0.  No vectors, because their 64-bit products are slow. */
#define DEFINE_PRODUCT(type)                                                                       \
  LANES_TARGET static void prod_##type(const void *elements, uint64_t n, unsigned pages,           \
                                       void *value) {                                              \
    const e_##type *x = elements;                                                                  \
    (void)pages;                                                                                   \
    uint64_t a[FOUR] = {1, 1, 1, 1};                                                               \
    for (uint64_t row = n / FOUR; row > 0; row--, x += FOUR) {                                     \
      EACH(k, FOUR) a[k] *= (uint64_t)AS_IS(x[k]);                                                 \
    }                                                                                              \
    for (uint64_t k = 0; k < n % FOUR; k++) a[k] *= (uint64_t)AS_IS(x[k]);                         \
    a[0] *= a[1] * (a[2] * a[3]);                                                                  \
    memcpy(value, a, sizeof *a);                                                                   \
  }
DEFINE_PRODUCT(i8)
DEFINE_PRODUCT(u8)
DEFINE_PRODUCT(i16)
DEFINE_PRODUCT(u16)
DEFINE_PRODUCT(i32)
DEFINE_PRODUCT(u32)
DEFINE_PRODUCT(u64)

/* ---- Bit operators: any type, byte by byte ---- */

#define DEFINE_BITS(op, operation, identity)                                                       \
  LANES_TARGET static void op##_bytes(const void *elements, uint64_t n, unsigned pages,            \
                                      void *value) {                                               \
    const uint64_t rows = n / (FOUR * LANES_BYTES);                                                \
    v_u64 a[FOUR];                                                                                 \
    uint64_t all = identity, word;                                                                 \
    EACH(k, FOUR) a[k] = SPLAT(u64, (uint64_t)identity);                                           \
    EACH_ROW(elements, rows, FOUR *LANES_BYTES, pages) {                                           \
      const unsigned char *x = ROW;                                                                \
      EACH(k, FOUR) a[k] operation LOAD(u64, x + k * LANES_BYTES);                                 \
    }                                                                                              \
    const unsigned char *x = (const unsigned char *)elements + rows * (FOUR * LANES_BYTES);        \
    for (n %= FOUR * LANES_BYTES; n > 0; x += sizeof word) {                                       \
      size_t bytes = n < sizeof word ? (size_t)n : sizeof word;                                    \
      word = identity;                                                                             \
      memcpy(&word, x, bytes);                                                                     \
      all operation word;                                                                          \
      n -= bytes;                                                                                  \
    }                                                                                              \
    a[0] operation a[1];                                                                           \
    a[2] operation a[3];                                                                           \
    a[0] operation a[2];                                                                           \
    for (size_t k = 0; k < LANES_BYTES / 8; k++) all operation a[0][k];                            \
    memcpy(value, &all, sizeof all);                                                               \
  }
DEFINE_BITS(and, &=, UINT64_MAX)
DEFINE_BITS(or, |=, 0)
DEFINE_BITS(xor, ^=, 0)

/* ---- Extremes ----
 * Elements behind the last whole row are read in a row that ends with the last element and overlaps
 * the one before.  That row comes last: at the beginning, it would make the first loop wait for
 * memory far ahead of what has been fetched.  Fewer elements than a row are filled up with the
 * first one. */
#define LEAST_1(a, b) ((b) < (a) ? (b) : (a))
#define MOST_1(a, b)  ((b) > (a) ? (b) : (a))

/* Keeps a vector in a register: compilers would load it again for each of its uses, from memory
 * that the first load still waits for. */
#if defined(__x86_64__)
#define LOADED_ONCE(v) __asm__("" : "+v"(v))
#elif defined(__aarch64__)
#define LOADED_ONCE(v) __asm__("" : "+w"(v))
#else
#define LOADED_ONCE(v) (void)0
#endif

/* The least and the most of two kinds of numbers that stand in the same lanes, in one pass. */
#define DEFINE_EXTREMES_OF(name, type, TAKE, first, FIRST, FIRST_1, second, SECOND, SECOND_1)      \
  LANES_TARGET INLINE void name##_row(v_##first a[CHAINS], v_##second b[CHAINS],                   \
                                      const e_##type *x, intptr_t beside) {                        \
    (void)beside;                                                                                  \
    EACH(k, CHAINS) {                                                                              \
      v_##type v = TAKE(type, x + (size_t)k * (LANES_BYTES / sizeof(e_##type)));                   \
      LOADED_ONCE(v);                                                                              \
      a[k] = FIRST(a[k], (v_##first)v);                                                            \
      b[k] = SECOND(b[k], (v_##second)v);                                                          \
    }                                                                                              \
  }                                                                                                \
  LANES_TARGET static void name##_of(const void *elements, intptr_t beside, uint64_t n,            \
                                     unsigned pages, e_##first *one, e_##second *other) {          \
    enum { WIDTH = LANES_BYTES / sizeof(e_##type), ROW_OF = CHAINS * WIDTH };                      \
    const e_##type *x = elements;                                                                  \
    v_##first a[CHAINS];                                                                           \
    v_##second b[CHAINS];                                                                          \
    EACH(k, CHAINS) a[k] = (v_##first)TAKE(type, x + k * WIDTH);                                   \
    EACH(k, CHAINS) b[k] = (v_##second)a[k];                                                       \
    EACH_ROW(elements, n / ROW_OF, CHAINS * LANES_BYTES, pages) name##_row(a, b, ROW, beside);     \
    if (n > ROW_OF && n % ROW_OF != 0) name##_row(a, b, x + n - ROW_OF, beside);                   \
    EACH(k, CHAINS - 1) a[0] = FIRST(a[0], a[k + 1]);                                              \
    EACH(k, CHAINS - 1) b[0] = SECOND(b[0], b[k + 1]);                                             \
    e_##first ones[WIDTH];                                                                         \
    e_##second others[WIDTH];                                                                      \
    memcpy(ones, &a[0], sizeof ones);                                                              \
    memcpy(others, &b[0], sizeof others);                                                          \
    UNROLLED for (int half = WIDTH / 2; half > 0; half /= 2) {                                     \
      EACH_LANE(k, half) ones[k] = FIRST_1(ones[k], ones[k + half]);                               \
      EACH_LANE(k, half) others[k] = SECOND_1(others[k], others[k + half]);                        \
    }                                                                                              \
    *one = ones[0], *other = others[0];                                                            \
  }

/* The same of any n >= 1 elements. */
#define DEFINE_EXTREMES(name, type, first, FIRST, FIRST_1, second, SECOND, SECOND_1)               \
  DEFINE_EXTREMES_OF(name, type, LOAD, first, FIRST, FIRST_1, second, SECOND, SECOND_1)            \
  LANES_TARGET static void name(const void *elements, uint64_t n, unsigned pages, e_##first *one,  \
                                e_##second *other) {                                               \
    enum { WIDTH = LANES_BYTES / sizeof(e_##type), ROW_OF = CHAINS * WIDTH };                      \
    const e_##type *x = elements;                                                                  \
    e_##type few[ROW_OF];                                                                          \
    if (n >= ROW_OF) {                                                                             \
      name##_of(x, 0, n, pages, one, other);                                                       \
      return;                                                                                      \
    }                                                                                              \
    const v_##type all = SPLAT(type, x[0]);                                                        \
    EACH(k, CHAINS) memcpy(few + k * WIDTH, &all, sizeof all);                                     \
    memcpy(few, x, n * sizeof *x);                                                                 \
    name##_of(few, 0, ROW_OF, 1, one, other);                                                      \
  }

#define NEITHER(a, b) (a)
#define DEFINE_RANGE(type, wide)                                                                   \
  DEFINE_EXTREMES(least_##type, type, type, LEAST_##type, LEAST_1, type, NEITHER, NEITHER)         \
  DEFINE_EXTREMES(most_##type, type, type, NEITHER, NEITHER, type, MOST_##type, MOST_1)            \
  DEFINE_EXTREMES(both_##type, type, type, LEAST_##type, LEAST_1, type, MOST_##type, MOST_1)       \
  LANES_TARGET static void range_##type(const void *elements, uint64_t n, int wanted,              \
                                        unsigned pages, rh_native_range *range) {                  \
    e_##type least, most;                                                                          \
    if (wanted == NATIVE_LEAST)                                                                    \
      least_##type(elements, n, pages, &least, &most);                                             \
    else if (wanted == NATIVE_MOST)                                                                \
      most_##type(elements, n, pages, &least, &most);                                              \
    else                                                                                           \
      both_##type(elements, n, pages, &least, &most);                                              \
    *range = (rh_native_range){(uint64_t)(wide)least, (uint64_t)(wide)most, 0};                    \
  }
DEFINE_RANGE(i8, int64_t)
DEFINE_RANGE(u8, uint64_t)
DEFINE_RANGE(i16, int64_t)
DEFINE_RANGE(u16, uint64_t)
DEFINE_RANGE(i32, int64_t)
DEFINE_RANGE(u32, uint64_t)
DEFINE_RANGE(i64, int64_t)
DEFINE_RANGE(u64, uint64_t)

/* Of a float's bits, as unsigned and as signed numbers, two numbers in one pass are all that is
 * needed, if they are the right ones.
 *
 * Numbers from 0 on are ordered by both, and those below 0 are larger as unsigned numbers.  So if
 * there are none below 0, the signed extremes are also the unsigned ones; likewise if there are
 * none from 0 on.  With both, the least of all is the unsigned most and the largest is the signed
 * most, and the unsigned least does not matter. */
#define DEFINE_FLOAT_RANGE(type, u, s)                                                             \
  DEFINE_EXTREMES(signed_##type, s, s, LEAST_##s, LEAST_1, s, MOST_##s, MOST_1)                    \
  DEFINE_EXTREMES(mixed_##type, u, u, MOST_##u, MOST_1, s, MOST_##s, MOST_1)                       \
  LANES_TARGET static int of_one_sign_##type(const void *elements, uint64_t n, unsigned pages,     \
                                             rh_native_range *range) {                             \
    e_##s least, most;                                                                             \
    signed_##type(elements, n, pages, &least, &most);                                              \
    *range = (rh_native_range){(e_##u)least, (e_##u)most, most};                                   \
    return (least < 0) == (most < 0);                                                              \
  }                                                                                                \
  LANES_TARGET static void range_##type(const void *elements, uint64_t n, int wanted,              \
                                        unsigned pages, rh_native_range *range) {                  \
    const e_##s *x = elements;                                                                     \
    int seen = 0;                                                                                  \
    e_##u most;                                                                                    \
    e_##s top;                                                                                     \
    for (uint64_t k = 0; k < n && k < LOOK_AHEAD; k++)                                             \
      seen |= (x[k] < 0) == (wanted == NATIVE_LEAST);                                              \
    if (!seen && of_one_sign_##type(elements, n, pages, range)) return;                            \
    mixed_##type(elements, n, pages, &most, &top);                                                 \
    *range = (rh_native_range){0, most, top};                                                      \
  }
/* Elements that are searched for one of the sign that decides: all of them, for where the first one
 * stands cannot be predicted. */
enum { LOOK_AHEAD = 16 };
DEFINE_FLOAT_RANGE(f16, u16, i16)
DEFINE_FLOAT_RANGE(f32, u32, i32)
DEFINE_FLOAT_RANGE(f64, u64, i64)

/* Distances have no sign, so their bits are ordered as signed numbers. */
#define BITS_OF_DISTANCE_i32(p) ((v_i32)DISTANCE_OF(f32, f32, p, BESIDE(p)))
#define BITS_OF_DISTANCE_i64(p) ((v_i64)DISTANCE_OF(f64, f64, p, BESIDE(p)))
#define BITS_OF_DISTANCE(s, p)  BITS_OF_DISTANCE_##s(p)
#define DEFINE_DISTANCES(type, u, s)                                                               \
  DEFINE_EXTREMES_OF(most_distance_##type, s, BITS_OF_DISTANCE, s, NEITHER, NEITHER, s, MOST_##s,  \
                     MOST_1)                                                                       \
  DEFINE_EXTREMES_OF(both_distances_##type, s, BITS_OF_DISTANCE, s, LEAST_##s, LEAST_1, s,         \
                     MOST_##s, MOST_1)                                                             \
  LANES_TARGET static void distance_range_##type(const void *a, const void *b, uint64_t n,         \
                                                 int wanted, unsigned pages,                       \
                                                 rh_native_range *range) {                         \
    const intptr_t beside = (intptr_t)((uintptr_t)b - (uintptr_t)a);                               \
    e_##s least = 0, most;                                                                         \
    if (wanted & NATIVE_LEAST)                                                                     \
      both_distances_##type##_of(a, beside, n, pages, &least, &most);                              \
    else                                                                                           \
      most_distance_##type##_of(a, beside, n, pages, &least, &most);                               \
    *range = (rh_native_range){(e_##u)least, (e_##u)most, most};                                   \
  }
DEFINE_DISTANCES(f32, u32, i32)
DEFINE_DISTANCES(f64, u64, i64)

/* ---- Locating an element ---- */

#define DEFINE_FIND(bits)                                                                          \
  LANES_TARGET static uint64_t find_##bits(const void *elements, uint64_t n, uint64_t a,           \
                                           uint64_t b) {                                           \
    enum { WIDTH = LANES_BYTES / sizeof(e_u##bits) };                                              \
    const e_u##bits *x = elements, one = (e_u##bits)a, other = (e_u##bits)b;                       \
    const v_u##bits ones = SPLAT(u##bits, one), others = SPLAT(u##bits, other);                    \
    uint64_t at = 0;                                                                               \
    for (; n - at >= FOUR * WIDTH; at += FOUR * WIDTH) {                                           \
      v_u##bits found = {0};                                                                       \
      EACH(k, FOUR) {                                                                              \
        v_u##bits v = LOAD(u##bits, x + at + k * WIDTH);                                           \
        found |= (v_u##bits)(v == ones) | (v_u##bits)(v == others);                                \
      }                                                                                            \
      if (ANY(found)) break;                                                                       \
    }                                                                                              \
    while (at < n && x[at] != one && x[at] != other) at++;                                         \
    return at;                                                                                     \
  }
DEFINE_FIND(8)
DEFINE_FIND(16)
DEFINE_FIND(32)
DEFINE_FIND(64)

#define AT(function, type) [RH_TYPE_##type] = function
const rh_native_lanes LANES_TABLE = {
    .sum = {AT(sum_i8, i8), AT(sum_u8, u8), AT(sum_i16, i16), AT(sum_u16, u16), AT(sum_i32, i32),
            AT(sum_u32, u32), AT(sum_u64, i64), AT(sum_u64, u64), AT(sum_f16, f16),
            AT(sum_f32, f32), AT(sum_f64, f64)},
    .asum = {AT(asum_i8, i8), AT(sum_u8, u8), AT(asum_i16, i16), AT(sum_u16, u16),
             AT(asum_i32, i32), AT(sum_u32, u32), AT(asum_i64, i64), AT(sum_u64, u64),
             AT(asum_f16, f16), AT(asum_f32, f32), AT(asum_f64, f64)},
    .prod = {AT(prod_i8, i8), AT(prod_u8, u8), AT(prod_i16, i16), AT(prod_u16, u16),
             AT(prod_i32, i32), AT(prod_u32, u32), AT(prod_u64, i64), AT(prod_u64, u64)},
    .prod_tile = {AT(prod_f16_tile, f16), AT(prod_f32_tile, f32), AT(prod_f64_tile, f64)},
    .and_bytes = and_bytes,
    .or_bytes = or_bytes,
    .xor_bytes = xor_bytes,
    .range = {AT(range_i8, i8), AT(range_u8, u8), AT(range_i16, i16), AT(range_u16, u16),
              AT(range_i32, i32), AT(range_u32, u32), AT(range_i64, i64), AT(range_u64, u64),
              AT(range_f16, f16), AT(range_f32, f32), AT(range_f64, f64)},
    .sum_of = {[RH_FORM_PRODUCT] = {AT(products_f32, f32), AT(products_f64, f64)},
               [RH_FORM_DISTANCE] = {AT(distances_f32, f32), AT(distances_f64, f64)},
               [RH_FORM_SQUARED_DISTANCE] = {AT(squares_f32, f32), AT(squares_f64, f64)}},
    .sum_rows = {AT(sum_f32_in_rows, f32), AT(sum_f64_in_rows, f64)},
    .asum_rows = {AT(asum_f32_in_rows, f32), AT(asum_f64_in_rows, f64)},
    .distances = {AT(distance_range_f32, f32), AT(distance_range_f64, f64)},
    .find = {AT(find_8, i8), AT(find_8, u8), AT(find_16, i16), AT(find_16, u16), AT(find_32, i32),
             AT(find_32, u32), AT(find_64, i64), AT(find_64, u64), AT(find_16, f16),
             AT(find_32, f32), AT(find_64, f64)},
};
