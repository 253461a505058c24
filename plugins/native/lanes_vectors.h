/* Vectors of LANES_BYTES, their loads, and operations that a processor has as one instruction.
 *
 * GCC's and clang's vector extensions make this compile everywhere.  Operations that they cannot
 * express in one instruction (the smaller of two, a sum of bytes) are intrinsics if the processor
 * has them.  An array of accumulators stays in registers if the loops over it are unrolled.
 *
 * Loads are unaligned: float sums must not depend on the data's alignment, and on aligned data
 * unaligned loads cost nothing. */
#ifndef NATIVE_LANES_VECTORS_H
#define NATIVE_LANES_VECTORS_H

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

#define TOP(bits) ((uint64_t)1 << ((bits)-1)) /* the bit of the sign */

/* How many accumulators stand side by side: in loops that load a row at a time; and in those that
 * need no more than a load takes cycles. */
#ifdef LANES_REGISTERS
enum { CHAINS = 8 };
#else
enum { CHAINS = 4 };
#endif
enum { FOUR = 4 };

/* Keeps a vector in a register: compilers would load it again for each of its uses, from memory
 * that the first load still waits for. */
#if defined(__x86_64__)
#define LOADED_ONCE(v) __asm__("" : "+v"(v))
#elif defined(__aarch64__)
#define LOADED_ONCE(v) __asm__("" : "+w"(v))
#else
#define LOADED_ONCE(v) (void)0
#endif

/* Operations that a processor has as one instruction. */
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
/* For 64-bit numbers, only AVX-512 has them.  AVX2 has a blend of its own, which compilers do not
 * make of the one above. */
#if LANES_BYTES == 64 || (LANES_BYTES == 32 && defined(LANES_REGISTERS))
#define LEAST_OF_64 LEAST_OF
#define MOST_OF_64  MOST_OF
#elif LANES_BYTES == 32
#define WHERE(type, mask, a, b)                                                                    \
  ((v_##type)_mm256_blendv_epi8((__m256i)(b), (__m256i)(a), (__m256i)(mask)))
#define LEAST_OF_64(type, suffix, a, b) WHERE(type, (b) < (a), b, a)
#define MOST_OF_64(type, suffix, a, b)  WHERE(type, (b) > (a), b, a)
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

#endif
