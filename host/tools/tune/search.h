/* Which candidates of a space are measured: all of a small one; of a large one some at random, then
 * whatever lies beside the best.  Knows nothing of how they are measured. */
#ifndef RH_TUNE_SEARCH_H
#define RH_TUNE_SEARCH_H

#include "space.h"

enum { RH_SMALL_SPACE = 64, RH_TUNE_FINALISTS = 3, RH_TUNE_MOST_HINTS = 4 };

typedef struct rh_tune_spec {
  const rh_space *space;
  uint64_t seed;
  uint32_t most; /* candidates that are measured, besides the defaults */
  /* tried first: what was good elsewhere, or in an earlier search */
  uint64_t hints[RH_TUNE_MOST_HINTS];
  uint32_t n_hints;
  /* *seconds: a first look at the time, INFINITY where it is clear that best_s is better; 0: it
   * cannot run, which costs nothing.  A failure ends the search. */
  rh_status (*measure)(void *user, uint64_t candidate, double best_s, double *seconds,
                       rh_error *error);
  int (*is_over)(void *user, uint32_t measured); /* asked before each; null: never */
  void *user;
} rh_tune_spec;

typedef struct rh_tried {
  uint64_t candidate;
  double seconds;
} rh_tried;

typedef struct rh_tune_found {
  rh_tried best[RH_TUNE_FINALISTS]; /* the defaults are not among them; the best first */
  uint32_t n;
  uint32_t measured; /* candidates that have a time */
  int complete;      /* it ended because nothing was left that promised anything */
} rh_tune_found;

/* initial_s: of the defaults.  Only candidates that looked better are among the best. */
rh_status rh_tune_search(const rh_tune_spec *spec, double initial_s, rh_tune_found *found,
                         rh_error *error);

#endif
