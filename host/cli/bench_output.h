/* The destinations of a benchmark's results: standard output or --output, --export, --resume. */
#pragma once

#include "../tools/bench/stage.h"
#include "../tools/records/records.h"
#include "app.h"

typedef struct rh_bench_output {
  const rh_app *app;
  const char *format; /* "table", ... */
  FILE *resume;       /* the resumed file, once its header is written; null */
  uint64_t whole;     /* bytes of the file to resume up to its last whole line */
} rh_bench_output;

/* Checks that every output can be written: RH_E_FILE, before anything is measured.  RH_E_USAGE for
 * an unknown format or file name suffix. */
rh_status rh_bench_output_open(rh_bench_output *output, const rh_app *app, rh_error *error);

/* *results has tool, settings and device.  Takes over the rows of a file to resume, before anything
 * that takes time; RH_E_FILE if it is from another build, another device or other settings. */
rh_status rh_bench_output_take_over(rh_bench_output *output, rh_records *results, rh_error *error);

/* The header of *results is complete: writes it to a new file for --resume. */
rh_status rh_bench_output_begin(rh_bench_output *output, rh_records *results, rh_error *error);

/* Appends a measured row to the file for --resume. */
rh_status rh_bench_output_row(rh_bench_output *output, const rh_row *row, rh_error *error);

/* Writes all results to all destinations. */
rh_status rh_bench_output_all(rh_bench_output *output, const rh_records *results, rh_error *error);
void rh_bench_output_close(rh_bench_output *output); /* zero-initialised is fine */

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
