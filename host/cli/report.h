/* What --run found, and how it is printed. */
#ifndef RH_CLI_REPORT_H
#define RH_CLI_REPORT_H

#include "../core/reduce/job.h"
#include "../tools/measure/quick.h"
#include "app.h"
#include "table.h"

typedef struct rh_run_report {
  const rh_job_spec *spec;    /* with the strategy's own name and its file */
  const rh_cl_device *device; /* null: the host */
  int isolated;               /* 1: it ran in a process of its own */
  const char *chosen;         /* why `auto` chose it; null or "" where it was asked for */
  rh_opened opened;           /* as it was asked, and then set up */
  double first_s;             /* the first run: what a caller without a warm device waits */
  rh_result result;
  int measured;
  rh_quick quick;
  int checked;
  double check_s;
  rh_reference reference;
  rh_verdict verdict;
} rh_run_report;

/* On standard output, as --quiet, --json or neither ask.  Quiet and wrong: nothing. */
rh_status rh_run_report_print(const rh_app *app, const rh_run_report *report, rh_error *error);

#endif
