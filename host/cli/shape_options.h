/* What the options that cut data into segments say, before anything is opened. */
#pragma once

#include "options.h"

/* Is the data cut into segments? */
int rh_shape_is_asked(const rh_typed *typed);

/* RH_E_USAGE for options that contradict each other, or for what segments cannot be reduced by. */
rh_status rh_shape_check_options(const rh_typed *typed, rh_error *error);
