/* An operator is examined once before it is first used. */
#pragma once

#include "../../core/cl/cache.h"
#include "../custom/custom.h"

/* RH_OK if its laws hold as far as can be seen (algebra.h); that is kept in the cache, so that it
 * is not examined again.  RH_E_PLUGIN, with the counterexample, if one is broken.  Notes are
 * logged. */
rh_status rh_algebra_trust(const rh_custom *self, rh_cache *cache, rh_error *error);

/* Examines it on n elements, the first of them number `first` of the whole, before a strategy is
 * blamed for what it made of them.  RH_OK also for what rh_algebra_examine() passes over. */
rh_status rh_algebra_trust_on(const rh_custom *self, const rh_arrays *arrays, uint64_t first,
                              uint64_t n, rh_error *error);
