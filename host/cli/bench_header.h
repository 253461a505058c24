/* The header of a benchmark's results: tool, run, devices, calibration, settings, strategies. */
#pragma once

#include "../tools/bench/stage.h"
#include "app.h"

/* tool, run and settings.  `results` must be empty. */
rh_status rh_bench_header_begin(rh_records *results, const rh_app *app,
                                const rh_bench_settings *settings, rh_error *error);
rh_status rh_bench_header_device(rh_records *results, const rh_cl_device *device, rh_error *error);
/* Call it when the stage is calibrated: adds its strategies and peers, and the device's
 * calibration. */
rh_status rh_bench_header_stage(rh_records *results, const rh_app *app, const rh_stage *stage,
                                rh_error *error);
/* Call it at the end: adds the duration, and whether the run is complete. */
rh_status rh_bench_header_end(rh_records *results, double wall_s, int complete, rh_error *error);
