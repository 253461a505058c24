/* What the text of an expression calls.  Functions, because an operand is written once.
 *
 * __NV_CL_C_VERSION: NVIDIA's driver 580 translates some expressions wrongly.  Each of these was
 * found by random expressions on an H100 (tests/expr/random_exprs.c). */

#ifdef __NV_CL_C_VERSION
#define RH_IS_NVIDIA 1
#else
#define RH_IS_NVIDIA 0
#endif

/* Division by 0 and overflow are undefined in OpenCL C. */
#define RH_DEFINE_DIVISION(type, unsigned_type)                                                    \
  static inline type rh_divide_##type(type a, type b) {                                            \
    return b == 0 ? 0 : b == -1 ? (type)((unsigned_type)0 - (unsigned_type)a) : a / b;             \
  }                                                                                                \
  static inline type rh_remainder_##type(type a, type b) {                                         \
    return b == 0 || b == -1 ? 0 : a % b;                                                          \
  }                                                                                                \
  static inline unsigned_type rh_divide_##unsigned_type(unsigned_type a, unsigned_type b) {        \
    return b == 0 ? 0 : a / b;                                                                     \
  }                                                                                                \
  static inline unsigned_type rh_remainder_##unsigned_type(unsigned_type a, unsigned_type b) {     \
    return b == 0 ? 0 : a % b;                                                                     \
  }
RH_DEFINE_DIVISION(int, uint)
RH_DEFINE_DIVISION(long, ulong)

/* Through memory, because that needs no extension. */
static inline float rh_round_half(float x) {
  ushort bits;
  vstore_half_rte(x, 0, (half *)&bits);
  return vload_half(0, (const half *)&bits);
}

/* NVIDIA's driver takes some u32 that were made of an i32, as abs() makes them, for the i32 again.
 * Halves have no sign, and their sum is rounded once, because both products are exact. */
static inline float rh_float_of_uint(uint x) {
  return RH_IS_NVIDIA ? (float)(x >> 16) * 65536.0f + (float)(x & 0xffff) : (float)x;
}

/* The bits of a comparison, 0 or 1, as a float, which is almost 0.  In some programs NVIDIA's driver
 * makes the number 1 of them, unless memory hides where they come from. */
#define RH_DEFINE_TRUTH(type, bits_type)                                                           \
  static inline type rh_truth_as_##type(bits_type bits) {                                          \
    volatile bits_type hidden = bits;                                                              \
    return as_##type(RH_IS_NVIDIA ? hidden : bits);                                                \
  }

/* Of two values whose signs are known, such as -7 and |x|, NVIDIA's driver takes a comparison for
 * decided, although |x| may be NaN. */
#define RH_DEFINE_COMPARISONS(type)                                                                \
  static inline int rh_less_##type(type a, type b) {                                               \
    return RH_IS_NVIDIA ? a == a && b == b && a < b : a < b;                                       \
  }                                                                                                \
  static inline int rh_at_most_##type(type a, type b) {                                            \
    return RH_IS_NVIDIA ? a == a && b == b && a <= b : a <= b;                                     \
  }

RH_DEFINE_TRUTH(float, int)
RH_DEFINE_COMPARISONS(float)
#ifdef cl_khr_fp64
RH_DEFINE_TRUTH(double, long)
RH_DEFINE_COMPARISONS(double)
#endif
