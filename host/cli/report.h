/* What --run found, and how it is printed. */
#ifndef RH_CLI_REPORT_H
#define RH_CLI_REPORT_H

#include "../base/report.h"
#include "../io/array.h"
#include "../measure/quick.h"
#include "app.h"
#include "table.h"

typedef struct rh_run_report {
  rh_array array;
  rh_job job;
  rh_result result;
  double first_s; /* the first run: what a caller without a warm device waits */
  int checked;
  double check_s;
  rh_reference reference;
  rh_verdict verdict;
  int measured;
  rh_quick quick;
} rh_run_report;

/* On standard output, as --quiet, --json or neither ask.  Quiet and wrong: nothing. */
rh_status rh_run_report_print(const rh_app *app, const rh_run_report *report, rh_error *error);

#endif
