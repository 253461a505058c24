/* --state: what exact sums have come to so far, kept in a file and continued. */
#pragma once

#include "report.h"

#include "../engine/partial/partial.h"

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
