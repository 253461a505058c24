/* One law of an operator on given elements or values. */
#pragma once

#include "algebra.h"
#include "cases.h"

/* How the two sides of a law differ. */
typedef enum rh_law_difference {
  RH_SAME,
  RH_ROUNDED,   /* by no more than rounding */
  RH_ZERO_SIGN, /* in the sign of a zero only */
  RH_DIFFERENT
} rh_law_difference;

/* Values that a law is about: 1 for the identity, 2, or 3. */
uint32_t rh_law_values(rh_law law);

/* The two sides for values v[0], v[1], v[2]; several at once, RH_ANY_VALUE_BYTES apart. */
void rh_law_sides(const rh_custom *of, rh_law law, unsigned char *const v[3], unsigned char *left,
                  unsigned char *right, uint32_t n);

/* Sides may differ by roundings of these. */
enum { RH_NOTHING, RH_SUMS, RH_PRODUCTS };

rh_law_difference rh_law_compare(const rh_custom *of, unsigned char *const v[3], uint32_t n_values,
                             const unsigned char *left, const unsigned char *right, int tolerance);

/* Replaces elements by simpler ones as long as the law stays broken. */
void rh_law_shrink(const rh_cases *cases, rh_law law, rh_element *elements, int tolerance);

/* "a=0 b=0 c=1 gives 2 grouped to the left and 4 to the right".  elements: null if the values are
 * not those of single elements. */
void rh_law_describe(const rh_cases *cases, rh_law law, const rh_element *elements,
                     unsigned char *const v[3], char *text, size_t size);

/* Associativity or commutativity at four points.  1: it holds, but for a chance of less than
 * 2^-200; -1: it does not, for values that elements reach; 0: the formulas have more than
 * + - * / ?: and ==, or what holds for elements does not hold for all values. */
int rh_points_try(const rh_custom *of, rh_law law, uint64_t *seed);

/* ---- The laws on values of many elements: on what any order of any strategy may meet ----
 *
 * Sides have from none to 2^20 elements, and unequal numbers of them.  They are adjacent, from any
 * position on; where the operator uses the index, whether it commutes is also tried on sides that
 * lie apart, between each other, and in another order.  The effect of rounding is found by changing
 * the last bits of the values; where numbers come near the ends of their range, nothing is said.
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
