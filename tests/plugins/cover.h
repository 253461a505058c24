/* Which pairs of an operator and a type a short run tries. */
#ifndef TESTS_COVER_H
#define TESTS_COVER_H

#include "../../host/core/base/base.h"

/* A set of pairs; row and column 0 stay empty. */
typedef struct cover {
  unsigned char has[RH_N_OPS + 1][RH_N_TYPES + 1];
  uint32_t n;
} cover;

/* What a strategy's code can depend on, a feature each.  A few: COVER_FEW of them make the shortest
 * run, for interpreters. */
typedef enum cover_extent { COVER_FEW, COVER_PAIRS, COVER_ALL } cover_extent;

/* Of the pairs in `offered`, those that a strategy serves: all of them, or so many that every
 * feature that any of them has is had by one that is chosen, with
 *
 *   COVER_PAIRS  every operator; every type; every pair of an element's size and a value's; every
 *   family of operators
 *                (arithmetic, order, index, bits, maps) on floats and on integers with and without
 *                a sign; sums or products
 *                of every float type.  What a family does on each element size is the prelude's
 *                code, which the strategies
 *                that run on all pairs prove.
 *   COVER_FEW    every family of operators; every element size; every value size; every float type;
 *   signed, unsigned and float
 *                elements, each in sums or products and in something else
 *
 * The choice is greedy, in the order of the numbers: the same for everybody, and new operators and
 * types are in it by themselves. */
void cover_choose(cover *chosen, const cover *offered, cover_extent extent);

#endif
