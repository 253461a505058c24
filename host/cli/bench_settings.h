/* The options of --bench and --tune, parsed and checked before anything else happens. */
#pragma once

#include "../tools/bench/settings.h"
#include "app.h"

/* RH_E_USAGE for malformed or contradictory options. *app is borrowed. */
rh_status rh_bench_settings_parse(rh_bench_settings *settings, const rh_app *app, rh_error *error);
void rh_bench_settings_finish(rh_bench_settings *settings);

/* The devices that --device names, malloc'ed; null and *n = 1 if there are no devices and none was
 * requested. */
rh_status rh_bench_devices(const rh_app *app, const rh_cl_device ***devices, uint32_t *n,
                           rh_error *error);
