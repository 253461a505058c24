/* redhost/exact.h: sums of floats, exact and rounded once, on the host; header only.
 * SPDX-License-Identifier: MIT
 *
 * For plugins of host code that promise RH_ROUNDS_ONCE, and for checks.  Nothing here is part of
 * the ABI.
 *
 * What makes it fast is the processor's own inexact flag: a block is added to running sums in
 * doubles, and where the flag stays clear, no addition has rounded.  Where it does not, the block
 * is taken back and added with more care: f32 in two classes of magnitude, f64 with what each
 * addition loses; or at last as integers, to a bin for each exponent (the long accumulator of
 * Kulisch).  Processors without AVX2 have bins alone. */
#ifndef REDHOST_EXACT_H
#define REDHOST_EXACT_H

#ifdef __cplusplus
#error "redhost/exact.h is C; compile the functions that need it as C"
#endif
#ifdef __FAST_MATH__
#error "redhost/exact.h needs the arithmetic of IEEE 754: compile without -ffast-math"
#endif

#include "control.h"
#include "exact_state.h"
#include "plugin.h"

/* ---- The loops ---- */

enum {
  RH_EXACT_BLOCK = 4096, /* elements; of f64 half as many */
  RH_EXACT_ROUND = 64,
  RH_EXACT_LANES = 64,
  RH_EXACT_SETS = 4,
  RH_EXACT_AHEAD = 2048,     /* bytes: how far the loops ask for what they read */
  RH_EXACT_FIELDS = 2048,    /* of exponents */
  RH_EXACT_LONGEST_WAIT = 64 /* blocks, until an easier way is tried again */
};
#define RH_EXACT_INFINITY  ((int64_t)0x7ff << 52)
#define RH_EXACT_IMPLICIT  ((int64_t)1 << 52)
#define RH_EXACT_FRACTION  (RH_EXACT_IMPLICIT - 1)
#define RH_EXACT_UPPER     (~(((int64_t)1 << 26) - 1))
#define RH_EXACT_FOLD_FROM ((uint64_t)1 << 36) /* elements: a bin of f32 takes 2^39 */
#ifdef __clang__
#define RH_EXACT_UNROLLED _Pragma("unroll")
#else
#define RH_EXACT_UNROLLED _Pragma("GCC unroll 16")
#endif

typedef struct rh_exact_lanes {
  int (*add_f32)(const float *x, uint64_t n, const double *in, double *out);
  int (*add_f32_apart)(const float *x, uint64_t n, double least, const double *in, double *out);
  int (*add_f64)(const double *x, uint64_t n, const double *in, double *out);
  int (*add_f64_losing)(const double *x, uint64_t n, const double *in, double *out, double *lost);
  int (*add_lost)(const double *lost, uint64_t n, const double *in, double *out);
  uint64_t (*part_f64)(const double *x, uint64_t n, double least, double *large, double *others);
  int (*take_f32)(const void *x, uint64_t n, int32_t *fields, int32_t *significands);
  uint64_t (*flags_f32)(const void *x, uint64_t n);
  void (*keep)(const void *x, uint64_t n, int64_t kept, void *to);
  void (*widen)(const void *x, uint64_t n, int32_t signs, float *to);
  uint32_t lanes; /* doubles that add_f32 and add_lost add to; add_f64_losing half as many */
} rh_exact_lanes;

#define RH_LANES_BYTES 16
#define RH_LANES(name) rh_exact_128_##name
#define RH_LANES_CODE  static __attribute__((noinline))
#include "exact_lanes.h"
#undef RH_LANES_BYTES
#undef RH_LANES
#undef RH_LANES_CODE

#if defined(__x86_64__)
#define RH_LANES_BYTES 32
#define RH_LANES(name) rh_exact_256_##name
#define RH_LANES_CODE  static __attribute__((noinline, target("avx2")))
#include "exact_lanes.h"
#undef RH_LANES_BYTES
#undef RH_LANES
#undef RH_LANES_CODE
#define RH_LANES_BYTES 64
#define RH_LANES(name) rh_exact_512_##name
#define RH_LANES_CODE  static __attribute__((noinline, target("avx512f,avx512dq,avx512vl")))
#include "exact_lanes.h"
#undef RH_LANES_BYTES
#undef RH_LANES
#undef RH_LANES_CODE
#endif

/* Inexact or invalid; and what calls of the loops stay on their side of. */
enum { RH_EXACT_HAS_FLAGS = RH_HAS_CONTROL, RH_EXACT_RAISED = 0x21, RH_EXACT_FLAGS = 0x3f };
static inline int rh_exact_is_raised(void) { return (rh_control_read() & RH_EXACT_RAISED) != 0; }
static inline void rh_exact_clear(void) {
  rh_control_write(rh_control_read() & ~(uint32_t)RH_EXACT_FLAGS);
}

/* ---- The accumulator ---- */

/* Running sums, before and after a block. */
typedef struct rh_exact_running {
  double sums[2][RH_EXACT_LANES];
  uint32_t now, is_used;
} rh_exact_running;

/* What gathers elements, some 100 KiB.  Initialise with rh_accumulator_init().  [one thread at a
 * time] */
typedef struct rh_accumulator {
  rh_type type;
  int magnitudes;
  const rh_exact_lanes *lanes;
  uint64_t n, flags;
  uint64_t n_binned; /* f32 in `few`, since it was folded */
  int has_few;
  int64_t low, high;       /* bins that may have something */
  int level;               /* the way that is tried first: 1 to 3 */
  int left, wait;          /* blocks until an easier one is; and what `left` begins with */
  double least;            /* of two classes, the larger one's least magnitude; or 0 */
  rh_exact_running plain;  /* f32; f64 in two halves */
  rh_exact_running second; /* f32 in two classes; f64 */
  rh_exact_running lost;   /* f64: what `second` lost */
  double room[RH_EXACT_BLOCK / 2], errors[RH_EXACT_BLOCK / 2], others[RH_EXACT_BLOCK / 2];
  /* The significands of a sign and an exponent, and how often they overflowed: 2^64 each. */
  uint64_t bins[2 * RH_EXACT_FIELDS], carries[2 * RH_EXACT_FIELDS];
  /* In turn, for adding to the bin just written waits for that store. */
  int64_t few[RH_EXACT_SETS][256 + 8]; /* not half a page apart, or one waits for another */
} rh_accumulator;

/* The widest vectors of the processor that `bits` allows: 0, 512, 256 or 128. */
static inline const rh_exact_lanes *rh_exact_lanes_of(unsigned bits) {
#if defined(__x86_64__)
  int has_512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                __builtin_cpu_supports("avx512vl");
  if ((bits == 0 || bits == 512) && has_512) return &rh_exact_512_lanes;
  if (bits != 128 && __builtin_cpu_supports("avx2")) return &rh_exact_256_lanes;
#endif
  (void)bits;
  return &rh_exact_128_lanes;
}

static inline void rh_exact_running_reset(rh_exact_running *running) {
  for (int k = 0; k < RH_EXACT_LANES; k++) running->sums[0][k] = running->sums[1][k] = -0.0;
  running->now = running->is_used = 0;
}

/* type: a float's.  magnitudes: of the elements without their signs.  bits: 0, or the widest
 * vectors that may be used. */
static inline void rh_accumulator_init(rh_accumulator *to, rh_type type, int magnitudes,
                                       unsigned bits) {
  memset(to, 0, sizeof *to);
  to->type = type;
  to->magnitudes = magnitudes;
  to->lanes = rh_exact_lanes_of(bits);
  to->level = RH_EXACT_HAS_FLAGS ? 1 : 3;
  to->wait = 8;
  to->low = RH_EXACT_FIELDS;
  to->high = -1;
  rh_exact_running_reset(&to->plain);
  rh_exact_running_reset(&to->second);
  rh_exact_running_reset(&to->lost);
}

/* sign_and_field: the upper 12 bits of a double. */
static inline void rh_exact_bin(rh_accumulator *to, uint64_t sign_and_field, uint64_t significand) {
  uint64_t *bin = &to->bins[sign_and_field];
  if (__builtin_expect(__builtin_add_overflow(*bin, significand, bin), 0))
    to->carries[sign_and_field]++;
}

static inline void rh_exact_uses(rh_accumulator *to, int64_t low, int64_t high) {
  if (low < to->low) to->low = low;
  if (high > to->high) to->high = high;
}

static inline uint64_t rh_exact_special(uint64_t fraction, int negative) {
  if (fraction) return RH_EXACT_OTHERS | RH_EXACT_NAN;
  return RH_EXACT_OTHERS | (negative ? RH_EXACT_MINUS : RH_EXACT_PLUS);
}

static inline void rh_exact_bin_double(rh_accumulator *to, double x) {
  uint64_t u;
  memcpy(&u, &x, sizeof u);
  uint64_t field = u >> 52 & 0x7ff, fraction = u & RH_EXACT_FRACTION;
  if (field == 0x7ff) {
    to->flags |= rh_exact_special(fraction, u >> 63 != 0);
    return;
  }
  rh_exact_uses(to, (int64_t)field, (int64_t)field);
  rh_exact_bin(to, u >> 52, fraction | (field ? RH_EXACT_IMPLICIT : 0));
}

/* What lanes add up to is -0 only if all elements were.  In the lower halves of f64 and in two
 * classes it may be 0 even then, but whether there are others is known before these are used. */
static inline void rh_exact_flush(rh_accumulator *to, rh_exact_running *running) {
  for (int k = 0; running->is_used && k < RH_EXACT_LANES; k++) {
    double x = running->sums[running->now][k];
    int is_lower = to->type == RH_TYPE_f64 && k >= (int)to->lanes->lanes / 2;
    if (x != 0) rh_exact_bin_double(to, x);
    if (x != 0 || (running == &to->plain && !is_lower && !__builtin_signbit(x)))
      to->flags |= RH_EXACT_OTHERS;
  }
  rh_exact_running_reset(running);
}

/* ---- Integers, to the bins ---- */

enum { RH_EXACT_BATCH = 512 };

/* Takes back, of n elements that were taken for normal numbers, the leading bits of those that have
 * none, and what is not finite. */
static inline void rh_exact_mend(rh_accumulator *to, const double *x, uint64_t n) {
  uint64_t u, zeros[2] = {0, 0};
  for (uint64_t k = 0; k < n; k++) {
    memcpy(&u, x + k, sizeof u);
    uint64_t field = u >> 52 & 0x7ff;
    if (field == 0) zeros[u >> 63]++;
    if (field == 0x7ff) to->flags |= rh_exact_special(u & RH_EXACT_FRACTION, u >> 63 != 0);
  }
  for (int sign = 0; sign < 2; sign++) {
    uint64_t *bin = &to->bins[sign * RH_EXACT_FIELDS], extra = zeros[sign] << 52;
    if (__builtin_sub_overflow(*bin, extra, bin)) to->carries[sign * RH_EXACT_FIELDS]--;
    to->bins[sign * RH_EXACT_FIELDS + 0x7ff] = to->carries[sign * RH_EXACT_FIELDS + 0x7ff] = 0;
  }
}

/* Each as a normal number, which most are: at most 2^11 of them. */
static inline void rh_exact_bin_f64(rh_accumulator *to, const double *x, uint64_t n) {
  const uint64_t *plus = to->bins, *minus = to->bins + RH_EXACT_FIELDS;
  uint64_t u, before[2] = {*plus, *minus};
  rh_exact_uses(to, 0, RH_EXACT_FIELDS - 1);
  for (uint64_t i = 0; i < n; i += 8) {
    __builtin_prefetch((const char *)(x + i) + RH_EXACT_AHEAD);
    RH_EXACT_UNROLLED for (int k = 0; k < 8; k++) {
      memcpy(&u, x + i + k, sizeof u);
      rh_exact_bin(to, u >> 52, (u & RH_EXACT_FRACTION) | RH_EXACT_IMPLICIT);
    }
  }
  if (*plus != before[0] || *minus != before[1] || plus[0x7ff] || minus[0x7ff])
    rh_exact_mend(to, x, n);
}

/* It skips field 0xff: infinities and NaN, which are in the flags. */
static inline void rh_exact_fold_few(rh_accumulator *to) {
  for (int field = 0; to->has_few && field < 0xff; field++)
    for (int set = 0; set < RH_EXACT_SETS; set++) {
      /* in units of 2^-149, where the bins have 2^-1074 */
      int64_t few = to->few[set][field], at = field + (field == 0) + RH_EXACT_F32_UNIT;
      if (few < 0) rh_exact_bin(to, (uint64_t)at + RH_EXACT_FIELDS, -(uint64_t)few);
      else rh_exact_bin(to, (uint64_t)at, (uint64_t)few);
    }
  if (to->has_few) {
    memset(to->few, 0, sizeof to->few);
    rh_exact_uses(to, RH_EXACT_F32_UNIT, RH_EXACT_F32_UNIT + 0xff);
  }
  to->has_few = 0;
  to->n_binned = 0;
}

static inline void rh_exact_bin_f32(rh_accumulator *to, const float *x, uint64_t n) {
  _Alignas(64) int32_t fields[RH_EXACT_BATCH], significands[RH_EXACT_BATCH];
  if (to->n_binned >= RH_EXACT_FOLD_FROM) rh_exact_fold_few(to);
  to->n_binned += n;
  to->has_few = 1;
  for (uint64_t i = 0; i < n; i += RH_EXACT_BATCH) {
    uint64_t m = n - i < RH_EXACT_BATCH ? n - i : RH_EXACT_BATCH;
    if (to->lanes->take_f32(x + i, m, fields, significands))
      to->flags |= to->lanes->flags_f32(x + i, m);
    for (uint64_t k = 0; k < m; k += RH_EXACT_SETS) {
      to->few[0][fields[k]] += significands[k];
      to->few[1][fields[k + 1]] += significands[k + 1];
      to->few[2][fields[k + 2]] += significands[k + 2];
      to->few[3][fields[k + 3]] += significands[k + 3];
    }
  }
}

/* ---- The three ways of a block ---- */

/* Did the block that began with clear flags round nothing?  `special` is what its loop found. */
static inline int rh_exact_took(rh_exact_running *running, int special) {
  if (!special && !rh_exact_is_raised()) {
    running->now ^= 1;
    running->is_used = 1;
    return 1;
  }
  rh_exact_clear();
  return 0;
}

static inline int rh_exact_add_plainly(rh_accumulator *to, const void *x, uint64_t m) {
  rh_exact_running *sums = &to->plain;
  for (;;) {
    const double *in = sums->sums[sums->now];
    double *out = sums->sums[!sums->now];
    int special = to->type == RH_TYPE_f64 ? to->lanes->add_f64(x, m, in, out)
                                          : to->lanes->add_f32(x, m, in, out);
    if (rh_exact_took(sums, special)) return 1;
    if (!sums->is_used) return 0;
    rh_exact_flush(to, sums); /* it may be what came before */
  }
}

/* Halfway between the exponents of the least and the largest element; 0: there is but one. */
static inline double rh_exact_halfway(const float *x, uint64_t m) {
  uint32_t least = UINT32_MAX, most = 0;
  for (uint64_t k = 0; k < m; k++) {
    uint32_t u;
    memcpy(&u, &x[k], sizeof u);
    u &= INT32_MAX;
    if (u > most) most = u;
    if (u - 1 < least) least = u - 1; /* but for 0 */
  }
  float halfway;
  uint32_t bits = most < least ? 0 : ((least >> 23) + (most >> 23) + 1) / 2 << 23;
  memcpy(&halfway, &bits, sizeof halfway);
  return (double)halfway;
}

static inline int rh_exact_add_apart(rh_accumulator *to, const float *x, uint64_t m) {
  rh_exact_running *sums = &to->second;
  for (int trial = 0; trial < 2; trial++) {
    for (int is_again = 0; to->least > 0 && is_again < 2; is_again++) {
      int special =
          to->lanes->add_f32_apart(x, m, to->least, sums->sums[sums->now], sums->sums[!sums->now]);
      if (rh_exact_took(sums, special)) return 1;
      if (!sums->is_used) break;
      rh_exact_flush(to, sums);
    }
    double least = trial ? 0 : rh_exact_halfway(x, m);
    if (least == 0 || least == to->least) return 0;
    to->least = least;
  }
  return 0;
}

/* Four times the median of the largest magnitudes of 32 elements each, so that few elements are
 * above; 0: NaN, or all are below. */
static inline double rh_exact_above_most(const double *x, uint64_t m) {
  double largest[RH_EXACT_BLOCK / 64], most = 0;
  uint64_t n = m / 32;
  for (uint64_t k = 0; k < n; k++) {
    uint64_t at = k;
    double one = 0;
    for (uint64_t i = 32 * k; i < 32 * k + 32; i++)
      one = one < __builtin_fabs(x[i]) ? __builtin_fabs(x[i]) : one;
    for (; at > 0 && largest[at - 1] > one; at--) largest[at] = largest[at - 1];
    largest[at] = one;
    if (one > most) most = one;
  }
  double least = 4 * largest[n / 2];
  return least < most ? least : 0;
}

/* The few that are much larger than the others, to the bins; and the others. */
static inline int rh_exact_add_part(rh_accumulator *to, const double *x, uint64_t m) {
  uint64_t n_large = to->lanes->part_f64(x, m, to->least, to->errors, to->others);
  rh_exact_clear(); /* of comparisons with NaN, which is among the others */
  if (n_large > m / 16 || !rh_exact_add_plainly(to, to->others, m)) return 0;
  for (uint64_t k = 0; k < n_large; k++) rh_exact_bin_double(to, to->errors[k]);
  return 1;
}

/* Sums may round, for what they lose is known unless they overflow. */
static inline int rh_exact_add_losing(rh_accumulator *to, const double *x, uint64_t m) {
  rh_exact_running *sums = &to->second, *lost = &to->lost;
  for (;;) {
    int special =
        to->lanes->add_f64_losing(x, m, sums->sums[sums->now], sums->sums[!sums->now], to->errors);
    rh_exact_clear();
    if (!special) {
      special = to->lanes->add_lost(to->errors, m, lost->sums[lost->now], lost->sums[!lost->now]);
      if (rh_exact_took(lost, special)) {
        sums->now ^= 1;
        sums->is_used = 1;
        return 1;
      }
    }
    if (!sums->is_used) return 0;
    rh_exact_flush(to, sums);
    rh_exact_flush(to, lost);
  }
}

static inline int rh_exact_add_f64(rh_accumulator *to, const double *x, uint64_t m) {
  if (to->least > 0 && rh_exact_add_part(to, x, m)) return 1;
  to->least = 0;
  if (rh_exact_add_losing(to, x, m)) return 1;
  to->least = rh_exact_above_most(x, m);
  return to->least > 0 && rh_exact_add_part(to, x, m);
}

/* An easier way is tried again after a while, and after a longer one each time that it fails. */
static inline void rh_exact_settle(rh_accumulator *to, int level) {
  if (level <= to->level) return;
  to->level = level;
  to->left = to->wait;
  if (to->wait < RH_EXACT_LONGEST_WAIT) to->wait *= 2;
}

/* RH_EXACT_OTHERS, or 0: all are -0.  Mostly the first is not. */
static inline uint64_t rh_exact_others(const rh_accumulator *to, const void *x, uint64_t m) {
  uint64_t word, zeros = (uint64_t)1 << 63, words = m;
  if (to->type != RH_TYPE_f64) {
    zeros |= 0x80000000;
    words /= 2;
  }
  for (uint64_t k = 0; k < words; k++) {
    memcpy(&word, (const char *)x + 8 * k, sizeof word);
    if (word != zeros) return RH_EXACT_OTHERS;
  }
  return 0;
}

/* m is a multiple of RH_EXACT_ROUND. */
static inline void rh_exact_add_block(rh_accumulator *to, const void *x, uint64_t m) {
  if (RH_EXACT_HAS_FLAGS && to->level > 1 && to->left-- <= 0) to->level--;
  if (to->level == 1 && rh_exact_add_plainly(to, x, m)) return;
  if (!(to->flags & RH_EXACT_OTHERS)) to->flags |= rh_exact_others(to, x, m);
  if (to->level <= 2) {
    int is_added =
        to->type == RH_TYPE_f64 ? rh_exact_add_f64(to, x, m) : rh_exact_add_apart(to, x, m);
    rh_exact_settle(to, 2 + !is_added);
    if (is_added) return;
  }
  if (to->type == RH_TYPE_f64) rh_exact_bin_f64(to, x, m);
  else rh_exact_bin_f32(to, x, m);
}

/* ---- What users call ---- */

static inline uint64_t rh_exact_element_bytes(rh_type type) {
  return type == RH_TYPE_f64   ? sizeof(double)
         : type == RH_TYPE_f32 ? sizeof(float)
                               : sizeof(uint16_t);
}

/* The block as it is added: f16 as f32, without signs if so asked for, and with -0 at its end. */
static inline const void *rh_exact_prepare(rh_accumulator *to, const void *x, uint64_t *m) {
  uint64_t bytes = rh_exact_element_bytes(to->type), rest = *m % RH_EXACT_ROUND;
  if (rest) {
    void *copy = to->type == RH_TYPE_f16 ? to->errors : to->room;
    memcpy(copy, x, *m * bytes);
    x = copy;
    for (; *m % RH_EXACT_ROUND; ++*m) {
      memset((char *)copy + *m * bytes, 0, bytes);
      ((unsigned char *)copy)[(*m + 1) * bytes - 1] = 0x80;
    }
  }
  if (to->type == RH_TYPE_f16) {
    to->lanes->widen(x, *m, to->magnitudes ? 0 : 0x8000, (float *)to->room);
    return to->room;
  }
  if (!to->magnitudes) return x;
  to->lanes->keep(x, *m * bytes / sizeof(int64_t),
                  to->type == RH_TYPE_f64 ? INT64_MAX : 0x7fffffff7fffffff, to->room);
  return to->room;
}

/* n elements; of any alignment. */
static inline void rh_accumulator_add(rh_accumulator *to, const void *x, uint64_t n) {
  const unsigned char *from = (const unsigned char *)x;
  uint64_t bytes = rh_exact_element_bytes(to->type);
  uint64_t block = to->type == RH_TYPE_f64 ? RH_EXACT_BLOCK / 2 : RH_EXACT_BLOCK;
  uint32_t before = rh_control_read();
  if (n) to->flags |= RH_EXACT_ELEMENTS | (to->magnitudes ? RH_EXACT_OTHERS : 0);
  to->n += n;
  rh_control_write(0x1f80); /* to nearest, subnormals kept, nothing trapped */
  for (uint64_t m; n > 0; from += m * bytes, n -= m) {
    m = n < block ? n : block;
    uint64_t whole = m;
    const void *prepared = rh_exact_prepare(to, from, &whole);
    rh_exact_add_block(to, prepared, whole);
  }
  rh_control_write(before);
}

/* Adds value * 2^shift to the words, units of 2^-1074. */
static inline void rh_exact_add_words(uint64_t *words, int64_t high, uint64_t low, int shift) {
  int at = shift / 64, by = shift % 64;
  uint64_t sign = high < 0 ? UINT64_MAX : 0, carry = 0;
  uint64_t parts[3] = {low << by, (uint64_t)high << by, sign};
  if (by) {
    parts[1] |= low >> (64 - by);
    parts[2] = (uint64_t)(high >> (64 - by));
  }
  for (int k = at; k < RH_EXACT_WORDS; k++) {
    uint64_t part = k - at < 3 ? parts[k - at] : sign, sum = words[k] + carry;
    carry = sum < carry;
    sum += part;
    carry += sum < part;
    words[k] = sum;
  }
}

/* Adds what it has gathered to *state, and is empty again. */
static inline void rh_accumulator_take(rh_accumulator *from, rh_exact_state *state) {
  rh_exact_state own = {0};
  rh_exact_flush(from, &from->plain);
  rh_exact_flush(from, &from->second);
  rh_exact_flush(from, &from->lost);
  rh_exact_fold_few(from);
  for (int64_t field = from->low; field <= from->high; field++) {
    uint64_t *low = from->bins + field, *high = from->carries + field;
    int shift = field ? (int)field - 1 : 0;
    if (*low || *high) rh_exact_add_words(own.words, (int64_t)*high, *low, shift);
    *low = *high = 0;
    low += RH_EXACT_FIELDS;
    high += RH_EXACT_FIELDS;
    if (*low || *high) rh_exact_add_words(own.words, -(int64_t)*high - (*low != 0), -*low, shift);
    *low = *high = 0;
  }
  from->low = RH_EXACT_FIELDS;
  from->high = -1;
  own.n = from->n;
  own.flags = from->flags;
  from->n = from->flags = 0;
  rh_exact_state_merge(state, &own);
}

#endif
