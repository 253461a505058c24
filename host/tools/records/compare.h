/* Compares two result files point by point: which results became faster, slower or wrong. */
#ifndef RH_RECORDS_COMPARE_H
#define RH_RECORDS_COMPARE_H

#include "records.h"

/* X(name, number, word in tables).  `slow` and `broken` are regressions. */
#define RH_CHANGE_LIST(X)                                                                          \
  X(same, 0, "same")                                                                               \
  X(fast, 1, "fast")                                                                               \
  X(slow, 2, "SLOW")                                                                               \
  X(unclear, 3, "unclear") /* the measurements do not decide */                                    \
  X(broken, 4, "BROKEN")   /* was ok; is wrong now, or fails */                                    \
  X(mended, 5, "mended")   /* was wrong, or failed; is ok now */                                   \
  X(untimed, 6, "no time") /* no time in at least one of the files, and neither of the two above */
enum {
#define RH_X(name, number, word) RH_CHANGE_##name = number,
  RH_CHANGE_LIST(RH_X)
#undef RH_X
      RH_N_CHANGES
};

/* A point that both files have. low and high are the quartiles of the rounds' medians, or of all
 * samples if there are fewer than 4 rounds. */
typedef struct rh_change {
  const rh_row *old_row, *new_row;
  uint32_t verdict;                            /* RH_CHANGE_* */
  double change;                               /* (new - old) / old; NaN if a time is missing */
  double old_low, old_high, new_low, new_high; /* s */
  /* 1: one was timed by the host's clock, one by the device's; the verdict is unclear */
  uint32_t clocks_differ;
} rh_change;

typedef struct rh_comparison {
  rh_change *changes; /* by device, operator, type and n; rows are those of the results compared */
  uint32_t n_changes, counts[RH_N_CHANGES], only_old, only_new;
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

/* Judges one point. fast and slow: the intervals do not overlap and are at least the threshold
 * apart. same: the medians differ by at most the threshold, and both intervals are at most 2 %
 * wide.  Otherwise, or with fewer than 4 samples, unclear. */
rh_change rh_change_judge(const rh_row *old_row, const rh_row *new_row, double threshold);
const char *rh_change_word(uint32_t verdict); /* "SLOW" */
const char *rh_change_name(uint32_t verdict); /* "slow" */

#endif
