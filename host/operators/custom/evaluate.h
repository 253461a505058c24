/* The parts of reducing many elements. */
#pragma once

#include "custom.h"

/* rh_custom_reduce() for an operator by OpenCL C. */
void rh_custom_reduce_by_code(const rh_custom *self, const rh_arrays *arrays, uint64_t first,
                              uint64_t n, void *value);
