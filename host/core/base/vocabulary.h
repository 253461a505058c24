/* Names of types, operators, statuses' reasons: all from the lists in redhost/plugin.h. */
#pragma once

#include <redhost/plugin.h>
#include <redhost/redhost.h>

/* Number of types and of operators; their numbers run from 1 to these. */
enum { RH_N_TYPES = 11, RH_N_OPS = 13 };

const char *rh_type_name(rh_type type);      /* "f32"; null for an unknown number */
uint32_t rh_type_size(rh_type type);         /* bytes; 0 for an unknown number */
rh_type rh_type_from_name(const char *name); /* 0 for an unknown name */
static inline int rh_type_is_float(rh_type type) {
  return type == RH_TYPE_f16 || type == RH_TYPE_f32 || type == RH_TYPE_f64;
}
int rh_type_is_signed(rh_type type); /* signed integers and floats */

const char *rh_op_name(uint32_t op);        /* "argmin"; null */
uint32_t rh_op_from_name(const char *name); /* 0 */
uint32_t rh_op_flags(uint32_t op,
                     rh_type type); /* RH_OP_*; sums and products of integers are exact too */
/* Does the order of combining decide its bits?  So it is for sums and products of floats, which
 * docs/inside/bits.md therefore gives an order. */
int rh_op_rounds(uint32_t op, rh_type type);
/* Is it a sum of floats that a strategy with these promises rounds once? */
int rh_op_rounds_once(uint64_t promises, uint32_t op, rh_type type);
/* In place of a depth: of such a sum. */
#define RH_DEPTH_ONE_ROUNDING UINT64_MAX
/* Is this operator defined on this type?  (and, or, xor: integers only; affine: u64 only.) */
int rh_op_is_defined(uint32_t op, rh_type type);
/* sum, prod, asum: values wider than the elements */
static inline int rh_op_is_arithmetic(uint32_t op) {
  return op == RH_OP_sum || op == RH_OP_prod || op == RH_OP_asum;
}
/* The type of the answer: i64 or u64 for sums and products of integers, f32 for those of f16,
 * otherwise the type itself; unsigned for magnitudes of integers. */
rh_type rh_op_result_type(uint32_t op, rh_type type);

/* The names of all operators, in one line for people. */
const char *rh_op_names(void);
/* "integers", "u64", "every type": what rh_op_is_defined() says, for messages. */
const char *rh_op_domain(uint32_t op);

const char *rh_why_code(uint32_t why); /* "device"; "unknown" */

/* "run-to-run": what a strategy promises about its bits (RH_BITS_*), in CUB's terms; "unknown" for
 * an unknown number. */
const char *rh_determinism_name(uint32_t determinism);
uint32_t rh_determinism_from_name(const char *name); /* UINT32_MAX for an unknown name */

/* How the lengths of segments that are measured spread around a typical one, L (lengths.h).
 * X(name, number, the lengths) */
#define RH_LENGTHS_LIST(X)                                                                         \
  X(fixed, 1, "all L")                                                                             \
  X(alternate, 2, "L and L + 1 in turn, by offsets")                                               \
  X(uniform, 3, "0 to 2 L, equally often")                                                         \
  X(power, 4, "1 to L^2, by a power law with exponent 1.5")                                        \
  X(giant, 5, "L, and one in the middle with half of all elements")                                \
  X(sparse, 6, "nine of ten empty, the others 1 to 20 L")                                          \
  X(columns, 7, "all L: the columns of an array with L rows")
enum {
#define RH_X(name, number, text) RH_LENGTHS_##name = number,
  RH_LENGTHS_LIST(RH_X)
#undef RH_X
      RH_N_LENGTHS = 7
};
const char *rh_lengths_name(uint32_t kind);      /* null for an unknown number */
uint32_t rh_lengths_from_name(const char *name); /* 0: unknown */
extern const char *const rh_lengths_names;       /* with a space before each */
