/* The result of --run, and its output. */
#pragma once

#include "../choose/measure/quick.h"
#include "../core/run/job.h"
#include "../engine/reduction/reduction.h"
#include "../engine/reduction/resident.h"
#include "app.h"
#include "run_devices.h"
#include "table.h"

#include <jansson.h>

typedef struct rh_run_report {
  const rh_job_spec *spec;    /* with the strategy's own name and its file */
  const rh_cl_device *device; /* null: the host */
  int isolated;               /* 1: it ran in its own process */
  const char *chosen;         /* why `auto` chose it; null or "" if the user named it */
  const rh_npy *npy;          /* of the first file; null: it has no shape */
  rh_opened opened;           /* the answers before and after setup */
  double first_s;             /* the first run: the latency without a warm device */
  rh_result result;
  int measured;
  rh_quick quick;
  const rh_run_devices *devices; /* of several, and of a stream; null: `device` alone */
  const rh_resident *resident;   /* the data were split among these; null: they were not */
  const rh_reduction *streamed;  /* the data went through a ring; null: they were in memory */
  int check;                     /* RH_CHECK_*, of such data */
  int checked;
  double check_s;
  rh_reference reference;
  rh_verdict verdict;
  uint32_t parts;        /* that were merged; 0: none */
  uint32_t ranks, hosts; /* processes that shared the work, and on how many hosts; 0: one alone */
  const char *transport; /* between them */
  double ranks_s;        /* from the first element to the answer */
  int has_state;         /* --state keeps the sum, */
  uint64_t state_n;      /* which is of so many elements; the result is of all */
} rh_run_report;

/* Prints it on standard output, by --quiet, --json or neither.  Quiet and wrong: prints nothing. */
rh_status rh_run_report_print(const rh_app *app, const rh_run_report *report, rh_error *error);

/* An answer that could not be checked must not be used unknowingly, not even by a script, so the
 * warning ignores --quiet.  The status stays 0, since nothing was found wrong; check.outcome of
 * --json distinguishes the two cases. */
void rh_run_report_warn(const rh_app *app, const rh_run_report *report);

/* Field k of a result of an operator of the user's, as a result. */
rh_result rh_report_field(const rh_result *result, uint32_t k);
/* "257 (value 190.2)" for an index, all fields of several, or the value. */
enum { RH_ANSWER_BYTES = 1024 };
void rh_report_answer(char text[RH_ANSWER_BYTES], const rh_result *result);
/* Of all elements. */
uint64_t rh_report_bytes(const rh_operation *operation);
/* "onepass  sum f32  n = 1024 (4 KiB)  of x.npy", without an end of the line. */
void rh_report_print_heading(const rh_app *app, const char *strategy,
                             const rh_operation *operation);
/* The line of a measured time.  spread: half the interval's width, relative; where: "", or words
 * and a comma. */
void rh_report_print_time(const rh_operation *operation, const rh_median *time, const char *where);
/* The same as JSON, and as --quiet prints it. */
json_t *rh_report_value(const rh_result *result);
void rh_report_print_value(const rh_result *result);
