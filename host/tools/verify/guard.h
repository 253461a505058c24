/* Memory between two guard regions.  An access to one is recorded, and the program goes on. */
#pragma once

#include <redhost/redhost.h>

#include <stddef.h>

enum { RH_MOST_GUARDS = 64 };

typedef struct rh_guard {
  unsigned char *begin, *end; /* the accessible part: whole pages */
  int slot;                   /* its index in the signal handler's table */
} rh_guard;

/* At least `bytes` of accessible, zeroed memory.  RH_E_NOMEM also if there are RH_MOST_GUARDS
 * already. */
rh_status rh_guard_map(rh_guard *guard, size_t bytes, rh_error *error);
void rh_guard_unmap(rh_guard *guard); /* zero-initialised is fine */

/* 1: a guard region was accessed since the last call. *at is the first such byte, relative to
 * `begin`: negative before it. */
int rh_guard_touched(const rh_guard *guard, ptrdiff_t *at);
