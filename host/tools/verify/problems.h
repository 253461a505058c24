/* Which problems a strategy is tried on. */
#ifndef RH_VERIFY_PROBLEMS_H
#define RH_VERIFY_PROBLEMS_H

#include "rig.h"

typedef struct rh_pair {
  uint32_t op;
  rh_type type;
} rh_pair;

enum { RH_MOST_PAIRS = RH_N_OPS * RH_N_TYPES };

/* The operators on types that the strategy serves here, for max_n elements with its default
 * parameters.  0: none, and the trial's text says why. */
uint32_t rh_served_pairs(rh_trial *trial, uint64_t max_n, rh_pair pairs[RH_MOST_PAIRS]);

/* As many of them as a quick run has time for, the telling ones first; all where it is not
 * quick. */
uint32_t rh_some_pairs(rh_trial *trial, uint64_t max_n, uint32_t most_when_quick,
                       rh_pair pairs[RH_MOST_PAIRS]);

/* What one test tries on a rig that is set up: every case, until one is not right. */
typedef rh_status rh_try_pair(rh_rig *rig, uint64_t seed);
/* Each of the pairs that are served and `wanted` (null: all), on an instance of its own, set up for
 * max_n. */
rh_outcome rh_try_pairs(rh_trial *trial, uint64_t max_n, uint32_t most_when_quick,
                        int (*wanted)(rh_pair), rh_try_pair *try);

/* Sets up the most ordinary problem that is served: RH_PASS and *rig ready to run, else why not.
 * The caller finishes the rig either way. */
rh_outcome rh_rig_ordinary(rh_rig *rig, rh_trial *trial, uint64_t max_n, int layout);

/* One ordinary problem of n elements, from query to teardown, with a right answer. */
rh_outcome rh_try_any_problem(rh_trial *trial, uint64_t n);

/* Whatever went wrong in a rig, as an outcome. */
rh_outcome rh_rig_outcome(rh_trial *trial, const rh_rig *rig, rh_status status);

/* Devices as they might be, for questions: 0 is an ordinary GPU.  0 behind the last. */
int rh_common_device(uint32_t k, rh_device *device);
/* The real device as if it lacked something; 0 behind the last. */
int rh_poor_device(const rh_device *real, uint32_t k, rh_device *device);
/* The real device as another one might describe itself, where that does no harm here: in numbers
 * and names that shapes may be made of.  `how` says in which; 0 behind the last. */
int rh_other_device(const rh_device *real, uint32_t k, rh_device *device, char how[160]);

#endif
