/* Judges one point of two result files: did it become faster, slower or wrong? */
#pragma once

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

/* A point measured in fewer processes does not show how processes differ: the variation of a few
 * that happen to agree would be taken for none. */
enum { RH_FEWEST_PROCESSES = 5 };

/* Where that variation is unknown, a smaller difference of two medians does not count: so far apart
 * were processes of one build.  The second part is for times by a device's clock only. */
#define RH_FLOOR_RELATIVE 0.03
#define RH_FLOOR_SECONDS  0.15e-6

typedef struct rh_change_rule {
  double threshold; /* the smallest relative change that counts */
  uint32_t points;  /* how many are compared by processes; 0 counts as 1 */
} rh_change_rule;

/* A point that both files have.  low and high are each file's interval: for a comparison by
 * processes the 95 % interval, otherwise the quartiles of the rounds' medians, or of all samples if
 * there are fewer than 4 rounds. */
typedef struct rh_change {
  const rh_row *old_row, *new_row;
  uint32_t verdict;                            /* RH_CHANGE_* */
  double change;                               /* (new - old) / old; NaN if a time is missing */
  double old_low, old_high, new_low, new_high; /* s */
  /* 1: one was timed by the host's clock, one by the device's; the verdict is unclear */
  uint32_t clocks_differ;
  uint32_t by_processes; /* 1: low and high contain the variation between processes */
  double low, high;      /* by processes: the interval of the change; otherwise NaN */
  double floor;          /* otherwise: a smaller change does not count; by processes 0 */
} rh_change;

/* Judges by processes, if both rows have at least RH_FEWEST_PROCESSES: fast and slow if the
 * interval of the change lies beyond the threshold and the medians differ by as much, same if the
 * interval lies within the threshold.  The interval is Welch's for the mean logarithm of the
 * processes' medians.  All intervals of the comparison contain their changes with 95 % confidence
 * together (Bonferroni).
 *
 * Otherwise: fast and slow if the two files' intervals do not overlap, are at least the threshold
 * apart, and the medians differ by at least the floor; same if the medians differ by at most the
 * threshold, and both intervals are at most 2 % wide.
 *
 * Everything else, and fewer than 4 samples, is unclear. */
rh_change rh_change_judge(const rh_row *old_row, const rh_row *new_row, const rh_change_rule *rule);
int rh_change_is_by_processes(const rh_row *old_row, const rh_row *new_row);
const char *rh_change_word(uint32_t verdict); /* "SLOW" */
const char *rh_change_name(uint32_t verdict); /* "slow" */
