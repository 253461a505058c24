/* Foreign functions: any function of any shared library as a strategy, from a description in JSON
 * (docs/extend/foreign.md). */
#pragma once

#include <redhost/redhost.h>

/* Reads the description, opens its library, and calls the function once on a few elements, so that
 * a wrong description fails in the probe process.  Like that of rh_plugin_open(), the plugin stays
 * open until the process ends, and is returned again for the same file with the same text. */
rh_status rh_foreign_open(const char *path, const rh_plugin **plugin, rh_error *error);
