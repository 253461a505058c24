/* FNV-1a (Fowler, Noll and Vo), for names and checksums.  Not secure against deliberate
 * collisions. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* `seed`: 0, or a value that selects another hash function. */
static inline uint64_t rh_hash(uint64_t seed, const void *data, size_t bytes) {
  const unsigned char *p = (const unsigned char *)data;
  uint64_t h = seed ^ 0xcbf29ce484222325u;
  for (size_t k = 0; k < bytes; k++) h = (h ^ p[k]) * 0x100000001b3u;
  return h;
}
