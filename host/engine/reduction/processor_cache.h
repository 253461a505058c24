/* The processor's caches. */
#pragma once

#include <stdint.h>

/* Bytes of the last cache, which the processors share; 0 if the system does not say.  sysconf()
 * will not do: glibc 2.36 gives ten times the size on some virtual machines. */
uint64_t rh_last_cache_bytes(void);
