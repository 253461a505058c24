/* The exact answer, computed on the host, and the check of a strategy's answer against it. */
#pragma once

#include <float.h>

#include "../data/data.h"
#include "../operation/operation.h"

/* The canonical order of docs/inside/bits.md: data that tell it from every other order, and the
 * results that it gives. */

/* Fills n elements of a float type with numbers whose sums (or products, for prod) round at nearly
 * every step, so that another order gives other bits, and that neither overflow nor vanish. */
void rh_canonical_data(uint32_t op, rh_type type, uint64_t seed, void *elements, uint64_t n);

/* The result of an operator that rounds (rh_op_rounds) in the canonical order. */
void rh_canonical_result(uint32_t op, rh_type type, const void *elements, uint64_t n,
                         rh_result *result);

/* Are the values' bits equal?  Two NaNs are. */
int rh_canonical_same(const rh_result *a, const rh_result *b);

/* A trial of the promise on few elements, whose tree has an odd number of nodes at several levels.
 * Zero-initialised is empty. */
typedef struct rh_canonical_trial {
  rh_array array;
  rh_result expected;
} rh_canonical_trial;

/* most: elements, at most; shared: another process can map the elements, too.  Finish it even after
 * a failure. */
rh_status rh_canonical_trial_make(rh_canonical_trial *trial, uint32_t op, rh_type type,
                                  uint64_t most, int shared, rh_error *error);
void rh_canonical_trial_finish(rh_canonical_trial *trial);
/* RH_OK, or RH_E_WRONG with both results' bits; `name`: the strategy's. */
rh_status rh_canonical_trial_judge(const rh_canonical_trial *trial, uint32_t op, const char *name,
                                   const rh_result *result, rh_error *error);

static inline int rh_op_is_sum(uint32_t op) { return op == RH_OP_sum || op == RH_OP_asum; }

/* ---- How far a device's result may lie from the host's because functions of the map err ---- */

/* Zero-initialised is that of no elements. */
typedef struct rh_enclosed {
  uint64_t n, n_unknown; /* elements, and those of which nothing is known */
  double below, above;   /* the sums of what elements may be less, or more, than the host's */
  double least, most;    /* what the least or largest element, or magnitude, may be */
} rh_enclosed;

/* Is anything kept for this operator? */
int rh_enclosed_serves(const rh_operator *op);

/* Adds elements first .. first+n-1, which are mapped[] here, or what is loaded for a field of a
 * struct that is their sum. */
void rh_enclosed_add(rh_enclosed *to, const rh_operator *op, uint32_t field, rh_type type,
                     const rh_arrays *arrays, uint64_t first, uint64_t n, const void *mapped);
/* Adds the elements of `part`. */
void rh_enclosed_merge(rh_enclosed *to, uint32_t op, const rh_enclosed *part);

/* Magnitudes in fixed point that is wide enough for sums of any floats, and of their products. */

__extension__ typedef unsigned __int128 rh_u128;
__extension__ typedef __int128 rh_i128;

/* In units of 2^-2148, the smallest product of two f64; limb[0] is the least significant.  4352
 * bits hold the sum of 2^64 products of 2^2048, and some.  Zero-initialised is zero. */
enum { RH_FIXED_LIMBS = 68, RH_FIXED_UNIT = 2148 };
typedef struct rh_fixed {
  uint64_t limb[RH_FIXED_LIMBS];
} rh_fixed;

/* The place of the smallest subnormal of a type. */
enum {
  RH_FIXED_F16_LOWEST = RH_FIXED_UNIT - 24,
  RH_FIXED_F32_LOWEST = RH_FIXED_UNIT - 149,
  RH_FIXED_F64_LOWEST = RH_FIXED_UNIT - 1074
};

void rh_fixed_add(rh_fixed *x, const rh_fixed *y);                /* *x += *y */
void rh_fixed_add_shifted(rh_fixed *x, rh_u128 value, int shift); /* *x += value * 2^shift */

/* *distance = |x - y|; is x below y? */
int rh_fixed_distance(rh_fixed *distance, const rh_fixed *x, const rh_fixed *y);

/* Rounded to f32 or f64, infinity where that overflows, or, type 0, to 64 bits or a long double's
 * precision: to nearest, ties to even, or up. */
long double rh_fixed_rounded(const rh_fixed *x, rh_type type, int up);

/* Exact sums of floats, whatever their number, order and range: gathered by redhost/exact.h, and
 * then in fixed point wide enough for every product of two f64, too, from which the sum S, the sum
 * of magnitudes A and the distance to any result are read, rounded once.  That rounding is not the
 * one of redhost/exact.h, which strategies use. */

/* What decides a sum before its finite elements do.  Zero-initialised is that of none. */
typedef struct rh_specials {
  uint64_t n;
  uint64_t nans, plus_infinities, minus_infinities; /* 1: there are some */
  uint64_t has_others;                              /* 0: every element is -0 */
} rh_specials;

static inline int rh_has_specials(const rh_specials *of) {
  return of->nans || of->plus_infinities || of->minus_infinities;
}

/* Zero-initialised is the empty sum. */
typedef struct rh_exact_sum {
  rh_fixed positive, negative; /* sums of magnitudes of the finite elements: S = P - N, A = P + N */
  rh_specials specials;
} rh_exact_sum;

/* What gathers elements before they are folded into a sum; a few hundred KiB.  [one thread at a
 * time] */
typedef struct rh_exact_bins rh_exact_bins;
/* type: a float's.  magnitudes: 1: of the elements without their signs.  Null: out of memory. */
rh_exact_bins *rh_exact_bins_create(rh_type type, int magnitudes);
void rh_exact_bins_destroy(rh_exact_bins *bins); /* null is legal */
void rh_exact_bins_add(rh_exact_bins *bins, const void *data, uint64_t n);
/* x[j]*y[j], j < n, of f32 or f64, into bins of f64.  A product of significands is an integer:
 * there is nothing to round and nothing that could overflow, not even between the smallest
 * subnormals.  Infinities and NaN count as their product in IEEE 754 does. */
void rh_exact_bins_add_products(rh_exact_bins *bins, rh_type type, const void *x, const void *y,
                                uint64_t n);
/* Adds the bins' contents to *sum and empties them. */
void rh_exact_bins_fold(rh_exact_bins *bins, rh_exact_sum *sum);

void rh_exact_sum_merge(rh_exact_sum *sum, const rh_exact_sum *other);

/* S rounded to nearest, as rh_fixed_rounded() does.  The result is as in IEEE 754: NaN where an
 * element is NaN or both infinities occur, else the infinity that occurs, else infinity where the
 * rounded sum overflows.  An S of zero is -0 if there are elements and all are -0, else +0. */
long double rh_exact_sum_rounded(const rh_exact_sum *sum, rh_type type);

/* A */
long double rh_exact_abs_up(const rh_exact_sum *sum); /* of the finite elements only, rounded up */

/* |S - result| over the finite elements, rounded up; 0 exactly where they agree.  `result` is
 * finite. */
long double rh_exact_sum_error(const rh_exact_sum *sum, double result);

/* Products of floats with significands and exponents kept apart: nothing overflows and nothing
 * underflows.
 *
 * They are not exact as the sums are: the significands are multiplied in long double, which costs
 * at most one unit roundoff of that an element. */

/* mantissa * 2^exponent.  The mantissa is in [0.5, 1) between calls. */
typedef struct rh_scaled {
  long double mantissa;
  int64_t exponent;
} rh_scaled;

typedef struct rh_exact_prod {
  rh_scaled magnitude; /* of the elements that are finite and not 0 */
  uint64_t n, zeros, nans, infinities;
  uint64_t negatives; /* elements with the sign bit set, but for NaNs */
  uint64_t uneven;    /* finite elements but zeros whose magnitude is not a power of two */
} rh_exact_prod;

void rh_exact_prod_init(rh_exact_prod *prod); /* the empty product, 1 */
void rh_exact_prod_add(rh_exact_prod *prod, rh_type type, const void *data, uint64_t n);
void rh_exact_prod_merge(rh_exact_prod *prod, const rh_exact_prod *other);

/* The product as IEEE 754 means it: NaN, signed infinities and zeros included; else with a relative
 * error of at most rh_exact_prod_precision. */
long double rh_exact_prod_long(const rh_exact_prod *prod);
long double rh_exact_prod_precision(const rh_exact_prod *prod);

/* log2 of x over their magnitude, for finite x > 0: 0 if, and only if, they are equal. */
long double rh_exact_prod_distance(const rh_exact_prod *prod, long double x);

/* The exact sum of which a float is a rounded one: of a field of a struct, or of a mapped sum whose
 * result is made of it.  It has only what bounds need, so that a struct can have many. */

/* Zero-initialised is the empty sum. */
typedef struct rh_field_sum {
  long double sum;                /* of the finite elements; it errs by at most `lost` */
  long double positive, negative; /* the sums of the magnitudes of either sign, rounded up */
  long double lost;
  rh_specials specials;
  rh_enclosed enclosed; /* of a load whose functions err; of no elements: there are none */
} rh_field_sum;

void rh_field_sum_of(rh_field_sum *to, const rh_exact_sum *exact, const rh_enclosed *enclosed);
void rh_field_sum_merge(rh_field_sum *to, const rh_field_sum *part);
/* Rounded to the type, as the sum of an rh_exact_sum is. */
double rh_field_sum_rounded(const rh_field_sum *sum, rh_type type);

/* The values of a struct operator in several orders: how far they lie apart is what rounding does
 * to these data.  Nothing is proved by it. */
enum { RH_SAMPLED_ORDERS = 16, RH_MOST_ORDERS = RH_SAMPLED_ORDERS + 1 };
typedef struct rh_sampled {
  int by_device;     /* code: the first order is not the canonical one */
  uint32_t n_orders; /* 0: this is not one */
  /* The first is canonical.  It is the only one where every field is exact or a sum. */
  _Alignas(16) unsigned char values[RH_MOST_ORDERS][RH_ANY_VALUE_BYTES];
} rh_sampled;

/* The exact facts about one input under one operator. */
typedef struct rh_reference {
  const rh_operator *op;
  uint64_t n;
  rh_result result;   /* the built-in operator's, correctly rounded to the result type */
  rh_result answer;   /* as users see it: what is made of `result`, or of a struct's fields */
  uint32_t exact;     /* 1: every order gives exactly this result: compare for equality */
  rh_exact_sum sum;   /* float sums and asums: the exact sum and sum of magnitudes */
  rh_exact_prod prod; /* float products */
  _Alignas(16) unsigned char value[16]; /* of operators that are exact in every order */
  double map_error;                     /* of mapped elements: rh_exprs_error(); else 0 */
  rh_enclosed enclosed; /* of a map whose functions err; of no elements: it is not known */
  rh_sampled sampled;   /* operators whose value is a struct */
  rh_field_sum sums[RH_MOST_FIELDS]; /* of its fields that are sums of floats */
} rh_reference;

enum { RH_VERDICT_OK = 0, RH_VERDICT_WRONG = 1, RH_VERDICT_UNJUDGED = 2 };

/* The result on exact data at the same n (core/run), if the verdict needs it. */
enum { RH_EXACT_DATA_NONE, RH_EXACT_DATA_OK, RH_EXACT_DATA_WRONG, RH_EXACT_DATA_NOT_TRIED };

typedef struct rh_verdict {
  int verdict;
  double error, bound; /* both 0 if answers must be equal; NaN if not applicable */
  double error_ulp;    /* of the result type, at the exact answer; NaN if not applicable */
  uint64_t depth;      /* the h of the bound; n - 1 for products */
  /* 1: not a check by itself, because the bound is weak or nothing is judged */
  int weak;
  int exact_data; /* RH_EXACT_DATA_* */
  char text[256]; /* "equal", "error 2 of at most 540 (h = 270)", or why it cannot be judged */
  char exact_text[256]; /* "exact data at this n: ok", or "" */
} rh_verdict;

/* Computes the reference with `threads` threads (0: one per processor; short inputs get fewer).
 * The arrays are naturally aligned; n = 0 gives the identity.  The last bit of a float product may
 * depend on `threads`, nothing else does.
 */
rh_status rh_reference_compute(rh_reference *reference, const rh_operator *op,
                               const rh_arrays *arrays, uint64_t n, uint32_t threads,
                               const rh_reporter *reporter, rh_error *error);
/* Takes one array, for an operator without constants. */
static inline rh_status rh_reference_of_array(rh_reference *reference, const rh_operator *op,
                                              const void *array, uint64_t n, uint32_t threads,
                                              const rh_reporter *reporter, rh_error *error) {
  const rh_arrays arrays = {.operands = {array}};
  return rh_reference_compute(reference, op, &arrays, n, threads, reporter, error);
}

/* The reference of no elements, to which those of parts are added. */
void rh_reference_init(rh_reference *reference, const rh_operator *op);
/* Adds the sums or products of the elements of `part`.  The values of exact operators and structs
 * are the caller's to combine: their order may count.  sampled.n_orders, too. */
void rh_reference_add(rh_reference *whole, const rh_reference *part);
/* The result, of the sums or products that were added, or of `value` or sampled.values. */
void rh_reference_conclude(rh_reference *whole);
/* Judges a result.  depth: the most combinations that an element passed through, 0 if unknown (then
 * n-1), or RH_DEPTH_ONE_ROUNDING.  flushes: the device flushes subnormals of this type. */
void rh_reference_judge(const rh_reference *reference, const rh_result *result, uint64_t depth,
                        int flushes, rh_verdict *verdict);

/* Whatever the result of such a depth is: does what it may differ by allow so much that it is not
 * judged?  Of operators that have no exact data. */
int rh_reference_allows_much(const rh_operator *op, uint64_t depth, uint64_t n);

/* Judges a value before results are made of it: that of a part of the data, one of several that
 * make the whole's. */
void rh_reference_judge_value(const rh_reference *reference, const void *value, uint64_t depth,
                              int flushes, rh_verdict *verdict);

/* ---- Definitions shared by the judges of sums and of products: see check.c ---- */

/* The float type of a computation and its result. */
typedef struct rh_judge_format {
  int digits;     /* of the significand */
  long double u;  /* unit roundoff */
  int emin, emax; /* the smallest normal number is 2^emin, and 2^emax overflows */
  /* products of at most this many elements err by at most (n-1)*u: Rump, Bünger, Jeannerod 2016 */
  uint64_t linear_n;
} rh_judge_format;

typedef struct rh_judged {
  const rh_reference *reference;
  double result;
  rh_judge_format format;
  int flushes;
  rh_verdict *verdict;
} rh_judged;

/* Bounds are rounded up by this factor: more than the few operations that compute them can lose. */
#define RH_ROUND_UP(x) ((x) * (1 + 16 * LDBL_EPSILON))

long double rh_judged_largest(const rh_judged *j); /* finite number of the format */

__attribute__((format(printf, 4, 5))) void rh_verdict_say(rh_verdict *verdict, int kind,
                                                          double error, const char *text, ...);

int rh_equal_floats(double a, double b); /* every NaN equals every other; -0 is not +0 */

rh_judge_format rh_judge_format_of(rh_type type);
/* error / the distance of neighbouring numbers of the type at x */
double rh_judged_ulps(rh_type type, double x, double error);
/* Does this bound allow much of what it bounds? */
int rh_judged_is_weak(long double bound, long double magnitude);

/* The bound of a product's relative error; j->verdict->depth is set. */
long double rh_judge_prod_relative(const rh_judged *j);

/* The unit roundoff of sums over such elements. */
double rh_unit_of_type(rh_type type);
