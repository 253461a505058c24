/* The exact answer, computed on the host, and the check of a strategy's answer against it. */
#pragma once

#include "../operation/operator.h"
#include "exact_prod.h"
#include "field_sum.h"
#include <redhost/redhost.h>

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

/* The result on exact data at the same n (exact_data.h), if the verdict needs it. */
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
