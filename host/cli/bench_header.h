/* The facts that stand before a bench's results: tool, run, devices, calibration, settings, strategies. */
#ifndef RH_CLI_BENCH_HEADER_H
#define RH_CLI_BENCH_HEADER_H

#include "../tools/measure/bench_device.h"
#include "app.h"
#include "bench_settings.h"

/* tool, run and settings.  `results` must be empty. */
rh_status rh_bench_header_begin(rh_records *results, const rh_app *app,
                                const rh_bench_settings *settings, rh_error *error);
/* Another device. */
rh_status rh_bench_header_device(rh_records *results, const rh_cl_device *device, rh_error *error);
/* What it does at best. */
rh_status rh_bench_header_calibration(rh_records *results, const rh_cl_device *device,
                                      const rh_bench_device *range, rh_error *error);
/* Another strategy: `entry` as the registry of app->redhost has it; or a peer. */
rh_status rh_bench_header_strategy(rh_records *results, const rh_app *app, const rh_entry *entry,
                                   rh_error *error);
rh_status rh_bench_header_peer(rh_records *results, const char *name, const char *about,
                               const char *program, rh_error *error);
/* At the end: how long it took, and whether it came to its end. */
rh_status rh_bench_header_end(rh_records *results, double wall_s, int complete, rh_error *error);

#endif
