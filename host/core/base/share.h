/* A loop over numbers that all processors take a share of. */
#pragma once

#include <stdint.h>

/* Calls part(user, first, count) for pieces of 0 .. n-1 of `each` numbers, the last one maybe
 * shorter, by several threads, the caller's among them; returns when all calls have. */
void rh_share(uint64_t n, uint64_t each, void (*part)(void *user, uint64_t first, uint64_t count),
              void *user);
