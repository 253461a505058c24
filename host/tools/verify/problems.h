/* The problems that a strategy is tried on. */
#pragma once

#include "rig.h"

typedef struct rh_pair {
  uint32_t op;
  rh_type type;
} rh_pair;

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
                        int (*wanted)(rh_pair), rh_try_pair *try);

/* Sets up the simplest problem that is served: RH_PASS and *rig ready to run, else the outcome
 * to return.  The caller finishes the rig either way. */
rh_outcome rh_rig_ordinary(rh_rig *rig, rh_trial *trial, uint64_t max_n, int layout);

/* Runs one simple problem of n elements from query to teardown and checks the answer. */
rh_outcome rh_try_any_problem(rh_trial *trial, uint64_t n);

/* Converts a rig's status and error to an outcome. */
rh_outcome rh_rig_outcome(rh_trial *trial, const rh_rig *rig, rh_status status);

/* Descriptions of typical devices, for queries; k = 0 is an ordinary GPU.  Returns 0 after the
 * last. */
int rh_common_device(uint32_t k, rh_device *device);
/* The real device's description with something missing; 0 after the last. */
int rh_poor_device(const rh_device *real, uint32_t k, rh_device *device);
/* The real device's description with other numbers or names, on which a launch shape may depend
 * but which are safe here.  `how` says what was changed; 0 after the last. */
int rh_other_device(const rh_device *real, uint32_t k, rh_device *device, char how[160]);
