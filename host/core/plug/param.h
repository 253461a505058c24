/* One tunable parameter as data. */
#pragma once

#include <redhost/redhost.h>

/* Checks key, doc, range, step, choices and flags.  RH_E_PLUGIN with a message. */
rh_status rh_param_judge(const rh_param *param, rh_error *error);
