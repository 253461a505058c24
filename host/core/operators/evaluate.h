/* What reducing many elements is made of. */
#pragma once

#include "operator.h"

/* As rh_operator_reduce(), of an operator by OpenCL C. */
void rh_operator_reduce_by_code(const rh_operator *self, const rh_arrays *arrays, uint64_t first,
                                uint64_t n, void *value);
