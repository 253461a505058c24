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

/* The text of a program can hide a value from the compiler only in memory. */
#if RH_IS_NVIDIA
#define RH_DEFINE_HIDDEN(type)                                                                     \
  static inline type rh_hidden_##type(type value) {                                                \
    volatile type hidden = value;                                                                  \
    return hidden;                                                                                 \
  }
#else
#define RH_DEFINE_HIDDEN(type)                                                                     \
  static inline type rh_hidden_##type(type value) {                                                \
    return value;                                                                                  \
  }
#endif

/* NVIDIA's driver takes some u32 that were made of an i32, as abs() makes them, for the i32 again.
 * Halves have no sign, and their sum is rounded once, because both products are exact. */
static inline float rh_float_of_uint(uint x) {
  return RH_IS_NVIDIA ? (float)(x >> 16) * 65536.0f + (float)(x & 0xffff) : (float)x;
}

/* Of two values whose signs are known, such as -7 and |x|, NVIDIA's driver takes a comparison for
 * decided, although |x| may be NaN.  Its compiler knows a == a to follow from a < b, but does not
 * look into bits. */
#define RH_DEFINE_ORDER(type, bits, infinity)                                                      \
  static inline int rh_ordered_##type(type a, type b) {                                            \
    return !RH_IS_NVIDIA || ((bits(a) << 1) <= infinity && (bits(b) << 1) <= infinity);            \
  }                                                                                                \
  static inline int rh_less_##type(type a, type b) {                                               \
    return rh_ordered_##type(a, b) && a < b;                                                       \
  }                                                                                                \
  static inline int rh_at_most_##type(type a, type b) {                                            \
    return rh_ordered_##type(a, b) && a <= b;                                                      \
  }

RH_DEFINE_HIDDEN(int)
RH_DEFINE_HIDDEN(uint)
RH_DEFINE_HIDDEN(long)
RH_DEFINE_HIDDEN(ulong)
RH_DEFINE_HIDDEN(float)
RH_DEFINE_ORDER(float, as_uint, 0xff000000u)
#ifdef cl_khr_fp64
RH_DEFINE_HIDDEN(double)
RH_DEFINE_ORDER(double, as_ulong, 0xffe0000000000000ul)
#endif
