/* Definitions shared by the judges of sums and of products: see check.c. */
#pragma once

#include "reference.h"

#include <float.h>

/* The float type of a computation and its result. */
typedef struct rh_judge_format {
  int digits;     /* of the significand */
  int emin, emax; /* the smallest normal number is 2^emin, and 2^emax overflows */
  /* products of at most this many elements err by at most (n-1)*u: Rump, Bünger, Jeannerod 2016 */
  uint64_t linear_n;
} rh_judge_format;

typedef struct rh_judged {
  const rh_reference *reference;
  double result;
  long double u; /* unit roundoff */
  rh_judge_format format;
  int flushes;
  rh_verdict *verdict;
} rh_judged;

/* Bounds are rounded up by this factor: more than the few operations that compute them can lose. */
#define RH_ROUND_UP(x) ((x) * (1 + 16 * LDBL_EPSILON))

long double rh_judged_largest(const rh_judged *j); /* finite number of the format */

__attribute__((format(printf, 4, 5))) void rh_verdict_say(rh_verdict *verdict, int kind,
                                                          double error, const char *text, ...);

/* The verdicts.  `why` follows "A instead of B", and may be "". */
void rh_judged_equal(const rh_judged *j);
void rh_judged_unknown(const rh_judged *j, const char *why);
void rh_judged_wrong(const rh_judged *j, const char *why);
/* magnitude: the scale of the error; letter: the symbol of the depth. */
void rh_judged_error(const rh_judged *j, long double exact, long double error, long double bound,
                     long double magnitude, char letter);

int rh_equal_floats(double a, double b); /* every NaN equals every other; -0 is not +0 */

rh_judge_format rh_judge_format_of(rh_type type);
/* error / the distance of neighbouring numbers of the type at x */
double rh_judged_ulps(rh_type type, double x, double error);
/* Does this bound allow much of what it bounds? */
int rh_judged_is_weak(long double bound, long double magnitude);

/* judge_prod.c */
void rh_judge_prod(const rh_judged *j);
long double rh_judge_prod_relative(const rh_judged *j); /* the bound; j->verdict->depth is set */

/* The unit roundoff of sums over such elements. */
double rh_unit_of_type(rh_type type);
