/* --bench and --tune: their options and their output. */
#pragma once

#include "../tools/tune/tune.h"
#include "app.h"

/* ---- Options ---- */

/* Before anything else happens.  RH_E_USAGE for malformed or contradictory options. */
rh_status rh_bench_settings_parse(rh_bench_settings *settings, const rh_app *app, rh_error *error);
void rh_bench_settings_finish(rh_bench_settings *settings);

/* The devices that --device names, malloc'ed; null and *n = 1 if there are no devices and none was
 * requested. */
rh_status rh_bench_devices(const rh_app *app, const rh_cl_device ***devices, uint32_t *n,
                           rh_error *error);

/* ---- Destinations: standard output or --output, --export, --resume ---- */

/* RH_FORMAT_*, of --format or --json; 0: a table. */
uint32_t rh_bench_format(const rh_typed *typed);

/* Can every output be written?  RH_E_FILE, before anything is measured; RH_E_USAGE for an unknown
 * format or file name suffix. */
rh_status rh_bench_output_check(const rh_typed *typed, rh_error *error);

/* *results has tool, settings and device.  Takes over the rows of the file to resume, before
 * anything that takes time; RH_E_FILE if it is from another build, another device or other
 * settings. */
rh_status rh_bench_output_take_over(const char *path, rh_records *results, rh_error *error);

/* Writes all results to all destinations. */
rh_status rh_bench_output_all(const rh_app *app, const rh_records *results, rh_error *error);
