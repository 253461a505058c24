/* Exact sums of floats, rounded once.  One launch: each work-item takes chunks of RH_PACKS packs,
 * and looks at the exponents of a chunk before it adds.  Where these are near enough to each other,
 * no addition can round:
 *   f16  in two parts at a fixed place (extraction), as floats, and then as integers; always
 *   f32  as doubles; where they are farther apart, in two parts
 *   f64  in two parts
 * What chunks come to is kept in three doubles, with what each addition loses (TwoSum).  A chunk
 * whose exponents are too far apart, or that has what is infinite or NaN, goes element by element
 * to the group's bins, as integers: so does all where RH_DOUBLES is not defined, and where a
 * device's doubles turn out not to be those of IEEE 754.
 *
 * Bin k counts 2^(32 k) of the smallest subnormal.  It has 64 bits, as two words, which atomics of
 * 32 bits add to, the upper one with the carry of the lower; RH_COPIES of each bin keep work-items
 * out of each other's way, and where each has its own, no atomics are needed.  2^31 additions fit
 * in a copy, and plugins/extraction.c sees to it that there are at most 2^30.  A group's sum goes
 * to digits of 16 bits in words of 32, to which 2^12 groups can add before one overflows, in any
 * order.  The last group to arrive carries and rounds.
 *   -DRH_FINISH_LAUNCH  a second launch does */
#define EXTRACTION __kernel __attribute__((reqd_work_group_size(RH_GROUP, 1, 1)))

#ifdef RH_DOUBLES
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

/* ---- The format ---- */

#ifdef RH_TYPE_f64
typedef ulong bits_of;
typedef double number;
#define LOWEST         (-1074) /* a bin's unit is 2^LOWEST */
#define BINS           66
#define FRACTION_BITS  52
#define EXPONENT_MASK  0x7ffu
#define BITS_OF(x)     as_ulong(x)
#define BIAS           1023
#define MOST_FIELD     2005 /* so that no sum of 2^40 elements overflows */
#else
typedef uint bits_of;
typedef float number;
#define LOWEST         (-149) /* f16 is added as f32 */
#define BINS           11
#define FRACTION_BITS  23
#define EXPONENT_MASK  0xffu
#define BITS_OF(x)     as_uint(x)
#define BIAS           127
#define MOST_FIELD     254
#endif
#define FRACTION_MASK (((bits_of)1 << FRACTION_BITS) - 1)
#define DIGITS        (2 * BINS + 2)

/* Local memory, in words: the bins, the sums' digits, the copies of the flags, and others. */
#define SUMS      (2 * BINS * RH_COPIES)
#define FLAGS     (SUMS + DIGITS + 2)
#define ALL_FLAGS (FLAGS + RH_COPIES)
#define LEAST     (ALL_FLAGS + 1)
#define MOST      (LEAST + 1)
#define IS_LAST   (MOST + 1)
#define WORDS     (IS_LAST + 1)

#define HAS_OTHERS 1u /* than -0 */
#define HAS_NAN    2u
#define HAS_PLUS   4u /* an infinity */
#define HAS_MINUS  8u

#define VECTOR(type)         RH_PASTE(type, RH_WIDTH)
#define CONVERT(type)        RH_PASTE(RH_PASTE(convert_, type), RH_WIDTH)
#define VECTOR_AS(type)      RH_PASTE(RH_PASTE(as_, type), RH_WIDTH)

/* ---- The bins of a group ---- */

/* Adds magnitude * 2^at units.  The copies of a bin's lower word lie side by side, and then those
 * of the upper one.  The lower words are all on their way before one is waited for. */
static inline void add_integer(__local uint *bins, bool is_negative, ulong magnitude, uint at) {
  uint k = at / 32, by = at % 32;
  long parts[3] = {(uint)(magnitude << by), (uint)(magnitude >> (32 - by)),
                   (uint)(magnitude >> 32 >> (32 - by))};
  __local uint *low = bins + k * 2 * RH_COPIES + get_local_id(0) % RH_COPIES;
#if RH_COPIES == RH_GROUP
#pragma unroll
  for (uint j = 0; j < 3; j++, low += 2 * RH_COPIES) {
    if (!parts[j]) continue;
    ulong all = ((ulong)low[RH_COPIES] << 32 | low[0]) + (is_negative ? -parts[j] : parts[j]);
    low[0] = (uint)all;
    low[RH_COPIES] = (uint)(all >> 32);
  }
#else
  uint before[3];
#pragma unroll
  for (uint j = 0; j < 3; j++) {
    parts[j] = is_negative ? -parts[j] : parts[j];
    if (parts[j]) before[j] = atomic_add(low + j * 2 * RH_COPIES, (uint)parts[j]);
  }
#pragma unroll
  for (uint j = 0; j < 3; j++) {
    if (!parts[j]) continue;
    uint upper = (uint)(parts[j] >> 32) + (before[j] > ~(uint)parts[j]);
    if (upper) atomic_add(low + (j * 2 + 1) * RH_COPIES, upper);
  }
#endif
}

static inline uint add_element(__local uint *bins, number x) {
  bits_of bits = BITS_OF(x), fraction = bits & FRACTION_MASK;
  uint field = (uint)(bits >> FRACTION_BITS) & EXPONENT_MASK;
  bool is_negative = bits >> (8 * sizeof bits - 1);
  if (field == EXPONENT_MASK) return fraction ? HAS_NAN : is_negative ? HAS_MINUS : HAS_PLUS;
  if (field) fraction |= (bits_of)1 << FRACTION_BITS;
  if (fraction) add_integer(bins, is_negative, fraction, field ? field - 1 : 0);
  return is_negative && !fraction ? 0 : HAS_OTHERS;
}

/* ---- What a work-item has ---- */

typedef struct {
#ifdef RH_TYPE_f16
  long high, low; /* in units of 2^-4 and 2^-24 */
#elif defined(RH_DOUBLES)
  double kept[3];
#endif
  bool is_exact; /* floating-point numbers add as they should */
  uint flags;
} sum;

typedef RH_PASTE(RH_SCALAR, RH_WIDTH) numbers;

#define PLUS(a, b) ((a) + (b))
#define DEFINE_FOLD(name, type, both)                                                              \
  static inline type RH_PASTE(name, 2)(RH_PASTE(type, 2) v) { return both(v.x, v.y); }             \
  static inline type RH_PASTE(name, 4)(RH_PASTE(type, 4) v) {                                      \
    return RH_PASTE(name, 2)(both(v.lo, v.hi));                                                    \
  }                                                                                                \
  static inline type RH_PASTE(name, 8)(RH_PASTE(type, 8) v) {                                      \
    return RH_PASTE(name, 4)(both(v.lo, v.hi));                                                    \
  }                                                                                                \
  static inline type RH_PASTE(name, 16)(RH_PASTE(type, 16) v) {                                    \
    return RH_PASTE(name, 8)(both(v.lo, v.hi));                                                    \
  }
#define FOLD(name) RH_PASTE(name, RH_WIDTH)

/* Of zeros. */
static inline uint others_of(const rh_pack *packs) {
  uint flags = 0;
#pragma unroll
  for (uint u = 0; u < RH_CHUNK; u++)
    if (any(VECTOR_AS(RH_SIGNED)(rh_pack_scalars(packs[u])) >= 0)) flags = HAS_OTHERS;
  return flags;
}

/* begin: `one` is 1, which the compiler does not know, so that what it does to the sums below it
 * does to this test of them, too. */
#if defined(RH_TYPE_f16)
DEFINE_FOLD(fold_int, int, PLUS)
DEFINE_FOLD(fold_float, float, PLUS)

/* x + 1.5*2^19 rounds to a multiple of 2^-4.  Of at most 16 elements, each below 2^16, these parts
 * come to at most 2^20, and what is left of each is at most 2^-5, a multiple of 2^-24: both sums
 * have at most 24 bits.  False: an element is not finite, and nothing has been added. */
static inline bool add_chunk(sum *to, __local uint *bins, const rh_pack *packs) {
  if (!to->is_exact) return false;
  numbers high = 0, low = 0;
#pragma unroll
  for (uint u = 0; u < RH_CHUNK; u++) {
    numbers x = rh_pack_scalars(packs[u]), part = (x + 0x1.8p19f) - 0x1.8p19f;
    high += part;
    low += x - part;
  }
  float all_low = FOLD(fold_float)(low);
  if (all_low != all_low) return false;
  int more = FOLD(fold_int)(CONVERT(int)(high * 0x1p4f));
  int less = FOLD(fold_int)(CONVERT(int)(low * 0x1p24f));
  to->high += more;
  to->low += less;
  if (!(to->flags & HAS_OTHERS)) to->flags |= more || less ? HAS_OTHERS : others_of(packs);
  return true;
}

static inline void begin(sum *mine, uint one) {
  float known = one, large = known * 0x1.8p19f;
  mine->is_exact = (known * 0x1.2p-3f + large) - large == 0x1.0p-3f; /* to a multiple of 2^-4 */
  mine->high = mine->low = 0;
}

static inline void add_long(__local uint *bins, long x, uint at) {
  if (x) add_integer(bins, x < 0, (ulong)(x < 0 ? -x : x), at);
}
static inline void put_away(const sum *mine, __local uint *bins) {
  add_long(bins, mine->high, -4 - LOWEST);
  add_long(bins, mine->low, -24 - LOWEST);
}

#elif defined(RH_DOUBLES)
static inline void add_double(__local uint *bins, double x) {
  ulong bits = as_ulong(x), fraction = bits & 0xfffffffffffffUL;
  int field = (int)(bits >> 52 & 0x7ff), at = max(field, 1) - 1 - (1074 + LOWEST);
  if (field) fraction |= 1UL << 52;
  if (at < 0) fraction >>= min(-at, 63); /* the bits below a unit are 0 */
  if (fraction) add_integer(bins, bits >> 63, fraction, (uint)max(at, 0));
}

/* Knuth's: the result and *lost are together a + b. */
static inline double two_sum(double a, double b, double *lost) {
  double s = a + b, t = s - a;
  *lost = (a - (s - t)) + (b - t);
  return s;
}

static inline void keep(sum *to, __local uint *bins, double x) {
#pragma unroll
  for (int k = 0; k < 3; k++) {
    if (x == 0) return;
    to->kept[k] = two_sum(to->kept[k], x, &x);
  }
  if (x != 0) add_double(bins, x);
}

/* On numbers that the compiler does not know: two_sum() loses nothing, extraction rounds to a unit,
 * and subnormals are there. */
static inline void begin(sum *mine, uint one) {
  double known = one, large = known * 0x1.8p52, tiny = known * 0x1p-1022 * 0.5, lost;
  double s = two_sum(known * 0x1p53, known * 3, &lost);
  mine->is_exact = s == 0x1p53 + 4 && lost == -1 && (known * 1.25 + large) - large == 1 &&
                   tiny + tiny == 0x1p-1022;
  mine->kept[0] = mine->kept[1] = mine->kept[2] = 0;
}

static inline void put_away(const sum *mine, __local uint *bins) {
  double x = mine->kept[0], next = mine->kept[1];
#pragma unroll 1 /* little code, for this runs once */
  for (uint k = 0; k < 3; k++) {
    add_double(bins, x);
    x = next;
    next = mine->kept[2];
  }
}

DEFINE_FOLD(fold_double, double, PLUS)

/* What exponents are compared as: on GPUs, of f64 the upper word. */
#if defined(RH_TYPE_f64) && !defined(RH_BLOCKS)
#define KEY uint
#define KEY_BITS 21
#else
#define KEY RH_WORD
#define KEY_BITS (FRACTION_BITS + 1)
#endif
DEFINE_FOLD(fold_least, KEY, min)
DEFINE_FOLD(fold_most, KEY, max)

/* The exponent fields of the least and the largest element, but for zeros; false: there are only
 * zeros. */
static inline bool exponents_of(const rh_pack *packs, uint *least, uint *most) {
  VECTOR(KEY) low = (KEY)-1, high = 0;
#pragma unroll
  for (uint u = 0; u < RH_CHUNK; u++) {
    VECTOR(RH_WORD) x = VECTOR_AS(RH_WORD)(rh_pack_scalars(packs[u]));
#if defined(RH_TYPE_f64) && !defined(RH_BLOCKS)
    /* A subnormal may have its bits in the lower word alone. */
    VECTOR(uint) key = CONVERT(uint)(x >> 32) << 1, rest = min(CONVERT(uint)(x), 1u);
    low = min(low, key + rest - 1);
    high = max(high, key | rest);
#else
    low = min(low, (x << 1) - 1);
    high = max(high, x << 1);
#endif
  }
  KEY highest = FOLD(fold_most)(high);
  *least = max((uint)((FOLD(fold_least)(low) + 1) >> KEY_BITS), 1u);
  *most = max((uint)(highest >> KEY_BITS), 1u);
  return highest != 0;
}

/* False: nothing has been added.
 *
 * Elements are below 2^h and multiples of the unit of the least one; a chunk has 2^c of them.  In
 * one part, sums are below 2^(h+c).  In two, x + 1.5*2^(52+u) rounds to a multiple of 2^u, and what
 * is left is at most 2^(u-1): with u = h + c - 53, the sum of the first parts has at most 53 bits,
 * and that of the others, too, if the least unit is at least 2^(u-1+c-53). */
static inline bool add_chunk(sum *to, __local uint *bins, const rh_pack *packs) {
  uint least, most;
  if (!to->is_exact) return false;
  if (!exponents_of(packs, &least, &most)) {
    to->flags |= others_of(packs);
    return true;
  }
  if (most > MOST_FIELD || most - least > 106 - FRACTION_BITS - 2 * RH_LOG_CHUNK) return false;
  to->flags |= HAS_OTHERS;
  VECTOR(double) high = 0, low = 0;
#ifdef RH_TYPE_f32
  if (most - least <= 52 - FRACTION_BITS - RH_LOG_CHUNK) {
#pragma unroll
    for (uint u = 0; u < RH_CHUNK; u++) high += CONVERT(double)(rh_pack_scalars(packs[u]));
  } else
#endif
  {
    int unit = (int)most - BIAS + 1 + RH_LOG_CHUNK - 53;
    double large = as_double((ulong)(1075 + unit) << 52 | 1UL << 51);
#pragma unroll
    for (uint u = 0; u < RH_CHUNK; u++) {
      VECTOR(double) x = CONVERT(double)(rh_pack_scalars(packs[u])), part = (x + large) - large;
      high += part;
      low += x - part;
    }
  }
  double x = FOLD(fold_double)(high), rest = FOLD(fold_double)(low);
#pragma unroll 1
  for (uint k = 0; k < 2; k++) {
    keep(to, bins, x);
    x = rest;
  }
  return true;
}

#else
static inline void begin(sum *mine, uint one) { mine->is_exact = false; }
static inline bool add_chunk(sum *to, __local uint *bins, const rh_pack *packs) { return false; }
static inline void put_away(const sum *mine, __local uint *bins) {}
#endif

/* ---- A work-item's share ---- */

/* As onepass has it: elements first .. first+n-1, most of them in aligned packs.  Packs begin at
 * input[pack], counted in packs: each work-item takes `steps` times RH_CHUNK of them, and `rest`
 * more are shared out, less than one step of the grid.  `outside` elements are in no pack: `head`
 * before the packs, the others after them. */
#define SHARE_PARAMETERS                                                                           \
  __global const rh_pack *input, ulong pack, uint steps, uint rest, ulong first, ulong n,          \
      uint head, uint outside, uint one

/* Work-items load side by side, as a GPU's memory wants it; with -DRH_BLOCKS, for CPUs, each of
 * them reads a block of its own. */
#ifdef RH_BLOCKS
#define PACKS_APART(stride) 1
#define OF_ITEM(steps)      ((ulong)(steps)*RH_CHUNK)
#else
#define PACKS_APART(stride) (stride)
#define OF_ITEM(steps)      1
#endif

#if defined(RH_BLOCKS)
#define MINUS_ZEROS ((rh_pack)MINUS_ZERO)
#ifdef RH_TYPE_f16
#define MINUS_ZERO 0x8000
#elif defined(RH_TYPE_f32)
#define MINUS_ZERO -0.0f
#else
#define MINUS_ZERO -0.0
#endif
#elif defined(RH_TYPE_f64)
#define MINUS_ZEROS ((rh_pack)(0, 0x80000000, 0, 0x80000000))
#elif defined(RH_TYPE_f32)
#define MINUS_ZEROS ((rh_pack)(0x80000000))
#else
#define MINUS_ZEROS ((rh_pack)(0x80008000))
#endif

/* From memory, once more: registers are not indexed. */
static inline uint add_each(__local uint *bins, __global const rh_pack *from, ulong stride,
                            uint count) {
  uint flags = 0;
  for (uint u = 0; u < count; u++) {
    RH_SCALAR each[RH_WIDTH];
    RH_PASTE(vstore, RH_WIDTH)(rh_pack_scalars(from[u * stride]), 0, each);
#pragma unroll
    for (uint k = 0; k < RH_WIDTH; k++) flags |= add_element(bins, each[k]);
  }
  return flags;
}

static inline void load_chunk(rh_pack *packs, __global const rh_pack *from, ulong apart,
                              uint count) {
  if (count == RH_CHUNK) {
#pragma unroll
    for (uint u = 0; u < RH_CHUNK; u++) packs[u] = from[u * apart];
  } else {
#pragma unroll
    for (uint u = 0; u < RH_CHUNK; u++) packs[u] = u < count ? from[u * apart] : MINUS_ZEROS;
  }
}

static inline void clear(__local uint *words) {
#pragma unroll 4
  for (uint at = get_local_id(0); at < WORDS; at += RH_GROUP) words[at] = at == LEAST ? DIGITS : 0;
}

static inline void take_share(SHARE_PARAMETERS, __local uint *bins) {
  uint id = (uint)(get_group_id(0) * RH_GROUP + get_local_id(0));
  uint stride = (uint)(get_num_groups(0) * RH_GROUP);
  sum mine;
  mine.flags = 0;
  begin(&mine, one);
  __global const rh_pack *from = input + pack + (ulong)id * OF_ITEM(steps);
  ulong apart = PACKS_APART(stride);
  for (uint s = 0, count = RH_CHUNK;; s++, from += RH_CHUNK * apart) {
    rh_pack packs[RH_CHUNK];
    if (s == steps) {
      from = input + pack + (ulong)steps * RH_CHUNK * stride + id;
      apart = stride;
      count = id < rest ? (rest - id + stride - 1) / stride : 0;
    }
    load_chunk(packs, from, apart, count);
    if (s == 0) { /* while the first loads are on their way */
      clear(bins);
      rh_barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (count && !add_chunk(&mine, bins, packs)) mine.flags |= add_each(bins, from, apart, count);
    if (s == steps) break;
  }
  __global const rh_element *elements = (__global const rh_element *)input + first;
  for (uint i = id; i < outside; i += stride)
    mine.flags |= add_element(bins, rh_load(elements, i < head ? i : n - outside + i));
  put_away(&mine, bins);
  if (mine.flags) {
#if RH_COPIES == RH_GROUP
    bins[FLAGS + get_local_id(0)] = mine.flags;
#else
    atomic_or(bins + FLAGS + get_local_id(0) % RH_COPIES, mine.flags);
#endif
  }
}

/* ---- A group's sum ---- */

#if RH_GROUP == 1
#define INCREASE(word, by) (*(word) += (by))
#define INCLUDE(word, bits) (*(word) |= (bits))
#define LOWER(word, to) (*(word) = min(*(word), (to)))
#define RAISE(word, to) (*(word) = max(*(word), (to)))
#else
#define INCREASE(word, by) atomic_add((word), (by))
#define INCLUDE(word, bits) atomic_or((word), (bits))
#define LOWER(word, to) atomic_min((word), (to))
#define RAISE(word, to) atomic_max((word), (to))
#endif

/* The sum of some of a bin's copies; work-items of neighbouring bins begin with copies of their
 * own, which lie in banks of their own. */
static inline long bin_of(__local const uint *bins, uint k, uint part) {
  long all = 0;
#pragma unroll 4 /* little code: this runs once, from a cold instruction cache */
  for (uint c = 0; c < RH_COPIES / RH_PARTS; c++) {
    uint copy = part * (RH_COPIES / RH_PARTS) + (c + k) % (RH_COPIES / RH_PARTS);
    __local const uint *low = bins + k * 2 * RH_COPIES + copy;
    all += (long)((ulong)low[RH_COPIES] << 32 | low[0]);
  }
  return all;
}

/* RH_PARTS work-items share a bin. */
static inline void gather(__local uint *bins) {
  for (uint at = get_local_id(0); at < BINS * RH_PARTS; at += RH_GROUP) {
    uint k = at % BINS;
    long all = bin_of(bins, k, at / BINS);
    for (uint j = 0; j < 4 && all; j++) {
      int digit = j < 3 ? (int)(all & 0xffff) : (int)all;
      if (digit) INCREASE((__local int *)bins + SUMS + 2 * k + j, digit);
      all >>= 16;
    }
  }
  for (uint c = get_local_id(0); c < RH_COPIES; c += RH_GROUP)
    if (bins[FLAGS + c]) INCLUDE(bins + ALL_FLAGS, bins[FLAGS + c]);
}

static inline void group_sum(SHARE_PARAMETERS, __local uint *bins) {
  take_share(input, pack, steps, rest, first, n, head, outside, one, bins);
  rh_barrier(CLK_LOCAL_MEM_FENCE);
  gather(bins);
  rh_barrier(CLK_LOCAL_MEM_FENCE);
}

/* ---- The result ---- */

/* The sum in words of 32 bits, the lowest first, after carrying; negative: in two's complement.
 * Word k has the first of two places: pairs of digits had the room. */
typedef struct {
  bool is_negative;
  int first; /* the lowest that is not 0 */
  int top;   /* the highest of the magnitude that is not 0 */
} carried;

/* Word k of the magnitude. */
static inline uint word_of(__local const uint *words, const carried *sum, int k) {
  if (k < sum->first) return 0;
  return sum->is_negative ? ~words[2 * k] + (k == sum->first) : words[2 * k];
}

/* To nearest, ties to even.  The exponent field counts on where the fraction overflows, up to
 * infinity. */
static inline bits_of rounded(__local const uint *words, const carried *sum) {
  int k = sum->top - 2; /* where these 96 bits begin: `lower`, then `upper` */
  uint lower = word_of(words, sum, k), sticky = sum->first < k;
  ulong upper = (ulong)word_of(words, sum, k + 2) << 32 | word_of(words, sum, k + 1);
  int last = 32 * k + 95 - (int)clz(upper) - FRACTION_BITS;
  if (last <= 0) return (bits_of)(upper >> (sum->top == 0 ? 32 : 0));
  int by = last - 32 * k; /* the bits that are kept begin here, 12 or more above the lowest */
  ulong kept = by < 32 ? upper << (32 - by) | lower >> by : upper >> (by - 32);
  uint tie = by <= 32 ? lower >> (by - 1) & 1 : (uint)(upper >> (by - 33)) & 1;
  if (by <= 32)
    sticky |= (lower & ((1u << (by - 1)) - 1)) != 0;
  else
    sticky |= lower || upper & ((1UL << (by - 33)) - 1);
  kept += tie & (sticky | (uint)kept);
  ulong most = (ulong)EXPONENT_MASK << FRACTION_BITS;
  return (bits_of)min(((ulong)last << FRACTION_BITS) + kept, most);
}

/* By one work-item: words from `least` to `most` are not all 0. */
static inline bits_of sum_of(__local uint *words, int least, int most, uint flags) {
  bits_of infinity = (bits_of)EXPONENT_MASK << FRACTION_BITS;
  bits_of minus = (bits_of)1 << (8 * sizeof(bits_of) - 1);
  if (flags & HAS_NAN || (flags & HAS_PLUS && flags & HAS_MINUS)) return infinity | infinity >> 1;
  if (flags & (HAS_PLUS | HAS_MINUS)) return flags & HAS_MINUS ? minus | infinity : infinity;
  if (least > most) return flags & HAS_OTHERS ? 0 : minus;
  carried sum = {false, BINS + 2, least};
  int top_below = least; /* if the sum is negative */
  long carry = 0;
  for (int k = least; k <= most + 1; k++) {
    if (k <= most) carry += (long)((ulong)words[2 * k + 1] << 32 | words[2 * k]);
    uint word = (uint)carry;
    carry >>= 32;
    words[2 * k] = word;
    if (word && k < sum.first) sum.first = k;
    if (word) sum.top = k;
    if (~word) top_below = k;
  }
  if (sum.first > BINS + 1) return 0; /* and there are others than zeros */
  sum.is_negative = carry < 0;
  if (sum.is_negative) sum.top = max(sum.first, top_below);
  return rounded(words, &sum) | (sum.is_negative ? minus : 0);
}

/* Two digits are a word, and what it carries. */
static inline void finish(__local uint *words, __global rh_value *result, ulong result_index) {
  __local uint *sums = words + SUMS;
  for (int k = get_local_id(0); k < DIGITS / 2; k += RH_GROUP) {
    long both = (int)sums[2 * k] + (long)(int)sums[2 * k + 1] * 65536;
    sums[2 * k] = (uint)both;
    sums[2 * k + 1] = (uint)(both >> 32);
    if (!both) continue;
    LOWER((__local int *)words + LEAST, k);
    RAISE((__local int *)words + MOST, k);
  }
  rh_barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0)
    result[result_index] = RH_PASTE(as_, RH_SCALAR)(
        sum_of(sums, (int)words[LEAST], (int)words[MOST], words[ALL_FLAGS]));
}

/* ---- From group to group ---- */

/* sums: DIGITS and flags, all 0 before and after a launch. */
static inline void leave(__local const uint *words, __global int *sums) {
  for (uint k = get_local_id(0); k < DIGITS; k += RH_GROUP)
    if (words[SUMS + k]) atomic_add(sums + k, (int)words[SUMS + k]);
  if (get_local_id(0) == 0) atomic_or(sums + DIGITS, (int)words[ALL_FLAGS]);
}

static inline void collect(__local uint *words, __global int *sums) {
  for (uint k = get_local_id(0); k <= DIGITS; k += RH_GROUP)
    words[k < DIGITS ? SUMS + k : ALL_FLAGS] = (uint)atomic_xchg(sums + k, 0);
  rh_barrier(CLK_LOCAL_MEM_FENCE);
}

#ifdef RH_FINISH_LAUNCH
EXTRACTION void extraction(SHARE_PARAMETERS, __local uint *words, __global int *sums) {
  group_sum(input, pack, steps, rest, first, n, head, outside, one, words);
  leave(words, sums);
}

EXTRACTION void extraction_finish(__local uint *words, __global int *sums,
                                  __global rh_value *result, ulong result_index) {
  clear(words);
  rh_barrier(CLK_LOCAL_MEM_FENCE);
  collect(words, sums);
  finish(words, result, result_index);
}
#else

/* Atomics on words of their own order nothing; what does is the arrival.  All additions of a group
 * happen before its barrier, and that before the arrival of its first work-item, which releases
 * and acquires at device scope: in OpenCL 2 and 3 by itself, in PTX by the fences around it, which
 * are cumulative.  So the last group to arrive sees the additions of all others, and takes the
 * sums by exchanging them for 0, again with atomics: no cache has an older value. */
#ifdef RH_SEES_WHILE_RUNNING
#if RH_NVIDIA_SM >= 70
#define FENCE() asm volatile("fence.acq_rel.gpu;" ::: "memory")
#else
#define FENCE() asm volatile("membar.gl;" ::: "memory")
#endif
#else
#define FENCE()
#endif

EXTRACTION void extraction(SHARE_PARAMETERS, __local uint *words, __global int *sums,
                           __global uint *tickets, __global rh_value *result, ulong result_index) {
  uint groups = (uint)get_num_groups(0);
  group_sum(input, pack, steps, rest, first, n, head, outside, one, words);
  if (groups > 1) {
    leave(words, sums);
    rh_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
      FENCE();
      words[IS_LAST] = rh_is_last_to_arrive(tickets, groups);
      FENCE();
    }
    rh_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (!words[IS_LAST]) return;
    collect(words, sums);
  }
  finish(words, result, result_index);
}
#endif
