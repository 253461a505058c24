/* What reducing many elements is made of. */
#ifndef RH_OPERATORS_EVALUATE_H
#define RH_OPERATORS_EVALUATE_H

#include "operator.h"

/* The fields of the values of elements first .. first+n-1, as one array each.  Struct operators
 * with expressions only. */
void rh_operator_load_fields(const rh_operator *self, const rh_arrays *arrays, uint64_t first,
                             uint64_t n, void *const *outputs);

/* As rh_operator_reduce(), of an operator by OpenCL C. */
void rh_operator_reduce_by_code(const rh_operator *self, const rh_arrays *arrays, uint64_t first,
                                uint64_t n, void *value);

#endif
