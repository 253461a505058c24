/* --run on data in parts: streamed, or kept in the memories of several devices. */
#pragma once

#include "inputs.h"
#include "report.h"
#include "run_options.h"

/* Zero-initialise what follows `devices`. */
typedef struct rh_run_parts {
  const rh_app *app;
  const rh_run_options *options;
  rh_inputs *inputs; /* empty: the data are generated */
  rh_job_spec *spec; /* as asked for; gets the strategy that was found */
  /* Empty: the program's redhost alone.  To be finished by the caller, after the report is printed.
   */
  rh_run_devices *devices;
  rh_job_spec asked; /* of every strategy */
  rh_run_report *report;
  rh_source source;
  rh_partial partial;
  rh_reduction *reduction;
  rh_resident resident;
} rh_run_parts;

/* After a run in memory that ended with `status`: was it for lack of room, which a stream does not
 * need?  has_no_room: 1 if the data themselves had none. */
int rh_run_stream_may_help(const rh_app *app, const rh_job_spec *spec, rh_status status,
                           int has_no_room);

/* Does the strategy that was named reduce a file sooner if the file is streamed to its device, from
 * pinned memory and beside the copies, than if it is copied as a whole first? */
int rh_run_stream_is_faster(const rh_app *app, const rh_inputs *inputs, const rh_job_spec *spec,
                            const rh_cl_device *device, int is_isolated);

/* Finds the strategies, streams the data through them, and enters all into the report. */
rh_status rh_run_streamed(rh_run_parts *parts, rh_run_report *report, rh_error *error);

/* The same for generated data that are split among several devices and stay there; measures unless
 * `--quiet` was given.  RH_E_DEVICE, RH_E_NOMEM: also where the data do not fit. */
rh_status rh_run_resident(rh_run_parts *parts, rh_run_report *report, rh_error *error);

/* After the report is printed; what the caller has set stays. */
void rh_run_parts_finish(rh_run_parts *parts);
