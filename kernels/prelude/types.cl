/* Elements and values.  The host defines one operator and one type for this program, RH_OP_<op> and
 * RH_TYPE_<type>, or RH_STRUCT; everything else is derived here.
 *
 *   rh_element  one element of the input in memory
 *   RH_SCALAR   the scalar that is combined: a sum, a product, bits, or an order key
 *   rh_value    RH_SCALAR; {key, index} for arg*; {mantissa, exponent} for products of floats
 *
 * Integer sums and products are taken modulo 2^64 in unsigned arithmetic, because signed overflow
 * is undefined in OpenCL C and the bits are the same.  f16 is read by vload_half, which needs no
 * extension, and computed in f32.  Nothing here is contracted into fused operations or otherwise
 * trades bits for speed. */
#pragma OPENCL FP_CONTRACT OFF

/* The barrier of kernels whose groups have RH_GROUP work-items.  One work-item, which is what CPUs
 * have unless told, meets no other, and its own accesses are in order.  PoCL takes up to four times
 * as long to compile a kernel with barriers, and PoCL 5 aborts at those of exact operators. */
#if defined(RH_GROUP) && RH_GROUP == 1
#define rh_barrier(fence) ((void)0)
#else
#define rh_barrier(fence) barrier(fence)
#endif

#define RH_PASTE_(a, b) a##b
#define RH_PASTE(a, b) RH_PASTE_(a, b)

#if defined(RH_TYPE_i8)
#define RH_ELEMENT char
#elif defined(RH_TYPE_u8)
#define RH_ELEMENT uchar
#elif defined(RH_TYPE_i16)
#define RH_ELEMENT short
#elif defined(RH_TYPE_u16)
#define RH_ELEMENT ushort
#elif defined(RH_TYPE_i32)
#define RH_ELEMENT int
#elif defined(RH_TYPE_u32)
#define RH_ELEMENT uint
#elif defined(RH_TYPE_i64)
#define RH_ELEMENT long
#elif defined(RH_TYPE_u64)
#define RH_ELEMENT ulong
#elif defined(RH_TYPE_f16)
#define RH_ELEMENT ushort /* the bits; many devices have half only as a storage type */
#elif defined(RH_TYPE_f32)
#define RH_ELEMENT float
#elif defined(RH_TYPE_f64)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define RH_ELEMENT double
#endif
#ifdef RH_CUSTOM
typedef RH_MEMORY rh_element; /* RH_ELEMENT is what the map returns */
#else
typedef RH_ELEMENT rh_element;
#endif
/* For signed integers: uchar, ushort, uint or ulong. */
#define RH_UNSIGNED_ELEMENT RH_PASTE(u, RH_ELEMENT)
#define RH_ELEMENT_SIGN_SHIFT (8 * (int)sizeof(RH_ELEMENT) - 1)

#if defined(RH_TYPE_f16) || defined(RH_TYPE_f32) || defined(RH_TYPE_f64)
#define RH_IS_FLOAT 1
#endif
#if defined(RH_TYPE_u8) || defined(RH_TYPE_u16) || defined(RH_TYPE_u32) || defined(RH_TYPE_u64)
#define RH_IS_UNSIGNED 1
#endif
#if defined(RH_TYPE_i64) || defined(RH_TYPE_u64) || defined(RH_TYPE_f64)
#define RH_IS_64_BIT 1
#endif
#if defined(RH_OP_sum) || defined(RH_OP_prod) || defined(RH_OP_asum)
#define RH_IS_ARITHMETIC 1
#endif
#if defined(RH_OP_argmin) || defined(RH_OP_argmax) || defined(RH_OP_argamax)
#define RH_IS_INDEXED 1
#endif
#if defined(RH_OP_prod) && defined(RH_IS_FLOAT)
#define RH_IS_SCALED 1
#endif
#if defined(RH_OP_min) || defined(RH_OP_max) || defined(RH_OP_amax) || defined(RH_IS_INDEXED)
#define RH_IS_ORDER 1
#endif
#if defined(RH_OP_asum) || defined(RH_OP_amax) || defined(RH_OP_argamax)
#define RH_IS_MAGNITUDE 1
#endif
#if defined(RH_OP_min) || defined(RH_OP_argmin)
#define RH_IS_LEAST 1
#endif

/* Magnitudes of integers are unsigned: |-128| is not a char. */
#if defined(RH_IS_UNSIGNED) || (defined(RH_IS_MAGNITUDE) && !defined(RH_IS_FLOAT))
#define RH_SCALAR_IS_UNSIGNED 1
#endif

/* RH_SCALAR, and two integer types of the same width: RH_SIGNED for masks and RH_WORD for
 * atomics. */
#if defined(RH_IS_ARITHMETIC) && defined(RH_TYPE_f64)
#define RH_SCALAR double
#elif defined(RH_IS_ARITHMETIC) && defined(RH_IS_FLOAT)
#define RH_SCALAR float
#elif defined(RH_IS_ARITHMETIC) || (defined(RH_IS_64_BIT) && defined(RH_SCALAR_IS_UNSIGNED))
#define RH_SCALAR ulong
#elif defined(RH_IS_64_BIT)
#define RH_SCALAR long
#elif defined(RH_SCALAR_IS_UNSIGNED)
#define RH_SCALAR uint
#else
#define RH_SCALAR int
#endif

#if defined(RH_IS_64_BIT) || (defined(RH_IS_ARITHMETIC) && !defined(RH_IS_FLOAT))
#define RH_SCALAR_IS_64_BIT 1
#define RH_SIGNED long
#define RH_WORD ulong
#define RH_SIGNED_MAX 0x7fffffffffffffffL
#define RH_INFINITY_BITS 0x7ff0000000000000L
#define RH_SIGN_SHIFT 63
#define RH_FRACTION_BITS 52
#define RH_BIAS 1023
#else
#define RH_SIGNED int
#define RH_WORD uint
#define RH_SIGNED_MAX 0x7fffffff
#define RH_INFINITY_BITS 0x7f800000
#define RH_SIGN_SHIFT 31
#define RH_FRACTION_BITS 23
#define RH_BIAS 127
#endif

#if defined(RH_STRUCT)
/* The host defined rh_value, see structs.cl. */
#elif defined(RH_IS_INDEXED)
typedef struct {
  RH_SCALAR key;
  ulong index; /* counted from the first element reduced */
} rh_value;
#elif defined(RH_IS_SCALED)
/* mantissa * 2^exponent: what is multiplied never overflows or underflows on the way. */
typedef struct {
  RH_SCALAR mantissa; /* of magnitude [1, 2), or else a zero, an infinity or NaN */
  long exponent;      /* means nothing beside these */
} rh_value;
#else
typedef RH_SCALAR rh_value;
#endif

/* The two fields of a value, where it has two. */
#if defined(RH_IS_INDEXED)
#define RH_IS_PAIR 1
#define RH_FIRST key
#define RH_SECOND index
#define RH_SECOND_TYPE ulong
#elif defined(RH_IS_SCALED)
#define RH_IS_PAIR 1
#define RH_FIRST mantissa
#define RH_SECOND exponent
#define RH_SECOND_TYPE long
#endif

/* What inline PTX may have, or 0. */
#if defined(RH_NVIDIA_SM) && defined(__NV_CL_C_VERSION)
#define RH_PTX RH_NVIDIA_SM
#else
#define RH_PTX 0
#endif

/* Two halves, four, ... of words as they lie in memory. */
#if defined(RH_TYPE_f16) && RH_PTX >= 53
static inline float2 rh_floats_of(uint word) {
  float2 x;
  asm("{.reg .f16 a, b; mov.b32 {a, b}, %2; cvt.f32.f16 %0, a; cvt.f32.f16 %1, b;}"
      : "=f"(x.x), "=f"(x.y)
      : "r"(word));
  return x;
}
#define RH_FLOATS_2(words)  rh_floats_of(words)
#define RH_FLOATS_4(words)  (float4)(RH_FLOATS_2((words).lo), RH_FLOATS_2((words).hi))
#define RH_FLOATS_8(words)  (float8)(RH_FLOATS_4((words).lo), RH_FLOATS_4((words).hi))
#define RH_FLOATS_16(words) (float16)(RH_FLOATS_8((words).lo), RH_FLOATS_8((words).hi))
#endif
