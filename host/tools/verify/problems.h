/* The problems that a strategy is tried on. */
#pragma once

#include "rig.h"

enum { RH_MOST_PAIRS = RH_N_OPS * RH_N_TYPES };

/* The pairs of operator and type that the strategy serves here, for max_n elements with its
 * default parameters. 0: none; the trial's text says why. */
uint32_t rh_served_pairs(rh_trial *trial, uint64_t max_n, rh_pair pairs[RH_MOST_PAIRS]);

/* The pairs that a quick run has time for, priority pairs first; all if it is not quick. */
uint32_t rh_some_pairs(rh_trial *trial, uint64_t max_n, uint32_t most_when_quick,
                       rh_pair pairs[RH_MOST_PAIRS]);

/* One served pair of each kind that a strategy may treat in its own way: the first of all, one
 * whose bits depend on the order, and one that returns an index. */
enum { RH_MOST_KINDS = 3 };
uint32_t rh_pair_kinds(rh_trial *trial, uint64_t max_n, rh_pair kinds[RH_MOST_KINDS]);

/* One test's cases on a rig that is set up, until one fails. */
typedef rh_status rh_try_pair(rh_rig *rig, uint64_t seed);
/* Tries each served pair that is `wanted` (null: all) on a separate instance, set up for max_n. */
rh_outcome rh_try_pairs(rh_trial *trial, uint64_t max_n, uint32_t most_when_quick,
                        int (*wanted)(rh_pair), const rh_rig_with *with, rh_try_pair *try);

/* A test that tries all pairs so; the names of its body are `rig` and `seed`. */
#define RH_PAIRS_TEST(name, max_n, most_when_quick, wanted)                                        \
  static rh_try_pair name##_on;                                                                    \
  rh_outcome name(rh_trial *trial) {                                                               \
    return rh_try_pairs(trial, max_n, most_when_quick, wanted, NULL, name##_on);                   \
  }                                                                                                \
  static rh_status name##_on(rh_rig *rig, uint64_t seed)

/* Sets up the simplest problem that is served: RH_PASS and *rig ready to run, else the outcome
 * to return.  The caller finishes the rig either way. */
rh_outcome rh_rig_ordinary(rh_rig *rig, rh_trial *trial, uint64_t max_n, int layout);

/* Then calls `body`, and finishes the rig. */
rh_outcome rh_on_ordinary(rh_trial *trial, uint64_t max_n, int layout,
                          rh_status (*body)(rh_rig *rig));
/* A test that consists of such a body. */
#define RH_RIG_TEST(name, max_n)                                                                   \
  static rh_status name##_on(rh_rig *rig);                                                         \
  rh_outcome name(rh_trial *trial) {                                                               \
    return rh_on_ordinary(trial, max_n, RH_RIG_PLAIN, name##_on);                                  \
  }                                                                                                \
  static rh_status name##_on(rh_rig *rig)
/* One case over all elements: hashed data. */
rh_status rh_one_case(rh_rig *rig);

/* Runs one simple problem of n elements from query to teardown and checks the answer. */
rh_outcome rh_try_any_problem(rh_trial *trial, uint64_t n);

/* Descriptions of typical devices, for queries; k = 0 is an ordinary GPU.  Returns 0 after the
 * last. */
int rh_common_device(uint32_t k, rh_device *device);
/* The real device's description with something missing; 0 after the last. */
int rh_poor_device(const rh_device *real, uint32_t k, rh_device *device);
/* The real device's description with other numbers or names, on which a launch shape may depend
 * but which are safe here.  `how` says what was changed; 0 after the last. */
int rh_other_device(const rh_device *real, uint32_t k, rh_device *device, char how[160]);

/* The strategy's default parameters. */
void rh_default_params(const rh_strategy *strategy, int64_t params[RH_MAX_PARAMS]);

/* The k-th point.  First the defaults; then each parameter at its least and its greatest value,
 * the others at their defaults; then all at their least and all at their greatest; then random
 * legal points without end, from trial->seed. */
void rh_point(const rh_trial *trial, uint32_t k, int64_t params[RH_MAX_PARAMS]);
/* The number of points before the random ones; 1 without parameters. */
uint32_t rh_n_points(const rh_strategy *strategy);

/* The least (0) or the greatest legal value. */
int64_t rh_end_value(const rh_param *param, int greatest);

/* " --param tile=4 --param ..." of those that differ from the defaults. */
void rh_point_words(const rh_strategy *strategy, const int64_t *params, rh_text *words);
