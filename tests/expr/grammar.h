/* Random expressions, as a user would type them: all operators, functions and types. */
#ifndef EXPR_GRAMMAR_H
#define EXPR_GRAMMAR_H

#include "../../host/operators/expr/expr.h"

/* The functions whose error OpenCL C bounds, in higher precision. */
typedef struct bounded_function {
  const char *name;
  uint32_t n_args;
  uint32_t ulp; /* OpenCL C 3.0, 7.4: the same for f32 and f64 */
  long double (*one)(long double);
  long double (*two)(long double, long double);
} bounded_function;
extern const bounded_function bounded_functions[];
extern const uint32_t n_bounded_functions;

/* Is `got` within `ulp` units in the last place of `exact`?  Of a significand of `digits` bits and
 * normal numbers from 2^emin to below 2^emax. */
int is_within(long double exact, double got, uint32_t ulp, int digits, int emin, int emax);

enum { N_VARIABLES = 11, N_CONSTANTS = 2 };
extern const rh_operand random_variables[N_VARIABLES];
extern const rh_let random_constants[N_CONSTANTS];

/* RANDOM_DIVIDES: / and sqrt of f32 are exact here.  RANDOM_ERRS: with functions whose error
 * OpenCL C bounds; without, IEEE 754 and the language fix the value. */
enum { RANDOM_DIVIDES = 1, RANDOM_ERRS = 2 };

typedef struct random_grammar {
  uint64_t seed;
  int flags;
  uint32_t n_names; /* e0, e1, ...: of expressions before, which are in half of the places of
                     * variables.  A short expression then is as deep as the long ones that it is
                     * made of, and takes less time to compile. */
} random_grammar;

/* The parser may refuse it, as it does a shift of a float. */
void random_expression(random_grammar *of, rh_text *to);

/* Element k of a variable: edges of its type, and numbers in between. */
uint64_t random_element(uint64_t *seed, rh_type type);

#endif
