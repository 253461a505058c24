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

/* tool, run and settings.  `results` must be empty. */
rh_status rh_bench_header_begin(rh_records *results, const rh_app *app,
                                const rh_bench_settings *settings, rh_error *error);
/* Call it when the stage is calibrated: adds its strategies and peers, and the device's
 * calibration. */
rh_status rh_bench_header_stage(rh_records *results, const rh_app *app, const rh_stage *stage,
                                rh_error *error);
/* Call it at the end: adds the duration, and whether the run is complete. */
rh_status rh_bench_header_end(rh_records *results, double wall_s, int complete, rh_error *error);

/* ---- Tables ---- */

/* On standard output: a table for each device, operator and type, each with the best strategy at
 * each size, and one line on the method; with --verbose the parts of each call.  Behind them a line
 * for each strategy, operator and type with results of the same data on more than one device:
 * "bits: onepass, sum f32: equal on 2 devices (0x44ffd2e5)". */
void rh_bench_table_print(const rh_records *results, const rh_terminal *terminal);

/* ---- --tune: events while it searches, and the results of a device ---- */

/* "two_stage_float4 sum f32 2^22 12.1 us -> 9.4 us group=512", for a human reader; or a warning. */
void rh_tune_report_event(const rh_app *app, const rh_tuner *tuner, const rh_tune_event *event);

/* The results of a device.  file: where they are stored; null: they are not stored, or there are
 * none. */
void rh_tune_print(const rh_app *app, const rh_tuner *tuner, const char *file, int kept);
void rh_tune_add_json(const rh_tuner *tuner, json_t *list);
