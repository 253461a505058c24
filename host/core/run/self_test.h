/* The self-test of a strategy that is set up: runs on generated data, checked, before unchecked
 * runs. */
#pragma once

#include "job.h"

/* Reduces a few thousand elements, or as many as the job is set up for, and then the last two
 * thirds of them: several work-groups, a partial one, and a range that does not start at 0.  It
 * also absorbs the driver's work at a first launch.  RH_E_WRONG if an answer is wrong. */
rh_status rh_job_self_test(rh_job *job, rh_error *error);

/* Tries n elements of a kind, at most as many as the job is set up for. */
rh_status rh_job_try(rh_job *job, uint64_t n, const char *kind, rh_error *error);

/* Are the bits of a strategy that promises RH_CANONICAL_ORDER those of the order, on some thousand
 * elements of an operator that rounds?  RH_OK for any other strategy.  RH_E_WRONG: they are not,
 * which is recorded, so that `auto` leaves it out. */
rh_status rh_job_check_order(rh_job *job, rh_error *error);
