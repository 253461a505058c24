/* Laws as identities of formulas, at random points modulo 2^61 - 1. */
#pragma once

#include "algebra.h"

/* Associativity or commutativity at four points.  1: it holds, but for a chance of less than
 * 2^-200; -1: it does not, for values that elements reach; 0: the formulas have more than
 * + - * / ?: and ==, or what holds for elements does not hold for all values. */
int rh_points_try(const rh_custom *of, rh_law law, uint64_t *seed);
