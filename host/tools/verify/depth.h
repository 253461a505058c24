/* Measures the depth of a strategy's reduction tree, with an operator that counts combinations. */
#pragma once

#include "rig.h"

/* Runs the strategy over n elements with that operator and these parameters. *deepest: the
 * counted depth; *declared: the one from query (0: unknown); *run_s: the time of the run.
 * device: the description given to the plugin; null: the real one.  RH_DECLINED if the strategy
 * does not take user-defined operators. */
rh_status rh_depth_measure(rh_trial *trial, uint64_t n, const int64_t params[RH_MAX_PARAMS],
                           const rh_device *device, uint32_t *deepest, uint64_t *declared,
                           double *run_s, rh_error *error);
