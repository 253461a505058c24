/* The points of a strategy's parameter space that a test tries. */
#pragma once

#include "../../core/run/params.h"
#include "trial.h"

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
