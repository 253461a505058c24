/* The loops of redhost/exact.h for vectors of RH_LANES_BYTES.  SPDX-License-Identifier: MIT
 *
 * exact.h includes this once for each width, with RH_LANES(name), a function's name, and
 * RH_LANES_CODE, its attributes.  Their callers read the processor's flags, so none of them is
 * inlined.  n is a multiple of RH_EXACT_ROUND. */

typedef double RH_LANES(f64) __attribute__((vector_size(RH_LANES_BYTES), may_alias, aligned(1)));
typedef float RH_LANES(f32) __attribute__((vector_size(RH_LANES_BYTES / 2), may_alias, aligned(1)));
typedef int64_t RH_LANES(i64) __attribute__((vector_size(RH_LANES_BYTES), may_alias, aligned(1)));
typedef int32_t RH_LANES(i32) __attribute__((vector_size(RH_LANES_BYTES), may_alias, aligned(1)));
typedef int32_t RH_LANES(half_i32)
    __attribute__((vector_size(RH_LANES_BYTES / 2), may_alias, aligned(1)));
typedef float RH_LANES(floats) __attribute__((vector_size(RH_LANES_BYTES / 2)));
typedef int16_t RH_LANES(halves) __attribute__((vector_size(RH_LANES_BYTES / 2)));
typedef float RH_LANES(whole_floats) __attribute__((vector_size(RH_LANES_BYTES)));
typedef double RH_LANES(doubles) __attribute__((vector_size(RH_LANES_BYTES)));
typedef uint16_t RH_LANES(quarter_u16)
    __attribute__((vector_size(RH_LANES_BYTES / 4), may_alias, aligned(1)));

/* W doubles a vector. */
#define RH_LANES_W                RH_LANES_BYTES / 8
#define RH_LANES_AT(type, p)      (*(RH_LANES(type) *)(uintptr_t)(p))
#define RH_LANES_EACH(k, n)       RH_EXACT_UNROLLED for (int k = 0; k < (n); k++)
#define RH_LANES_AHEAD(p)         __builtin_prefetch((const char *)(p) + RH_EXACT_AHEAD)
#define RH_LANES_IS_LINE(j, size) ((j) * (size) * (RH_LANES_W) % 64 == 0)

/* f32 as f64.  GCC 12 converts halves of a vector, which takes two to four times as long. */
#if RH_LANES_BYTES == 16 || defined(__clang__)
#define RH_LANES_WIDE(v) __builtin_convertvector(v, RH_LANES(f64))
#elif RH_LANES_BYTES == 32
#define RH_LANES_WIDE(v) (RH_LANES(f64)) __builtin_ia32_cvtps2pd256((RH_LANES(floats))(v))
#else
#define RH_LANES_WIDE(v)                                                                           \
  (RH_LANES(f64))                                                                                  \
      __builtin_ia32_cvtps2pd512_mask((RH_LANES(floats))(v), (RH_LANES(doubles)){0}, -1, 4)
#endif

/* Is a lane infinite or NaN? */
#define RH_LANES_PUT(a, n, out)                                                                    \
  do {                                                                                             \
    RH_LANES(i64) special = {0};                                                                   \
    RH_LANES_EACH(j, n) {                                                                          \
      special |= ((RH_LANES(i64))(a)[j] & RH_EXACT_INFINITY) == RH_EXACT_INFINITY;                 \
      RH_LANES_AT(f64, (out) + j * RH_LANES_W) = (a)[j];                                           \
    }                                                                                              \
    int any = 0;                                                                                   \
    RH_LANES_EACH(j, RH_LANES_W) any |= special[j] != 0;                                           \
    return any;                                                                                    \
  } while (0)

/* f32: 8 * W lanes of doubles. */
RH_LANES_CODE int RH_LANES(add_f32)(const float *x, uint64_t n, const double *in, double *out) {
  RH_LANES(f64) a[8];
  RH_LANES_EACH(j, 8) a[j] = RH_LANES_AT(f64, in + j * RH_LANES_W);
  for (uint64_t i = 0; i < n; i += 8 * RH_LANES_W) RH_LANES_EACH(j, 8) {
      if (RH_LANES_IS_LINE(j, 4)) RH_LANES_AHEAD(x + i + j * RH_LANES_W);
      a[j] += RH_LANES_WIDE(RH_LANES_AT(f32, x + i + j * RH_LANES_W));
    }
  RH_LANES_PUT(a, 8, out);
}

/* Those of a magnitude from `least` on to the lower half of the lanes, others to the upper half. */
RH_LANES_CODE int RH_LANES(add_f32_apart)(const float *x, uint64_t n, double least,
                                          const double *in, double *out) {
  RH_LANES(f64) a[8];
  RH_LANES_EACH(j, 8) a[j] = RH_LANES_AT(f64, in + j * RH_LANES_W);
  for (uint64_t i = 0; i < n; i += 4 * RH_LANES_W) RH_LANES_EACH(j, 4) {
      if (RH_LANES_IS_LINE(j, 4)) RH_LANES_AHEAD(x + i + j * RH_LANES_W);
      RH_LANES(f64) v = RH_LANES_WIDE(RH_LANES_AT(f32, x + i + j * RH_LANES_W));
      RH_LANES(i64) is_large = (RH_LANES(f64))((RH_LANES(i64))v & INT64_MAX) >= least;
      a[j] += (RH_LANES(f64))((RH_LANES(i64))v & is_large);
      a[4 + j] += (RH_LANES(f64))((RH_LANES(i64))v & ~is_large);
    }
  RH_LANES_PUT(a, 8, out);
}

/* f64: the upper 26 bits of significands, and in the upper half of the lanes the rest. */
RH_LANES_CODE int RH_LANES(add_f64)(const double *x, uint64_t n, const double *in, double *out) {
  RH_LANES(f64) a[8];
  RH_LANES_EACH(j, 8) a[j] = RH_LANES_AT(f64, in + j * RH_LANES_W);
  for (uint64_t i = 0; i < n; i += 4 * RH_LANES_W) RH_LANES_EACH(j, 4) {
      if (RH_LANES_IS_LINE(j, 8)) RH_LANES_AHEAD(x + i + j * RH_LANES_W);
      RH_LANES(f64) v = RH_LANES_AT(f64, x + i + j * RH_LANES_W);
      RH_LANES(f64) high = (RH_LANES(f64))((RH_LANES(i64))v & RH_EXACT_UPPER);
      a[j] += high;
      a[4 + j] += v - high;
    }
  RH_LANES_PUT(a, 8, out);
}

/* f64, with what each addition loses (Knuth's TwoSum), in 4 * W lanes. */
RH_LANES_CODE int RH_LANES(add_f64_losing)(const double *x, uint64_t n, const double *in,
                                           double *out, double *lost) {
  RH_LANES(f64) a[4];
  RH_LANES_EACH(j, 4) a[j] = RH_LANES_AT(f64, in + j * RH_LANES_W);
  for (uint64_t i = 0; i < n; i += 4 * RH_LANES_W) RH_LANES_EACH(j, 4) {
      if (RH_LANES_IS_LINE(j, 8)) RH_LANES_AHEAD(x + i + j * RH_LANES_W);
      RH_LANES(f64) v = RH_LANES_AT(f64, x + i + j * RH_LANES_W);
      RH_LANES(f64) sum = a[j] + v;
      RH_LANES(f64) z = sum - a[j];
      RH_LANES_AT(f64, lost + i + j * RH_LANES_W) = (a[j] - (sum - z)) + (v - z);
      a[j] = sum;
    }
  RH_LANES_PUT(a, 4, out);
}

/* What was lost, as one sum; in 8 * W lanes. */
RH_LANES_CODE int RH_LANES(add_lost)(const double *lost, uint64_t n, const double *in,
                                     double *out) {
  RH_LANES(f64) a[8];
  RH_LANES_EACH(j, 8) a[j] = RH_LANES_AT(f64, in + j * RH_LANES_W);
  for (uint64_t i = 0; i < n; i += 8 * RH_LANES_W)
    RH_LANES_EACH(j, 8) a[j] += RH_LANES_AT(f64, lost + i + j * RH_LANES_W);
  RH_LANES_PUT(a, 8, out);
}

/* Those of a magnitude from `least` on, one after the other, with 0 in their places among the
 * others; how many they are. */
RH_LANES_CODE uint64_t RH_LANES(part_f64)(const double *x, uint64_t n, double least, double *large,
                                          double *others) {
  uint64_t n_large = 0;
  for (uint64_t i = 0; i < n; i += 8 * RH_LANES_W) {
    RH_LANES(i64) any = {0};
    RH_LANES_EACH(j, 8) {
      if (RH_LANES_IS_LINE(j, 8)) RH_LANES_AHEAD(x + i + j * RH_LANES_W);
      RH_LANES(f64) v = RH_LANES_AT(f64, x + i + j * RH_LANES_W);
      RH_LANES(i64) is_large = (RH_LANES(f64))((RH_LANES(i64))v & INT64_MAX) >= least;
      RH_LANES_AT(i64, others + i + j * RH_LANES_W) = (RH_LANES(i64))v & ~is_large;
      any |= is_large;
    }
    int64_t found = 0;
    RH_LANES_EACH(j, RH_LANES_W) found |= any[j];
    for (uint64_t k = i; found && k < i + 8 * RH_LANES_W; k++)
      if (x[k] >= least || x[k] <= -least) large[n_large++] = x[k];
  }
  return n_large;
}

/* The exponent fields and signed significands of n elements; is one of them infinite or NaN? */
RH_LANES_CODE int RH_LANES(take_f32)(const void *x, uint64_t n, int32_t *fields,
                                     int32_t *significands) {
  RH_LANES(i32) special = {0};
  int any = 0;
  for (uint64_t i = 0; i < n; i += 2 * RH_LANES_W) {
    RH_LANES_AHEAD((const int32_t *)x + i);
    RH_LANES(i32) u = RH_LANES_AT(i32, (const int32_t *)x + i);
    RH_LANES(i32) field = u >> 23 & 0xff;
    RH_LANES(i32) s = (u & 0x7fffff) | ((field != 0) & 0x800000);
    RH_LANES(i32) sign = u < 0;
    RH_LANES_AT(i32, fields + i) = field;
    RH_LANES_AT(i32, significands + i) = (s ^ sign) - sign;
    special |= field == 0xff;
  }
  RH_LANES_EACH(j, 2 * RH_LANES_W) any |= special[j] != 0;
  return any;
}

/* The flags of the infinities and NaN among n elements. */
RH_LANES_CODE uint64_t RH_LANES(flags_f32)(const void *x, uint64_t n) {
  const int32_t infinity = 0x7f800000;
  RH_LANES(i32) nan = {0};
  RH_LANES(i32) plus = {0};
  RH_LANES(i32) minus = {0};
  uint64_t flags = 0;
  for (uint64_t i = 0; i < n; i += 2 * RH_LANES_W) {
    RH_LANES(i32) u = RH_LANES_AT(i32, (const int32_t *)x + i);
    nan |= (u & INT32_MAX) > infinity;
    plus |= u == infinity;
    minus |= u == (infinity | INT32_MIN);
  }
  for (int j = 0; j < 2 * RH_LANES_W; j++) {
    if (nan[j]) flags |= RH_EXACT_OTHERS | RH_EXACT_NAN;
    if (plus[j]) flags |= RH_EXACT_OTHERS | RH_EXACT_PLUS;
    if (minus[j]) flags |= RH_EXACT_OTHERS | RH_EXACT_MINUS;
  }
  return flags;
}

/* Without the bits that `kept` lacks, n words of 8 bytes. */
RH_LANES_CODE void RH_LANES(keep)(const void *x, uint64_t n, int64_t kept, void *to) {
  for (uint64_t i = 0; i < n; i += RH_LANES_W)
    RH_LANES_AT(i64, (int64_t *)to + i) = RH_LANES_AT(i64, (const int64_t *)x + i) & kept;
}

/* f16 as f32, exactly.  signs: 0x8000, or 0: without them. */
#if RH_LANES_BYTES == 64
#ifdef __clang__
#define RH_LANES_ALL ((unsigned short)-1)
#else
#define RH_LANES_ALL -1 /* of a signed type there */
#endif
RH_LANES_CODE void RH_LANES(widen)(const void *x, uint64_t n, int32_t signs, float *to) {
  const int16_t kept = (int16_t)(0x7fff | signs);
  for (uint64_t i = 0; i < n; i += 2 * RH_LANES_W) {
    RH_LANES(halves) half;
    memcpy(&half, (const uint16_t *)x + i, sizeof half);
    RH_LANES(whole_floats)
    wide =
        __builtin_ia32_vcvtph2ps512_mask(half & kept, (RH_LANES(whole_floats)){0}, RH_LANES_ALL, 4);
    memcpy(to + i, &wide, sizeof wide);
  }
}
#else
RH_LANES_CODE void RH_LANES(widen)(const void *x, uint64_t n, int32_t signs, float *to) {
  const RH_LANES(f32) smallest = (RH_LANES(f32))((RH_LANES(half_i32)){0} + 0x38800000); /* 2^-14 */
  for (uint64_t i = 0; i < n; i += RH_LANES_W) {
    RH_LANES(quarter_u16) half = RH_LANES_AT(quarter_u16, (const uint16_t *)x + i);
    RH_LANES(half_i32) u = __builtin_convertvector(half, RH_LANES(half_i32));
    RH_LANES(half_i32) m = u & 0x7fff;
    RH_LANES(half_i32) is_tiny = m < 0x400;
    RH_LANES(half_i32) is_special = m >= 0x7c00;
    RH_LANES(half_i32) bits = (m << 13) + 0x38000000;
    RH_LANES(f32) tiny = (RH_LANES(f32))(bits + 0x800000) - smallest;
    bits = (bits & ~is_tiny) | ((RH_LANES(half_i32))tiny & is_tiny) | (is_special & 0x7f800000);
    RH_LANES_AT(half_i32, to + i) = bits | (u & signs) << 16;
  }
}
#endif

static const rh_exact_lanes RH_LANES(lanes) = {
    RH_LANES(add_f32),  RH_LANES(add_f32_apart), RH_LANES(add_f64),  RH_LANES(add_f64_losing),
    RH_LANES(add_lost), RH_LANES(part_f64),      RH_LANES(take_f32), RH_LANES(flags_f32),
    RH_LANES(keep),     RH_LANES(widen),         8 * RH_LANES_W};

#undef RH_LANES_W
#undef RH_LANES_AT
#undef RH_LANES_EACH
#undef RH_LANES_AHEAD
#undef RH_LANES_IS_LINE
#undef RH_LANES_PUT
#undef RH_LANES_ALL
#undef RH_LANES_WIDE
