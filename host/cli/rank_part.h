/* The child of a rank, redhost --part: what it says to the rank. */
#pragma once

#include "rank_child.h"

/* The child calls `open` to set up, `reduce`, and `close`.  Each finds the data or the strategy's
 * functions in `user`. */
typedef struct rh_rank_part {
  void *user;
  rh_status (*open)(void *user, int argc, char **argv, const rh_rank_order *order,
                    const rh_reporter *reporter, rh_error *error);
  rh_status (*reduce)(void *user, void **bytes, uint64_t *n, rh_error *error); /* malloc'ed */
  void (*close)(void *user);
} rh_rank_part;

/* Answers the rank until it wants no more; returns the exit status. */
int rh_rank_part_serve(const rh_rank_part *part);
