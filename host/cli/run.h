/* One --run: what is reduced, and the strategies that do it.  Each way to reduce fills in the same
 * report. */
#pragma once

#include "../choose/measure/local.h"
#include "inputs.h"
#include "partial_files.h"
#include "report.h"
#include "run_options.h"
#include "run_segments.h"
#include "user_operator.h"

/* Where the elements are: in this process's memory as a whole; in the memories of several devices;
 * or nowhere, for they go past in chunks.  Ranks share such a stream. */
typedef enum rh_run_way { RH_RUN_IN_MEMORY, RH_RUN_SPLIT, RH_RUN_STREAMED } rh_run_way;

typedef struct rh_run_state {
  const rh_app *app;
  const rh_run_options *options;
  rh_run_way way;
  char what[256];        /* the data, for messages */
  rh_inputs inputs;      /* empty: they are generated */
  rh_user_operator user; /* empty: a built-in one */
  rh_job_spec asked;     /* of all elements */
  rh_job_spec job;       /* of a strategy; at last by the one that gave the answer */
  rh_run_devices devices;
  rh_array array; /* in memory, of which generated ones are made once a device holds them */
  int has_no_room;
  rh_shape shape; /* of data that are cut into segments; or empty */
  rh_segments_files files;
  rh_segments_answer segments;
  rh_local_shared shared;
  rh_sampler sampler; /* `self` is null if it does not exist */
  rh_source source;   /* the other ways */
  rh_partial partial;
  rh_reduction *reduction;
  rh_segments_reduction *in_parts; /* of segments */
  rh_resident resident;
  rh_run_report report;
  rh_state_file state;
} rh_run_state;

/* Begins with what app asks for. */
void rh_run_begin(rh_run_state *run, const rh_app *app, const rh_run_options *options);
void rh_run_finish(rh_run_state *run); /* zero-initialised is fine */

/* Opens files and finds the operator, and the way, which may be given, so that their errors come
 * before a device is used.  Brings files into memory that are to be there. */
rh_status rh_run_find_data(rh_run_state *run, rh_error *error);

/* RH_E_FILE if a file changed that was brought into memory, which explains other errors. */
rh_status rh_run_check_unchanged(const rh_run_state *run, rh_error *error);

/* Instead of in memory, or split. */
rh_status rh_run_stream_instead(rh_run_state *run, rh_error *error);

/* They reduce by one strategy after the other, into the report.  In memory: finds out, too, that a
 * stream is faster, which is the way then. */
rh_status rh_run_in_memory(rh_run_state *run, rh_error *error);
rh_status rh_run_streamed(rh_run_state *run, rh_error *error);
/* RH_E_DEVICE, RH_E_NOMEM: also where the data do not fit. */
rh_status rh_run_split(rh_run_state *run, rh_error *error);

/* A reduction of the source by the devices, to be completed. */
rh_reduction_spec rh_run_reduction(const rh_run_state *run);
/* The same of segments, into the answer. */
rh_segments_reduction_spec rh_run_segments_reduction(const rh_run_state *run);
/* RH_E_USAGE: the strategy of the job would run in a process of its own. */
rh_status rh_run_segments_decline(const rh_job_spec *job, rh_error *error);
/* What it came to. */
void rh_run_segments_note(rh_run_state *run);
/* Releases what an attempt has left. */
void rh_run_undo(rh_run_state *run);
rh_status rh_run_end_sampler(rh_run_state *run, rh_error *error);

/* ---- By several processes: --ranks, --transport ---- */

/* Where the ranks of a job fail before they have joined it, one of each host speaks for all. */
int rh_run_ranks_speaks(const rh_typed *typed);

/* Before such a rank ends: mpirun ends all as soon as one has, and one is to speak first. */
void rh_run_ranks_hold(const rh_typed *typed);

/* The whole of --run.  Only rank 0 prints, and only its error has a message. */
rh_status rh_run_ranks(const rh_app *app, const rh_run_options *options, rh_error *error);
