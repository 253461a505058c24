/* The rules for a plugin's descriptor in groups; rh_plugin_judge() applies all of them.  The
 * plugin is not called. */
#pragma once

#include <redhost/redhost.h>

enum { RH_MOST_STRATEGIES = 1024 }; /* in one plugin */

/* Bytes of a struct in ABI 1.0, without the fields appended since. */
#define RH_SIZE_1_0(T, last) ((uint32_t)(offsetof(T, last) + sizeof(((const T *)0)->last)))

/* All return RH_E_PLUGIN with a message.  Each but the first requires that those before it
 * passed. */
rh_status rh_validate_version(const rh_plugin *plugin,
                              rh_error *error); /* magic, size, ABI, flags */
/* The strategies are present, of a known size, and have valid, distinct names. */
rh_status rh_validate_names(const rh_plugin *plugin, rh_error *error);

typedef rh_status rh_validate_strategy(const rh_strategy *strategy, rh_error *error);
/* Applies one rule to every strategy; the message names the one that breaks it. */
rh_status rh_validate_each(const rh_plugin *plugin, rh_validate_strategy *judge, rh_error *error);

rh_validate_strategy rh_validate_functions, rh_validate_texts, rh_validate_params,
    rh_validate_promises;
