/* Memory, or a failure that says what there is none for: "no memory for a path". */
#pragma once

#include "error.h"
#include <stddef.h>

/* Zeroed memory for n elements, in *to, a pointer to them, which is null after a failure.  For no
 * elements, it is not null either. */
#define RH_NEW(to, n, what, error) rh_alloc(to, n, sizeof **(to), what, error)
/* The same, of `size` bytes each. */
rh_status rh_alloc(void *to, uint64_t n, size_t size, const char *what, rh_error *error);

/* Room for one more after the n elements of *list, which only this has made; null if n is 0.  After
 * a failure, the list is as it was. */
#define RH_ROOM(list, n, what, error) rh_make_room(list, n, sizeof **(list), what, error)
rh_status rh_make_room(void *list, uint64_t n, size_t size, const char *what, rh_error *error);

/* A copy of a string; null gives null. */
rh_status rh_copy(char **to, const char *s, const char *what, rh_error *error);
