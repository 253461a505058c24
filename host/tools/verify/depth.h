/* How many combinations an element passes through, counted by an operator that does nothing
 * else. */
#ifndef RH_VERIFY_DEPTH_H
#define RH_VERIFY_DEPTH_H

#include "rig.h"

/* Runs the strategy over n elements with that operator and these parameters: *deepest is what it
 * counted, *declared what query says (0: unknown).  device: how the device is described, null: as
 * it is.  RH_DECLINED where the strategy does not take an operator of a user's own.  *run_s: how
 * long the run took. */
rh_status rh_depth_measure(rh_trial *trial, uint64_t n, const int64_t params[RH_MAX_PARAMS],
                           const rh_device *device, uint32_t *deepest, uint64_t *declared,
                           double *run_s, rh_error *error);

#endif
