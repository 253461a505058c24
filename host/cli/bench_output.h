/* Where a bench's results go: standard output or --output, --export, --resume. */
#ifndef RH_CLI_BENCH_OUTPUT_H
#define RH_CLI_BENCH_OUTPUT_H

#include "../tools/records/records.h"
#include "app.h"

typedef struct rh_bench_output {
  const rh_app *app;
  const char *format; /* "table", ... */
  FILE *resume;       /* what is resumed, once its header stands; null */
  uint64_t whole;     /* bytes of the file to resume up to its last whole line */
} rh_bench_output;

/* Everything that will be written can be: RH_E_FILE, before anything is measured.  RH_E_USAGE for a
 * format that does not exist, and for an ending that names none. */
rh_status rh_bench_output_open(rh_bench_output *output, const rh_app *app, rh_error *error);

/* *results has tool, settings and device.  Of a file to resume the rows are taken over, before time
 * goes into anything else; RH_E_FILE where it comes from another build, another device or other
 * settings. */
rh_status rh_bench_output_take_over(rh_bench_output *output, rh_records *results, rh_error *error);

/* The header of *results is whole: a new file for --resume begins with it. */
rh_status rh_bench_output_begin(rh_bench_output *output, rh_records *results, rh_error *error);

/* A row as it was measured, to the file that is resumed. */
rh_status rh_bench_output_row(rh_bench_output *output, const rh_row *row, rh_error *error);

/* All of it, everywhere. */
rh_status rh_bench_output_all(rh_bench_output *output, const rh_records *results, rh_error *error);
void rh_bench_output_close(rh_bench_output *output); /* zero-initialised is fine */

#endif
