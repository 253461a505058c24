/* The operators, once for single values and, through the suffix N (nothing, 2, 4, 8, 16),
 * for vectors. */
#ifndef RH_STRUCT

/* Order keys.  min, max and their kin compare floats as integers: the bits of a float, read as sign
 * and magnitude, order like the float, with -0 below +0; flipping the magnitude of negative ones
 * gives two's complement.  Every NaN gets the key that wins.  So every order of combining gives the
 * same bits, devices that flush subnormals still compare them correctly, and integer atomics serve
 * floats.  The host converts the key back. */
#ifdef RH_IS_LEAST
#define RH_KEY_OF_NAN (-RH_SIGNED_MAX - 1)
#else
#define RH_KEY_OF_NAN RH_SIGNED_MAX
#endif

#ifdef RH_IS_INDEXED
/* The first of equal elements wins, and -0 equals +0.  The key of -0 is -1, which no other float
 * has. */
#define RH_MERGE_ZEROS(key, N)                                                                     \
  select(key, (RH_PASTE(RH_SIGNED, N))(0),                                                         \
         RH_PASTE(RH_PASTE(convert_, RH_SIGNED), N)(key == (RH_SIGNED)-1))
#else
#define RH_MERGE_ZEROS(key, N) key
#endif

/* The magnitude of a float: its bits without the sign, which order like it. */
#ifdef RH_IS_MAGNITUDE
#define RH_ORDERED(bits) (bits & RH_SIGNED_MAX)
#else
#define RH_ORDERED(bits) (bits ^ ((bits >> RH_SIGN_SHIFT) & RH_SIGNED_MAX))
#endif

#define RH_DEFINE_KEY(name, REAL, N)                                                               \
  static inline RH_PASTE(RH_SIGNED, N) name(RH_PASTE(REAL, N) x) {                                 \
    RH_PASTE(RH_SIGNED, N) bits = RH_PASTE(RH_PASTE(as_, RH_SIGNED), N)(x);                        \
    RH_PASTE(RH_SIGNED, N) key = RH_ORDERED(bits);                                                 \
    RH_PASTE(RH_SIGNED, N) is_nan =                                                                \
        RH_PASTE(RH_PASTE(convert_, RH_SIGNED), N)((bits & RH_SIGNED_MAX) > RH_INFINITY_BITS);     \
    key = select(key, (RH_PASTE(RH_SIGNED, N))(RH_KEY_OF_NAN), is_nan);                            \
    return RH_MERGE_ZEROS(key, N);                                                                 \
  }

/* Ranks, which a plugin enables with -DRH_RANKS: order keys moved round by RH_RANK_OFFSET, so that
 * the NaNs of both signs lie together, at the end that wins.  A rank is made without a test for
 * NaN, in 5 operations with its comparison instead of 7; its key is made once, at the end.  Every
 * rank is that of a float, and the identity that of the infinity that loses: where a kernel may be
 * given no element at all, it must return rh_identity() itself. */
#if defined(RH_RANKS) && defined(RH_IS_ORDER) && defined(RH_IS_FLOAT) && !defined(RH_CUSTOM)
#define RH_IS_RANKED 1
#define RH_NANS      (RH_SIGNED_MAX - RH_INFINITY_BITS) /* of either sign */
#if defined(RH_IS_LEAST)
#define RH_RANK_OFFSET    RH_NANS
#define RH_IS_NAN_S(rank) (rank < -RH_SIGNED_MAX - 1 + 2 * RH_NANS)
#elif defined(RH_IS_MAGNITUDE)
#define RH_RANK_OFFSET    0
#define RH_IS_NAN_S(rank) (rank > RH_INFINITY_BITS)
#else
#define RH_RANK_OFFSET    (-RH_NANS)
#define RH_IS_NAN_S(rank) (rank > RH_INFINITY_BITS - RH_NANS)
#endif
#define RH_UNSIGNED RH_PASTE(u, RH_SIGNED)
#define RH_DEFINE_RANK(name, REAL, N)                                                              \
  static inline RH_PASTE(RH_SIGNED, N) name(RH_PASTE(REAL, N) x) {                                 \
    RH_PASTE(RH_SIGNED, N) bits = RH_PASTE(RH_PASTE(as_, RH_SIGNED), N)(x);                        \
    RH_PASTE(RH_SIGNED, N) key = RH_ORDERED(bits);                                                 \
    return RH_PASTE(RH_PASTE(as_, RH_SIGNED), N)(                                                  \
        RH_PASTE(RH_PASTE(as_, RH_UNSIGNED), N)(key) + (RH_UNSIGNED)RH_RANK_OFFSET);               \
  }
static inline RH_SIGNED rh_rank_of(RH_SIGNED key, RH_SIGNED identity) {
  return key == identity ? key : (RH_SIGNED)((RH_UNSIGNED)key + (RH_UNSIGNED)RH_RANK_OFFSET);
}
static inline RH_SIGNED rh_key_of(RH_SIGNED rank) {
  RH_SIGNED key = (RH_SIGNED)((RH_UNSIGNED)rank - (RH_UNSIGNED)RH_RANK_OFFSET);
  if (RH_IS_NAN_S(rank)) return RH_KEY_OF_NAN;
  return RH_MERGE_ZEROS(key, );
}
#endif

/* The magnitude of a signed integer, in the unsigned type of the same width: that of the least
 * number is right too.  abs() promises the same but is not used: PoCL 3.1 writes it as `x < 0 ? -x
 * : x`, whose overflow is undefined, so the compiler assumes that no magnitude of an int or a long
 * has its highest bit set.  The sum of two magnitudes of -2^31, converted to ulong, is then 0. */
#define RH_DEFINE_MAGNITUDE(name, N)                                                               \
  static inline RH_PASTE(RH_UNSIGNED_ELEMENT, N) name(RH_PASTE(RH_ELEMENT, N) x) {                 \
    RH_PASTE(RH_UNSIGNED_ELEMENT, N) bits = RH_PASTE(RH_PASTE(as_, RH_UNSIGNED_ELEMENT), N)(x);    \
    RH_PASTE(RH_UNSIGNED_ELEMENT, N)                                                               \
    sign = RH_PASTE(RH_PASTE(convert_, RH_UNSIGNED_ELEMENT), N)(x >> RH_ELEMENT_SIGN_SHIFT);       \
    return (bits ^ sign) - sign;                                                                   \
  }

/* For redhost --verify, on u32: operators that hash words, so that each tree of combinations gives
 * a different value; `order` also distinguishes the left operand from the right.  An element's
 * highest bit is not part of its value: it makes loading the element slow, so that work-groups
 * finish in a different order. */
#if defined(RH_OP_order) || defined(RH_OP_grouping)
#define RH_DEFINE_SLOW(name, N)                                                                    \
  static inline RH_PASTE(uint, N) name(RH_PASTE(uint, N) x) {                                      \
    volatile uint k = any(RH_PASTE(as_int, N)(x)) ? 0 : 20000;                                     \
    while (k < 20000) k = k + 1;                                                                   \
    return x & 0x7fffffffu;                                                                        \
  }
RH_DEFINE_SLOW(rh_slow, )
RH_DEFINE_SLOW(rh_slow2, 2)
RH_DEFINE_SLOW(rh_slow4, 4)
RH_DEFINE_SLOW(rh_slow8, 8)
RH_DEFINE_SLOW(rh_slow16, 16)
#endif

/* Converts an element, as it was read, to the scalar that is combined. */
#if defined(RH_OP_order) || defined(RH_OP_grouping)
#define RH_TO_SCALAR(x, N) RH_PASTE(rh_slow, N)(x)
#elif defined(RH_OP_asum) && defined(RH_IS_FLOAT)
#define RH_TO_SCALAR(x, N) fabs(x)
#elif defined(RH_IS_ARITHMETIC) && defined(RH_IS_FLOAT)
#define RH_TO_SCALAR(x, N) (x)
#elif defined(RH_IS_MAGNITUDE) && !defined(RH_IS_FLOAT) && !defined(RH_IS_UNSIGNED)
RH_DEFINE_MAGNITUDE(rh_magnitude, )
#define RH_TO_SCALAR(x, N) RH_PASTE(RH_PASTE(convert_, RH_SCALAR), N)(RH_PASTE(rh_magnitude, N)(x))
#elif defined(RH_IS_ARITHMETIC) && defined(RH_IS_UNSIGNED)
#define RH_TO_SCALAR(x, N) RH_PASTE(convert_ulong, N)(x)
#elif defined(RH_IS_ARITHMETIC)
#define RH_TO_SCALAR(x, N) RH_PASTE(as_ulong, N)(RH_PASTE(convert_long, N)(x))
#elif defined(RH_TYPE_f64)
RH_DEFINE_KEY(rh_key, double, )
#define RH_TO_SCALAR(x, N) RH_PASTE(rh_key, N)(x)
#elif defined(RH_IS_FLOAT)
RH_DEFINE_KEY(rh_key, float, )
#define RH_TO_SCALAR(x, N) RH_PASTE(rh_key, N)(x)
#else
#define RH_TO_SCALAR(x, N) RH_PASTE(RH_PASTE(convert_, RH_SCALAR), N)(x)
#endif

/* The operator and its identity.  The identity of a float sum is -0, because adding +0 would turn
 * -0 into +0. */
#if defined(RH_OP_sum) || defined(RH_OP_asum)
#define RH_APPLY(a, b) ((a) + (b))
#if defined(RH_OP_sum) && defined(RH_IS_FLOAT)
#define RH_IDENTITY (-(RH_SCALAR)0)
#else
#define RH_IDENTITY 0
#endif
#elif defined(RH_OP_prod)
#define RH_APPLY(a, b) ((a) * (b))
#define RH_IDENTITY 1
#elif defined(RH_OP_and)
#define RH_APPLY(a, b) ((a) & (b))
#define RH_IDENTITY (~(RH_SCALAR)0)
#elif defined(RH_OP_or)
#define RH_APPLY(a, b) ((a) | (b))
#define RH_IDENTITY 0
#elif defined(RH_OP_xor)
#define RH_APPLY(a, b) ((a) ^ (b))
#define RH_IDENTITY 0
#elif defined(RH_OP_affine)
/* Composes maps x -> a*x + b over 32-bit words, a in the low half and b in the high half.  The left
 * operand's map is applied first. */
static inline ulong rh_compose(ulong f, ulong g) {
  uint a = (uint)g * (uint)f, b = (uint)g * (uint)(f >> 32) + (uint)(g >> 32);
  return (ulong)b << 32 | a;
}
#define RH_APPLY(a, b) rh_compose(a, b)
#define RH_IDENTITY 1
#elif defined(RH_OP_depth)
/* For redhost --verify, on u32: a value is 1 plus the number of combinations that its deepest
 * element has passed through.  Combining with the identity does not count, because adding it does
 * not round. */
#define RH_APPLY(a, b) select(select(max(a, b) + 1, (b), (a) == 0), (a), (b) == 0)
#define RH_IDENTITY 0
#elif defined(RH_OP_order) || defined(RH_OP_grouping)
#ifdef RH_OP_order
#define RH_MIX(a, b) (((3 * (a) + (b)) * 0x2c1b3c6du) ^ ((a) * (b)))
#else
#define RH_MIX(a, b) ((((a) + (b)) * 0x2c1b3c6du) ^ ((a) * (b)))
#endif
#define RH_APPLY(a, b) select(select(RH_MIX(a, b), (b), (a) == 0), (a), (b) == 0)
#define RH_IDENTITY 0
#elif defined(RH_IS_LEAST)
#define RH_APPLY(a, b) min(a, b)
#define RH_BEATS(a, b) ((a) < (b))
#ifdef RH_IS_UNSIGNED
#define RH_IDENTITY (~(RH_SCALAR)0)
#else
#define RH_IDENTITY RH_SIGNED_MAX
#endif
#else
#define RH_APPLY(a, b) max(a, b)
#define RH_BEATS(a, b) ((a) > (b))
#if defined(RH_IS_UNSIGNED) || defined(RH_IS_MAGNITUDE)
#define RH_IDENTITY 0
#else
#define RH_IDENTITY (-RH_SIGNED_MAX - 1)
#endif
#endif
#define RH_NO_INDEX 0xffffffffffffffffUL
#ifdef RH_IS_SCALED
#define RH_SECOND_IDENTITY 0
#else
#define RH_SECOND_IDENTITY RH_NO_INDEX
#endif

/* Products of floats (docs/inside/bits.md).  An element is taken apart by integer operations, since
 * devices may flush a subnormal in an operation on floats. */
#ifdef RH_IS_SCALED
#define RH_DEFINE_SCALED(N)                                                                        \
  static inline RH_PASTE(RH_SCALAR, N)                                                             \
      RH_PASTE(rh_split, N)(RH_PASTE(RH_SCALAR, N) x, RH_PASTE(long, N) * exponent) {              \
    RH_PASTE(RH_SIGNED, N) bits = RH_PASTE(RH_PASTE(as_, RH_SIGNED), N)(x);                        \
    RH_PASTE(RH_SIGNED, N) magnitude = bits & RH_SIGNED_MAX, field = magnitude >> RH_FRACTION_BITS;\
    RH_PASTE(RH_SIGNED, N) zero = 0, sign = bits & ~RH_SIGNED_MAX;                                 \
    RH_PASTE(RH_SIGNED, N)                                                                         \
    is_small = RH_PASTE(RH_PASTE(convert_, RH_SIGNED), N)(field == 0);                             \
    RH_PASTE(RH_SIGNED, N)                                                                         \
    is_number = RH_PASTE(RH_PASTE(convert_, RH_SIGNED), N)((magnitude != 0) &                      \
                                                           (magnitude < RH_INFINITY_BITS));        \
    /* A subnormal's highest bit moves to where other numbers would have theirs. */                \
    RH_PASTE(RH_SIGNED, N) shift = clz(magnitude) - (RH_SIGN_SHIFT - RH_FRACTION_BITS);            \
    shift = select(zero, shift, is_small);                                                         \
    field = select(field, 1 - shift, is_small) - RH_BIAS;                                          \
    RH_PASTE(RH_SIGNED, N)                                                                         \
    mantissa = sign | (RH_SIGNED)RH_BIAS << RH_FRACTION_BITS |                                     \
               (magnitude << shift & (((RH_SIGNED)1 << RH_FRACTION_BITS) - 1));                    \
    *exponent = RH_PASTE(convert_long, N)(select(zero, field, is_number));                         \
    return RH_PASTE(RH_PASTE(as_, RH_SCALAR), N)(select(bits, mantissa, is_number));               \
  }                                                                                                \
  /* The product is below 4, so its exponent's highest bit says whether it is 2 or more.  An       \
   * infinity and NaN have the next bit too. */                                                    \
  static inline RH_PASTE(RH_SCALAR, N) RH_PASTE(rh_multiply, N)(                                   \
      RH_PASTE(RH_SCALAR, N) a, RH_PASTE(RH_SCALAR, N) b, RH_PASTE(long, N) * exponent) {          \
    RH_PASTE(RH_SIGNED, N) bits = RH_PASTE(RH_PASTE(as_, RH_SIGNED), N)(a * b);                    \
    RH_PASTE(RH_SIGNED, N)                                                                         \
    carry = bits >> (RH_SIGN_SHIFT - 1) & ~(bits >> (RH_SIGN_SHIFT - 2)) & 1;                      \
    *exponent += RH_PASTE(convert_long, N)(carry);                                                 \
    return RH_PASTE(RH_PASTE(as_, RH_SCALAR), N)(bits - (carry << RH_FRACTION_BITS));              \
  }
RH_DEFINE_SCALED()
#endif

static inline rh_value rh_identity(void) {
#ifdef RH_IS_PAIR
  rh_value value = {RH_IDENTITY, RH_SECOND_IDENTITY};
  return value;
#else
  return RH_IDENTITY;
#endif
}

/* The element p[i] as a value. */
static inline rh_value rh_load(rh_operands p, ulong i) {
#if defined(RH_MAP)
  RH_SCALAR scalar = RH_TO_SCALAR(rh_map_at(p, i), );
#elif defined(RH_TYPE_f16)
  RH_SCALAR scalar = RH_TO_SCALAR(vload_half(i, (__global const half *)p), );
#else
  RH_SCALAR scalar = RH_TO_SCALAR(p[i], );
#endif
#ifdef RH_IS_INDEXED
  rh_value value = {scalar, RH_INDEX(p, i)};
  return value;
#elif defined(RH_IS_SCALED)
  rh_value value;
  value.mantissa = rh_split(scalar, &value.exponent);
  return value;
#else
  return scalar;
#endif
}

/* a's elements come before b's. Indices break ties, never the order of arrival. */
static inline rh_value rh_combine(rh_value a, rh_value b) {
#ifdef RH_IS_INDEXED
  return RH_BEATS(b.key, a.key) || (b.key == a.key && b.index < a.index) ? b : a;
#elif defined(RH_IS_SCALED)
  rh_value value;
  value.exponent = a.exponent + b.exponent;
  value.mantissa = rh_multiply(a.mantissa, b.mantissa, &value.exponent);
  return value;
#else
  return RH_APPLY(a, b);
#endif
}

#endif
