/* Opening one plugin in this process. */
#pragma once

#include <redhost/redhost.h>

/* Makes a plugin of a file that is not a shared object, but describes one: what stands above the
 * core has it (operators/foreign).  Its rules are rh_plugin_open()'s. */
typedef rh_status rh_describe(const char *path, const rh_plugin **plugin, rh_error *error);

/* Checks the file as an ELF object, opens it, and validates its descriptor as data before any
 * function of it is called; or has `describe` make a plugin of it (null: that is refused).  `path`
 * is absolute.  A bad plugin is RH_E_PLUGIN with a message without the path, which the caller
 * prepends.  RH_DECLINED: the library that a description names is not installed.  Any other failure
 * means that the file could not be examined.  The plugin stays loaded; *plugin is valid until the
 * process ends.  The floating-point control word is restored, and a plugin that changed it is
 * refused. */
rh_status rh_plugin_open(const char *path, rh_describe *describe, const rh_plugin **plugin,
                         rh_error *error);

/* The descriptor's rules, for tests and for --verify: magic, sizes, versions, strings, names,
 * parameters, functions. */
rh_status rh_plugin_judge(const rh_plugin *plugin, rh_error *error);

/* [a-z0-9][a-z0-9_-]{0,62} */
int rh_strategy_name_is_valid(const char *name);

/* Parameter k of a strategy, by the stride that the plugin was compiled with. */
const rh_param *rh_strategy_param(const rh_strategy *strategy, uint32_t k);

/* Is `value` inside the range of a validated parameter?  (Its step is for searches, not a rule.)
 * If not, `expected` (may be null) describes the range: "expected a power of two from 1 to
 * 1024". */
int rh_param_allows(const rh_param *param, int64_t value, char *expected, size_t bytes);

/* Calls query with the host's own checks: device kind and needs, parameters inside their ranges,
 * control word, answers of known status, terminated reason.  RH_OK, RH_DECLINED (answer->why and
 * reason say why), or a failure.  A strategy that also runs on the host is queried for any
 * device. */
rh_status rh_strategy_query(const rh_strategy *strategy, const rh_problem *problem,
                            const int64_t *params, rh_answer *answer, rh_error *error);
