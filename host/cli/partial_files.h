/* Files of partials: those of --partial and --merge, and that of --state, which keeps what exact
 * sums have come to so far. */
#pragma once

#include "../engine/partial/partial_label.h"
#include "report.h"

/* A pipe will do, and "-".  A file that is not a partial, or goes on behind its end, is read only
 * as far as that shows. */
rh_status rh_partial_load(const char *path, rh_text *to, rh_error *error);
/* RH_E_USAGE if the file of --partial, if there is to be one, is standard output, to which others
 * write; or this input. */
rh_status rh_partial_check_options(const rh_typed *typed, rh_error *error);
rh_status rh_partial_check_output(const rh_typed *typed, const char *input, rh_error *error);

/* Writes the file of --partial, whole or not at all, and prints what it holds, by --quiet, --json
 * or neither; or if it is "-", writes it to standard output alone. */
rh_status rh_partial_output(const rh_app *app, const rh_partial *partial, const char *text,
                            rh_error *error);

/* ---- --state ---- */

/* Zero-initialised is that of a run without --state, and may be finished.  It must not be moved. */
typedef struct rh_state_file {
  rh_job_spec job;
  rh_partial sum;
  char *text;
} rh_state_file;

/* Before data that can be read once are: RH_E_FILE for a file that is damaged, none, or of another
 * operator; RH_DECLINED for an operator whose exact sum is not kept.  asked: of the run. */
rh_status rh_state_file_open(rh_state_file *self, const rh_app *app, const rh_job_spec *asked,
                             rh_error *error);

/* Adds the elements of a run that was right, writes the file, whole or not at all, and puts what
 * all have come to into the report. */
rh_status rh_state_file_add(rh_state_file *self, rh_run_report *report, const rh_typed *typed,
                            rh_error *error);
void rh_state_file_finish(rh_state_file *self);
