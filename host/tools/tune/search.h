/* Searches a parameter space: tries all candidates of a small space; in a large one, a random
 * sample and then the neighbours of the best.  Independent of how candidates are measured. */
#pragma once

#include "space.h"

enum { RH_SMALL_SPACE = 64, RH_TUNE_FINALISTS = 3, RH_TUNE_MOST_HINTS = 4 };

#define RH_TUNE_OUTSIDE UINT64_MAX

typedef struct rh_tune_spec {
  const rh_space *space;
  /* 1: the candidates are compared with `base', RH_TUNE_OUTSIDE if the space lacks it, and not
   * with the defaults */
  int has_base;
  uint64_t base;
  uint64_t seed;
  uint32_t most; /* limit on measured candidates, not counting the defaults */
  /* tried first: candidates that were good elsewhere or in an earlier search */
  uint64_t hints[RH_TUNE_MOST_HINTS];
  uint32_t n_hints;
  /* *seconds: the quickly measured time; INFINITY: certainly worse than best_s; 0: it cannot
   * run, which does not count as measured.  A failure ends the search. */
  rh_status (*measure)(void *user, uint64_t candidate, double best_s, double *seconds,
                       rh_error *error);
  /* called before each candidate; null: never over */
  int (*is_over)(void *user, uint32_t measured);
  void *user;
} rh_tune_spec;

typedef struct rh_tried {
  uint64_t candidate;
  double seconds;
} rh_tried;

typedef struct rh_tune_found {
  rh_tried best[RH_TUNE_FINALISTS]; /* the best first, without the base */
  uint32_t n;
  uint32_t measured; /* candidates that have a time */
  int complete;      /* it ended because no promising candidate was left */
} rh_tune_found;

/* initial_s: the time of the base or the defaults.  found->best has only candidates that were
 * faster. */
rh_status rh_tune_search(const rh_tune_spec *spec, double initial_s, rh_tune_found *found,
                         rh_error *error);
