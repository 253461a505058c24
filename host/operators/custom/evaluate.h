/* What reducing many elements is made of. */
#pragma once

#include "custom.h"

/* As rh_custom_reduce(), of an operator by OpenCL C. */
void rh_custom_reduce_by_code(const rh_custom *self, const rh_arrays *arrays, uint64_t first,
                              uint64_t n, void *value);
