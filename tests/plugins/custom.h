/* Operators that are not built in, by hand: the OpenCL C of tests/kernels/custom and the same in
 * C. */
#ifndef TESTS_CUSTOM_H
#define TESTS_CUSTOM_H

#include "../../host/core/operation/ops.h"
#include <redhost/plugin.h>

enum { CUSTOM_OPERANDS = 2, CUSTOM_CONSTANTS = 2 };

typedef struct custom {
  const char *name; /* of the file, without .cl */
  rh_op op;         /* without prelude and identity */
  uint32_t base;    /* of a mapped built-in operator, on elements of `mapped`; else 0 */
  rh_type mapped;
  uint32_t n_operands;
  rh_type operands[CUSTOM_OPERANDS];
  uint32_t expands; /* as RH_HAS_OPERANDS */
  uint64_t constants[CUSTOM_CONSTANTS];
  uint32_t rounds; /* the value depends on the order, by this many ulp of f64 at most */
} custom;

/* What load and fold get as their input: the arrays, from the first element on. */
typedef struct custom_input {
  const void *operands[CUSTOM_OPERANDS];
} custom_input;

extern const custom customs[];
extern const uint32_t n_customs;

/* rh_op.identity. */
const void *custom_identity(const custom *c);

/* Are the values the same, where their operator has one value for every order?  Else within what
 * rounding explains. */
int custom_agree(const custom *c, const void *a, const void *b);

#endif
