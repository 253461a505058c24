/* The host's table of operators on types: the C side of kernels/prelude. */
#pragma once

#include "../base/text.h"
#include <redhost/redhost.h>

/* The operator on the type, with `prelude` null; null if it is not defined. Constant. */
const rh_op *rh_op_find(uint32_t op, rh_type type);

/* The OpenCL C prelude of an operator on a type: its definitions, then kernels/prelude.  malloc'ed;
 * null if out of memory. */
char *rh_op_prelude(uint32_t op, rh_type type);
/* Writes the prelude of an operator that has no number: "depth". */
char *rh_op_prelude_named(const char *op, rh_type type);
/* Only kernels/prelude. */
void rh_prelude_append(rh_text *text);
