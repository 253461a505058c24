/* From the value of a built-in operator to its result. */
#pragma once

#include "operator.h"

/* Converts a value to a result: undoes order keys and narrows to the result type.
 * `value` has op->value_size bytes. */
void rh_op_result(uint32_t op, rh_type type, const void *value, rh_result *result);
/* Decodes to what users see, of n elements: for a built-in operator, or one over a map. */
void rh_operator_decode_base(const rh_operator *self, const void *value, uint64_t n,
                             rh_result *result);
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

/* The same of n values, `apart` bytes from one to the next, as elements of the result type.
 * lengths[k]: the number of elements of value k, or 0 to allow for none. */
void rh_op_results(uint32_t op, rh_type type, const void *values, uint64_t apart,
                   const uint64_t *lengths, uint64_t n, void *to);
/* Word k: `size` bytes from values + k * apart on. */
void rh_take_words(const void *values, uint64_t apart, uint32_t size, uint64_t n, void *to);
/* rh_operator_calls.results of what rh_operator_decode_base() decodes. */
void rh_operator_results_base(const rh_operator *self, const void *values, const uint64_t *lengths,
                              uint64_t n, void *const *to);

/* Are the values the same to the last bit?  Of indexed operators, the indices are compared; of
 * products of floats, the results: values of two fields have padding, and an infinity any
 * exponent. */
int rh_op_same_values(const rh_op *op, rh_type type, const void *a, const void *b);
