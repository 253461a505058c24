/* The problems that a strategy is tried on. */
#pragma once

#include "rig.h"

enum { RH_MOST_PAIRS = RH_N_OPS * RH_N_TYPES };

typedef struct rh_pairs {
  rh_pair list[RH_MOST_PAIRS];
  uint32_t n;
} rh_pairs;

/* The pairs of operator and type that the strategy serves here, for max_n elements with its
 * default parameters, those first that are likeliest to expose a fault; of a quick run, so many as
 * it has time for.  RH_DECLINED if there is none. */
rh_status rh_served_pairs(rh_trial *trial, uint64_t max_n, uint32_t most_when_quick,
                          rh_pairs *pairs);

/* One served pair of each kind that a strategy may treat in its own way: the first of all, one
 * whose bits depend on the order, and one that returns an index. */
rh_status rh_pair_kinds(rh_trial *trial, uint64_t max_n, rh_pairs *kinds);

/* Cases on a rig that is set up, until one fails. */
typedef rh_status rh_try_rig(rh_rig *rig, uint64_t seed);
/* Tries an instance for this pair. */
rh_status rh_try_pair(rh_trial *trial, rh_pair pair, uint64_t max_n, const rh_rig_with *with,
                      rh_try_rig *try);
/* Tries each served pair that is `wanted` (null: all) on a separate instance, set up for max_n. */
rh_status rh_try_pairs(rh_trial *trial, uint64_t max_n, uint32_t most_when_quick,
                       int (*wanted)(rh_pair), const rh_rig_with *with, rh_try_rig *try);
/* Tries the simplest problem that is served. */
rh_status rh_try_one(rh_trial *trial, uint64_t max_n, int layout, rh_try_rig *try);
/* One simple case, of all max_n elements, from query to teardown. */
rh_status rh_try_any_problem(rh_trial *trial, uint64_t max_n);

/* Tests that consist of such cases; the names of a body are `rig` and `seed`. */
#define RH_CASES_TEST(name, tries)                                                                 \
  static rh_try_rig name##_on;                                                                     \
  rh_status name(rh_trial *trial) {                                                                \
    return tries;                                                                                  \
  }                                                                                                \
  static rh_status name##_on(rh_rig *rig, uint64_t seed)
#define RH_PAIRS_TEST(name, max_n, most_when_quick, wanted)                                        \
  RH_CASES_TEST(name, rh_try_pairs(trial, max_n, most_when_quick, wanted, NULL, name##_on))
#define RH_RIG_TEST(name, max_n)                                                                   \
  RH_CASES_TEST(name, rh_try_one(trial, max_n, RH_RIG_PLAIN, name##_on))
/* One case over all elements: hashed data. */
rh_try_rig rh_one_case;

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
