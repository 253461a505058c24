/* The exact answer, computed on the host, and the check of a strategy's answer against it. */
#ifndef RH_REDUCE_REFERENCE_H
#define RH_REDUCE_REFERENCE_H

#include "../operators/operator.h"
#include "enclosed.h"
#include "exact.h"
#include "exact_prod.h"
#include <redhost/redhost.h>

/* The results of a struct operator in several orders: how far they lie apart is what rounding does
 * to these data.  Nothing is proved by it. */
enum { RH_SAMPLED_ORDERS = 16 };
typedef struct rh_sampled {
  uint32_t n; /* results; 0: this is not one */
  int is_exact;
  int by_device;       /* code: the first order is not the canonical one */
  rh_result canonical; /* in the canonical order */
  double least[RH_MOST_RESULTS], most[RH_MOST_RESULTS];
  /* The operator's values in each order, of which the first is canonical.  Exact: only that. */
  uint32_t n_orders;
  _Alignas(16) unsigned char values[RH_SAMPLED_ORDERS][RH_ANY_VALUE_BYTES];
} rh_sampled;

/* The exact facts about one input under one operator. */
typedef struct rh_reference {
  uint32_t op;
  rh_type type;
  uint64_t n;
  rh_result result;   /* correctly rounded to the result type; of a struct, in canonical order */
  uint32_t exact;     /* 1: every order gives exactly this result: compare for equality */
  rh_exact_sum sum;   /* float sums and asums: the exact sum and sum of magnitudes */
  rh_exact_prod prod; /* float products */
  _Alignas(16) unsigned char value[16]; /* of operators that are exact in every order */
  double map_error;                     /* of mapped elements: rh_exprs_error(); else 0 */
  rh_enclosed enclosed; /* of a map whose functions err; of no elements: it is not known */
  rh_sampled sampled;   /* operators whose value is a struct */
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
 * `data` is naturally aligned; n = 0 gives the identity.  The last bit of a float product may
 * depend on `threads`, nothing else does.
 */
rh_status rh_reference_compute(rh_reference *reference, uint32_t op, rh_type type, const void *data,
                               uint64_t n, uint32_t threads, const rh_reporter *reporter,
                               rh_error *error);

/* The same for a user's operator on its operands. */
rh_status rh_reference_compute_custom(rh_reference *reference, const rh_operator *custom,
                                      const rh_arrays *arrays, uint64_t n, uint32_t threads,
                                      const rh_reporter *reporter, rh_error *error);

/* The reference of no elements, to which those of parts are added. */
void rh_reference_init(rh_reference *reference, uint32_t op, rh_type type);
/* Adds the sums or products of the elements of `part`.  The values of exact operators and structs
 * are the caller's to combine: their order may count. */
void rh_reference_add(rh_reference *whole, const rh_reference *part);
/* The result, of the sums or products that were added, or of `value` or sampled.values. */
void rh_reference_conclude(rh_reference *whole, const rh_operator *custom);

/* Judges a result.  depth: the most combinations that an element passed through, 0 if unknown (then
 * n-1).  flushes: the device flushes subnormals of this type. */
void rh_reference_judge(const rh_reference *reference, const rh_result *result, uint64_t depth,
                        int flushes, rh_verdict *verdict);

#endif
