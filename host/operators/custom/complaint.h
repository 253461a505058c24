/* A compiler's complaint about an operator in OpenCL C. */
#pragma once

#include <stddef.h>

/* The first error of a build log, for a message: "far.cl:3:5: unknown type name 'q', at column 5 of
 * '...'".  code: the operator's text, with #line directives.  An error in what redhost adds to it
 * has the place of the compiler's note on it, or the end of the file.  0: there is none. */
int rh_code_complaint(const char *log, const char *code, char *to, size_t bytes);
