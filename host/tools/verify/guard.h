/* Memory between two regions that nobody may touch.  Whoever touches one all the same is noted, and
 * goes on. */
#ifndef RH_VERIFY_GUARD_H
#define RH_VERIFY_GUARD_H

#include <redhost/redhost.h>

#include <stddef.h>

enum { RH_MOST_GUARDS = 64 };

typedef struct rh_guard {
  unsigned char *begin, *end; /* what may be touched: whole pages */
  int slot;                   /* where the signal handler finds it */
} rh_guard;

/* At least `bytes` that may be touched, zeroed.  RH_E_NOMEM also where there are RH_MOST_GUARDS
 * already. */
rh_status rh_guard_map(rh_guard *guard, size_t bytes, rh_error *error);
void rh_guard_unmap(rh_guard *guard); /* zero-initialised is fine */

/* 1: something outside was touched since this was last asked, and *at is the first such place,
 * counted in bytes from `begin`: negative before it. */
int rh_guard_touched(const rh_guard *guard, ptrdiff_t *at);

#endif
