/* Are all ranks asked for the same?  The texts of their operations are compared whole, first by a
 * digest, because many ranks would say much. */
#pragma once

#include "../../core/operation/operation.h"
#include "ranks.h"

/* Texts of one digest are the same. */
typedef struct rh_digest {
  uint64_t words[2];
} rh_digest;
rh_digest rh_agree_digest(const char *text);

/* *other: the first rank with another text than rank 0, and what it says otherwise; 0: none.  All
 * ranks call it, and find the same. */
rh_status rh_agree_compare(rh_ranks *ranks, const char *mine, uint32_t *other, rh_difference *found,
                           rh_error *error);

/* The sentence, RH_E_USAGE. */
rh_status rh_agree_fail(const rh_ranks *ranks, uint32_t other, const rh_difference *found,
                        rh_error *error);
