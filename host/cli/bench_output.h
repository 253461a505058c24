/* Where a bench's results go: standard output or --output, --export, --resume. */
#ifndef RH_CLI_BENCH_OUTPUT_H
#define RH_CLI_BENCH_OUTPUT_H

#include "../results/results.h"
#include "app.h"

typedef struct rh_bench_output {
  const rh_typed *typed;
  const char *format;
  FILE *resume;       /* null: nothing is resumed */
  int resume_is_new;  /* its header is still to be written */
} rh_bench_output;

/* Everything that will be written can be: RH_E_FILE, before anything is measured.  RH_E_USAGE for an ending that names no
 * format. */
rh_status rh_bench_output_open(rh_bench_output *output, const rh_typed *typed, const char *format,
                               rh_error *error);

/* Takes over the rows of the file that is resumed.  RH_E_FILE where it comes from another build, other devices or other
 * settings than *results, whose header is there but for the devices. */
rh_status rh_bench_output_resume(rh_bench_output *output, rh_results *results, rh_error *error);

/* The header is whole: a new file that is resumed later begins with it; an old one must fit. */
rh_status rh_bench_output_header(rh_bench_output *output, const rh_results *results,
                                 rh_error *error);
/* A row as it was measured, to the file that is resumed. */
rh_status rh_bench_output_row(rh_bench_output *output, const rh_row *row, rh_error *error);

/* All of it, everywhere. */
rh_status rh_bench_output_all(rh_bench_output *output, const rh_results *results,
                              const rh_app *app, rh_error *error);
void rh_bench_output_close(rh_bench_output *output);

#endif
