/* One tunable parameter as data. */
#ifndef RH_PLUG_PARAM_H
#define RH_PLUG_PARAM_H

#include <redhost/redhost.h>

/* Key, doc, range, step, choices, flags.  RH_E_PLUGIN with a sentence. */
rh_status rh_param_judge(const rh_param *param, rh_error *error);

#endif
