/* What other libraries call types and operators. */
#pragma once

/* Advice for a type's name there, such as "float32", as a clause; else null. */
const char *rh_type_instead(const char *name);
/* Advice for an operator that other libraries have and redhost lacks, such as "median", as a
 * clause; else null. */
const char *rh_op_instead(const char *name);
