/* The laws that an operator has to keep, examined before its first use. */
#pragma once

#include "../custom/custom.h"

/* Is an operator what it claims to be?  Its combination must be associative, and commutative if it
 * says so, and its identity must change no value.
 *
 * Formulas of + - * / and == are computed at random points modulo the prime 2^61 - 1: what holds
 * there is an identity of rational functions (Schwartz 1980; Zippel 1979).  This tells a wrong
 * formula from rounding, but says nothing of branches.  These are tried with values that elements
 * can reach: small integers and halves, on which floats do not round, ties, integers at the ends of
 * their range, ordinary numbers; and with values of many elements.  Where floats round,
 * results may differ by rounding.
 *
 * A difference that is due to NaN, the sign of a zero, an overflow or an underflow is a note: a
 * user may want such an operator. */

typedef enum rh_law { RH_LAW_IDENTITY, RH_LAW_ASSOCIATIVE, RH_LAW_COMMUTATIVE, RH_LAWS } rh_law;

/* How far a law is known to hold. */
enum {
  RH_LAW_UNTRIED,
  RH_LAW_BROKEN,      /* there is a counterexample */
  RH_LAW_SAMPLED,     /* in all cases that were tried */
  RH_LAW_PROVED,      /* as an identity, and in all cases that were tried */
  RH_LAW_PROVED_APART /* the same, but where == holds: there only in all cases that were tried */
};

enum { RH_ALGEBRA_NOTES = RH_LAWS + 1, RH_ALGEBRA_TEXT = 400 };

typedef struct rh_algebra_report {
  int laws[RH_LAWS];
  uint64_t cases;                                /* that were tried */
  char broken[RH_LAWS][RH_ALGEBRA_TEXT];         /* the counterexamples; "" */
  char notes[RH_ALGEBRA_NOTES][RH_ALGEBRA_TEXT]; /* n_notes of them */
  uint32_t n_notes;
} rh_algebra_report;

/* Examines it on the host.  RH_E_NOMEM only.  Mapped operators and several built-in ones in one
 * pass are right by themselves, and OpenCL C the host cannot evaluate: their laws stay untried.
 * [any thread] */
rh_status rh_algebra_examine(const rh_custom *self, rh_algebra_report *report, rh_error *error);

/* Is the law broken and needed?  Commutativity is needed only where it is claimed. */
int rh_algebra_is_wrong(const rh_custom *self, const rh_algebra_report *report, rh_law law);

/* The weightiest law that is broken and needed.  RH_LAWS: there is none. */
rh_law rh_algebra_verdict(const rh_custom *self, const rh_algebra_report *report);

const char *rh_law_name(rh_law law); /* "associative" */

/* ---- An operator is examined once before it is first used ---- */

/* RH_OK if its laws hold as far as can be seen; that is kept in the cache, so that it
 * is not examined again.  RH_E_PLUGIN, with the counterexample, if one is broken.  Notes are
 * logged. */
rh_status rh_algebra_trust(const rh_custom *self, rh_cache *cache, rh_error *error);

/* Examines it on n elements, the first of them number `first` of the whole, before a strategy is
 * blamed for what it made of them.  RH_OK also for what rh_algebra_examine() passes over. */
rh_status rh_algebra_trust_on(const rh_operator *op, const rh_arrays *arrays, uint64_t first,
                              uint64_t n, rh_error *error);

/* ---- Does a device compute an operator as the host does? ---- */

typedef struct rh_algebra_device {
  uint64_t n; /* triples of elements that were compared; 0: none */
  int is_wrong;
  char text[240]; /* "equal in 100000 triples on ..." */
} rh_algebra_device;

/* Loads and combines many triples of elements, in one launch.  They must be equal if every
 * operation has the same bits everywhere, and else close; NaN equals NaN.  Neither OpenCL C nor
 * built-in operators over inexact maps are compared.  Fails if the device does. */
rh_status rh_algebra_compare(const rh_custom *self, rh_cl_session *session,
                             rh_algebra_device *device, rh_error *error);

/* Elements to try an operator's laws on. */

/* Kinds of elements, the simplest first. */
/* The operators get it as `n`, the number of elements. */
enum { RH_CASES_N = 1000 };

enum {
  RH_CASES_SMALL,  /* integers from -3 to 3 */
  RH_CASES_HALVES, /* multiples of 1/4 up to 64, and integers up to 256 */
  RH_CASES_NEAR, /* beside the literals of the operator's expressions: branches compare with them */
  RH_CASES_WIDE, /* integers of any size, with the ends of their range; ordinary floats */
  RH_CASES_SPECIAL, /* floats: zeros, infinities, NaN, the largest and the least */
  RH_CASES_KINDS
};

enum { RH_CASES_ELEMENTS = 64, RH_CASES_LITERALS = 32 };

/* One element of every operand, as its bits. */
typedef struct rh_element {
  uint64_t of[RH_MOST_OPERANDS], index;
} rh_element;

typedef struct rh_cases {
  const rh_custom *of;
  uint64_t constants[RH_EXPR_MOST_SLOTS];
  double literals[RH_CASES_LITERALS]; /* n_literals of them, for RH_CASES_NEAR */
  uint32_t n_literals;
  rh_element elements[RH_CASES_ELEMENTS];
  _Alignas(16) unsigned char values[RH_CASES_ELEMENTS][RH_ANY_VALUE_BYTES];
} rh_cases;

/* Before all others.  Literals of small integers, which are tried anyway, are passed over, and so
 * are those of a size that makes an f32 overflow or that guards against a division by 0. */
void rh_cases_find_literals(rh_cases *cases, const rh_custom *of);

void rh_cases_make(rh_cases *cases, const rh_custom *of, int kind, uint64_t *seed);

/* *value = that of the element; padding is 0. */
void rh_cases_load(const rh_cases *cases, const rh_element *element, void *value);

/* The largest magnitude of a float of the value, and of `most`; NaN if one is. */
double rh_value_largest(const rh_custom *of, const unsigned char *value, double most);

/* A field of a value, as a number. */
double rh_field_number(const rh_operator_field *field, const unsigned char *value);

double rh_element_number(rh_type type, uint64_t bits);
uint64_t rh_element_bits(rh_type type, double number); /* in range */

/* ---- One law of an operator on given elements or values ---- */

/* How the two sides of a law differ, by more than rounding. */
typedef enum rh_law_difference {
  RH_SAME,
  RH_ZERO_SIGN, /* in the sign of a zero only */
  RH_AT_EDGE,   /* where numbers come near the ends of their range */
  RH_DIFFERENT
} rh_law_difference;

/* Values that a law is about: 1 for the identity, 2, or 3. */
uint32_t rh_law_values(rh_law law);

/* The two sides for n values of each, RH_ANY_VALUE_BYTES apart. */
void rh_law_sides(const rh_custom *of, rh_law law, const unsigned char *a, const unsigned char *b,
                  const unsigned char *c, unsigned char *left, unsigned char *right, uint32_t n);

/* The rounding that sides may differ by: operations on single elements round less than those of
 * many. */
typedef enum rh_rounding { RH_NOTHING_ROUNDS, RH_FEW_ROUND, RH_MANY_ROUND } rh_rounding;

/* Values and what becomes of them: first as they are, then with other last bits, by which the
 * effect of rounding is found. */
enum { RH_COPIES = 9 };
typedef struct rh_meeting {
  _Alignas(64) unsigned char v[3][RH_COPIES * RH_ANY_VALUE_BYTES];
  unsigned char left[RH_COPIES * RH_ANY_VALUE_BYTES], right[RH_COPIES * RH_ANY_VALUE_BYTES];
  uint32_t n; /* of the values, that the law is about */
  rh_rounding rounding;
  double scale; /* of what floats of few operations round by */
} rh_meeting;

/* Takes the first of each of m->v. */
rh_law_difference rh_law_judge(const rh_custom *of, rh_law law, rh_meeting *m,
                               rh_rounding rounding);

/* "'a+2*b' is not associative (...): a=0 b=0 c=1 gives 2 grouped to the left and 4 to the right".
 * as: the law that is said to be broken.  whose: " (...)", or "".  elements: null if the values are
 * not those of single elements. */
void rh_law_describe(const rh_custom *of, rh_law law, rh_law as, const char *whose,
                     const rh_element *elements, rh_meeting *m, char text[RH_ALGEBRA_TEXT]);

/* ---- The laws on values of many elements: on what any order of any strategy may meet ----
 *
 * Sides have from none to 2^20 elements, and unequal numbers of them.  They are adjacent, from any
 * position on; where the operator uses the index, whether it commutes is also tried on sides that
 * lie apart, between each other, and in another order.  Where numbers come near the ends of their
 * range, nothing is said.
 *
 * Laws that are broken are noted in *report, each once; those that are broken there already are not
 * tried. */
/* On elements of these cases.  briefly: up to some thousands of them. */
void rh_sides_try(const rh_cases *cases, int briefly, rh_algebra_report *report);

/* On the first n elements of arrays: adjacent sides of some and of many of them, and all elements
 * one after the other, in pieces and in lanes.  first: which
 * element of the whole theirs is, for the words. */
void rh_sides_try_data(const rh_custom *of, const rh_arrays *arrays, uint64_t first, uint64_t n,
                       rh_algebra_report *report);
