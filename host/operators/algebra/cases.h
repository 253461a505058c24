/* Values to try an operator's laws on: those of single elements, and those that several reach. */
#pragma once

#include "../custom/custom.h"

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

enum {
  RH_CASES_ELEMENTS = 64,
  RH_CASES_VALUES = 192,
  RH_CASES_DOUBLED = 22, /* the last ones: each is the one before, twice, so of many elements */
  RH_CASES_MODERATE = 1 << 22,
  RH_CASES_LITERALS = 32
};

/* One element of every operand, as its bits. */
typedef struct rh_element {
  uint64_t of[RH_MOST_OPERANDS], index;
} rh_element;

typedef struct rh_cases {
  const rh_custom *of;
  uint64_t constants[RH_EXPR_MOST_SLOTS];
  double literals[RH_CASES_LITERALS]; /* n_literals of them, for RH_CASES_NEAR */
  uint32_t n_literals;
  rh_element elements[RH_CASES_ELEMENTS]; /* of the first values */
  /* then those that are combined of earlier ones */
  _Alignas(16) unsigned char values[RH_CASES_VALUES][RH_ANY_VALUE_BYTES];
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
