/* For functions that stand in for those of a library. */
#ifndef REDHOST_TESTS_REAL_H
#define REDHOST_TESTS_REAL_H

#include <dlfcn.h>
#include <string.h>

/* `real`: the function that this one stands in for.  C does not convert between data and function
 * pointers. */
#define REAL(name)                                                                                 \
  __typeof__(name) *real;                                                                          \
  void *found = dlsym(RTLD_NEXT, #name);                                                           \
  memcpy(&real, &found, sizeof real)

#endif
