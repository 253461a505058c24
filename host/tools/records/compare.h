/* Compares two result files point by point: which results became faster, slower or wrong. */
#pragma once

#include "change.h"

typedef struct rh_comparison {
  rh_change *changes; /* by device, operator, type and n; rows are those of the results compared */
  uint32_t n_changes, counts[RH_N_CHANGES], only_old, only_new;
  uint32_t n_by_processes, n_by_rounds; /* of the changes with two times */
  double threshold;
  char **warnings; /* sentences: other devices, other drivers */
  uint32_t n_warnings;
} rh_comparison;

/* Compares all points that both have; of several rows for one point, the last counts.
 * `threshold`: the smallest relative change that counts.  RH_E_USAGE if the input was hot in one
 * and cold in the other, if the clocks differ, or if there is no common point.  On failure there
 * is nothing to finish. */
rh_status rh_compare(rh_comparison *comparison, const rh_records *old, const rh_records *new_,
                     double threshold, rh_error *error);
void rh_comparison_finish(rh_comparison *comparison);                /* zero-initialised is fine */
uint32_t rh_comparison_regressions(const rh_comparison *comparison); /* how many */
