/* --run on data that are streamed. */
#pragma once

#include "inputs.h"
#include "report.h"

typedef struct rh_run_stream {
  const rh_app *app;
  rh_inputs *inputs; /* empty: the data are generated */
  rh_job_spec *spec; /* as asked for; gets the strategy that was found */
  /* Empty: the program's redhost alone.  To be finished by the caller, after the report is printed.
   */
  rh_run_devices *devices;
  uint64_t seed, chunk_bytes;
  int check;
} rh_run_stream;

/* After a run in memory that ended with `status`: was it for lack of room, which a stream does not
 * need?  has_no_room: 1 if the data themselves had none. */
int rh_run_stream_may_help(const rh_app *app, const rh_job_spec *spec, rh_status status,
                           int has_no_room);

/* Does the strategy that was named reduce a file sooner if the file is streamed to its device, from
 * pinned memory and beside the copies, than if it is copied as a whole first? */
int rh_run_stream_is_faster(const rh_app *app, const rh_inputs *inputs, const rh_job_spec *spec,
                            const rh_cl_device *device, int is_isolated);

/* Finds the strategies, streams the data through them, and enters all into the report.  streamed:
 * the caller's to finish, after the report is printed. */
rh_status rh_run_streamed(const rh_run_stream *how, rh_streamed *streamed, rh_run_report *report,
                          rh_error *error);
