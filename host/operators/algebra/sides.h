/* The laws of an operator on values of many elements: on what any order of any strategy may meet.
 *
 * Sides have from none to 2^20 elements, and unequal numbers of them.  They are adjacent, from any
 * position on; where the operator uses the index, whether it commutes is also tried on sides that
 * lie apart, between each other, and in another order.  The effect of rounding is found by changing
 * the last bits of the values; where numbers come near the ends of their range, nothing is said.
 *
 * Laws that are broken are noted in *report, each once; those that are broken there already are not
 * tried. */
#pragma once

#include "algebra.h"
#include "cases.h"

/* On elements of these cases.  briefly: up to some thousands of them. */
void rh_sides_try(const rh_cases *cases, int briefly, rh_algebra_report *report);

/* On the first n elements of arrays: adjacent sides of some and of many of them, and all elements
 * one after the other, in pieces and in lanes.  first: which
 * element of the whole theirs is, for the words. */
void rh_sides_try_data(const rh_custom *of, const rh_arrays *arrays, uint64_t first, uint64_t n,
                       rh_algebra_report *report);
