/* The self-test of segments that are set up, before unchecked runs. */
#pragma once

#include "segments.h"

/* As rh_job_self_test(): of one segment, where the strategy runs once for each; else of a few short
 * ones of the same kind.  RH_E_WRONG, and the strategy is blamed, if a value is wrong. */
rh_status rh_segments_self_test(rh_segments *segments, rh_error *error);
