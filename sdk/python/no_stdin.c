/* For REDHOST_WHEEL.  Debian's libjansson.a is for programs only: its json_loadf() takes stdin from
 * where a shared library may not.  The library calls no such function and reads no stdin, so its
 * linker can give jansson this one. */
#include <stdio.h>

extern FILE *__wrap_stdin;
FILE *__wrap_stdin;
