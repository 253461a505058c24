/* The host's table of operators on types: the C side of kernels/prelude. */
#ifndef RH_REDUCE_OPS_H
#define RH_REDUCE_OPS_H

#include "../base/text.h"
#include <redhost/redhost.h>

/* The operator on the type, with `prelude` null; null if it is not defined. Constant. */
const rh_op *rh_op_find(uint32_t op, rh_type type);

/* Converts a value to a result: undoes order keys and narrows to the result type.
 * `value` has op->value_size bytes. */
void rh_op_result(uint32_t op, rh_type type, const void *value, rh_result *result);
/* How a value becomes a result's. */
typedef enum rh_decoding {
  RH_DECODE_OTHER, /* keys, products of floats, narrow integers, and values with an index */
  RH_DECODE_WORD,  /* the same 8 bytes */
  RH_DECODE_FLOAT  /* an f32 becomes an f64 */
} rh_decoding;
rh_decoding rh_op_decoding(const rh_op *op, rh_type type);
void rh_op_decode_other(const rh_op *op, rh_type type, const void *value, rh_result *result);

/* Only the value and the index, of a result that has been made for another value.  `decoding` is
 * that of the operator and the type. */
static inline void rh_op_decode(rh_decoding decoding, const rh_op *op, rh_type type,
                                const void *value, rh_result *result) {
  if (decoding == RH_DECODE_WORD)
    result->value.u = *(const uint64_t *)value;
  else if (decoding == RH_DECODE_FLOAT)
    result->value.f = *(const float *)value;
  else
    rh_op_decode_other(op, type, value, result);
}

/* Are the values the same to the last bit?  Of indexed operators, the indices are compared; of
 * products of floats, the results: values of two fields have padding, and an infinity any
 * exponent. */
int rh_op_same_values(const rh_op *op, rh_type type, const void *a, const void *b);

/* The OpenCL C prelude of an operator on a type: its definitions, then kernels/prelude.  malloc'ed;
 * null if out of memory. */
char *rh_op_prelude(uint32_t op, rh_type type);
/* The same for an operator of the prelude that has no number: "depth". */
char *rh_op_prelude_named(const char *op, rh_type type);
/* Only kernels/prelude. */
void rh_prelude_append(rh_text *text);

#endif
