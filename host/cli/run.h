/* One --run: the strategies and devices that do it, and what is said of it.  Each way to reduce
 * fills in the same state. */
#pragma once

#include "../choose/choose.h"
#include "app.h"

/* ---- The devices, each with a redhost and a strategy of its own ---- */

typedef struct rh_run_device {
  rh_context *context; /* of the first device that of the program */
  rh_found found;      /* its strategy */
  rh_attempts tried;   /* before that */
  rh_job_spec spec;
  int isolated;               /* 1: it runs in a process of its own */
  rh_isolated_worker *worker; /* that process, where data are given to it in parts */
} rh_run_device;

/* ---- The state ---- */

/* The outcome of a run, and how long it took. */
typedef struct rh_run_report {
  uint32_t by;      /* the device whose strategy gave the answer */
  rh_opened opened; /* the strategy's answers before and after setup */
  double first_s;   /* the first run: the latency without a warm device */
  rh_result result;
  rh_quick quick; /* more runs, if they were timed; of segments, `time` alone */
  uint32_t check; /* RH_CHECK_* */
  double check_s;
  rh_reference reference;
  rh_verdict verdict;
  uint32_t parts;        /* that were merged; 0: none */
  uint32_t ranks, hosts; /* processes that shared the work, and on how many hosts; 0: one alone */
  const char *transport; /* between them */
  double ranks_s;        /* from the first element to the answer */
  uint64_t state_n;      /* elements of the sum that --state keeps, and the result is of */
} rh_run_report;

/* The files of --output, opened before anything runs, and written whole or not at all. */
typedef struct rh_segments_file {
  rh_draft draft;
  const char *path;
  uint32_t first, n; /* of the columns */
} rh_segments_file;
typedef struct rh_segments_files {
  uint32_t n;
  rh_columns columns; /* of the operator */
  rh_segments_file list[RH_MAX_WORDS];
} rh_segments_files;

/* Where the elements are: in this process's memory as a whole; in the memories of several devices;
 * or nowhere, for they go past in chunks.  Ranks share such a stream. */
typedef enum rh_run_way { RH_RUN_IN_MEMORY, RH_RUN_SPLIT, RH_RUN_STREAMED } rh_run_way;

/* It must not be moved. */
typedef struct rh_run_state {
  const rh_app *app;
  rh_run_way way;
  char what[256];         /* the data, for messages */
  rh_inputs inputs;       /* empty: they are generated */
  rh_custom *own;         /* the user's operator; null: a built-in one */
  rh_job_spec asked;      /* of all elements */
  rh_job_spec wanted;     /* of a strategy: of as many as it is given at a time */
  rh_job_spec job;        /* of a strategy; at last by the one that gave the answer */
  rh_run_device *devices; /* all that --device lists, or the program's, which may be none */
  rh_worker *streams;     /* the same, for rh_reduction_open() */
  uint32_t n_devices;
  rh_array array; /* in memory, of which generated ones are made once a device holds them */
  int has_no_room;
  rh_local_shared shared;
  rh_sampler sampler; /* `self` is null if it does not exist */
  rh_source source;   /* the other ways */
  rh_partial partial;
  rh_reduction *reduction;
  rh_resident resident;
  rh_run_report report;
  rh_merger merger; /* of --merge; or the exact sum of --state so far */
  /* Data that are cut into segments have these; else they are empty. */
  rh_shape shape;
  rh_segments segments; /* their values */
  rh_segments_check judged;
  rh_segments_reduction *in_parts;
  rh_segments_files files;
} rh_run_state;

/* Begins with what app asks for. */
void rh_run_begin(rh_run_state *run, const rh_app *app);
void rh_run_state_finish(rh_run_state *run);

/* Opens devices and files and finds the operator, and the way, which may be given, so that their
 * errors come before a device is used.  Brings files into memory that are to be there. */
rh_status rh_run_find_data(rh_run_state *run, rh_error *error);

/* Finds asked->strategy, or the one that `auto` chooses, for device k. */
rh_status rh_run_device_locate(rh_run_state *run, uint32_t k, const rh_job_spec *asked,
                               rh_error *error);

/* Has its strategy run in a process of its own, which ends if *stop is 1: null, or of the ranks. */
rh_status rh_run_device_isolate(rh_run_state *run, uint32_t k, const atomic_int *stop,
                                rh_error *error);
/* Where such processes are idle until they are needed again: RH_OK if all live. */
rh_status rh_run_devices_rest(rh_run_state *run, rh_error *error);

/* RH_E_FILE if a file changed that was brought into memory, which explains other errors. */
rh_status rh_run_check_unchanged(const rh_run_state *run, rh_error *error);

/* Instead of in memory, or split. */
rh_status rh_run_stream_instead(rh_run_state *run, rh_error *error);

/* Makes attempts by strategies for n elements at a time, until one gives an answer.  Devices that
 * share the work take the best strategy that they have themselves. */
rh_status rh_run_try(rh_run_state *run, uint64_t n,
                     rh_status (*attempt)(void *of_run, int *is_final, rh_error *error),
                     rh_error *error);

/* They reduce by one strategy after the other, into the report. */
rh_status rh_run_streamed(rh_run_state *run, rh_error *error);
/* RH_E_DEVICE, RH_E_NOMEM: also where the data do not fit. */
rh_status rh_run_split(rh_run_state *run, rh_error *error);

/* A reduction of the source by the devices, to be completed. */
rh_reduction_spec rh_run_reduction(const rh_run_state *run);
/* RH_E_USAGE: the strategy of the job would run in a process of its own. */
rh_status rh_run_segments_decline(const rh_job_spec *job, rh_error *error);
/* Releases what an attempt has left. */
void rh_run_undo(rh_run_state *run);
rh_status rh_run_end_sampler(rh_run_state *run, rh_error *error);

/* The whole of --run by several processes.  Only rank 0 prints, and only its error has a
 * message. */
rh_status rh_run_ranks(const rh_app *app, rh_error *error);
/* Says why this process fails.  Where the ranks of a job fail before they have joined it, one of
 * each host speaks for all, and the others wait: mpirun ends all as soon as one has ended. */
void rh_run_ranks_say(const rh_typed *typed, rh_error *error);

/* ---- What is printed ---- */

/* The answer, on standard output, by --quiet, --json or neither, after the files of --output and
 * --state were written; and what is to be said of it.  A wrong answer is RH_E_WRONG, and with
 * --quiet, or of segments, not printed. */
rh_status rh_run_print(rh_run_state *run, rh_error *error);
rh_status rh_run_print_json(const rh_run_state *run, rh_error *error);

/* The device that gave the answer; null: the host, or none. */
static inline const rh_cl_device *rh_run_device_of(const rh_run_state *run) {
  return run->n_devices ? run->streams[run->report.by].device : NULL;
}
/* The number of parts in which segments were reduced, or 0. */
static inline uint64_t rh_run_parts(const rh_run_state *run) {
  return run->in_parts ? run->in_parts->parts : 0;
}
/* The reduction of a stream, if one process did it; or null. */
static inline const rh_reduction *rh_run_streamed_by(const rh_run_state *run) {
  return run->report.ranks ? NULL : run->reduction;
}
static inline int rh_run_is_checked(const rh_run_state *run) {
  return run->report.check != RH_CHECK_NONE;
}
static inline int rh_run_is_wrong(const rh_run_state *run) {
  return rh_run_is_checked(run) && run->report.verdict.verdict == RH_VERDICT_WRONG;
}
/* A run that built nothing counts as cached. */
static inline int rh_run_build_is_cached(const rh_run_state *run) {
  return run->report.opened.build_cached || run->report.opened.build_s == 0;
}
extern const char *const rh_verdict_words[]; /* "ok" */

/* How many results of an operator are told, and result k: a field, or the only one. */
static inline uint32_t rh_report_count(const rh_result *result) {
  return rh_result_has_fields(result) ? result->n_fields : 1;
}
static inline rh_result rh_report_field(const rh_result *result, uint32_t k) {
  if (!rh_result_has_fields(result)) return *result;
  rh_result one = {.type = result->fields[k].type};
  memcpy(&one.value, &result->fields[k].value, sizeof one.value);
  return one;
}
rh_result rh_run_segment(const rh_run_state *run, uint64_t s);        /* its result */
const char *rh_run_segment_name(const rh_run_state *run, uint64_t s); /* its label, or its number */

/* ---- --run A,B: the answers of several strategies, side by side ---- */

typedef struct rh_beside {
  rh_table table;
  uint32_t n;                /* answers */
  json_t *devices, *results; /* with --json */
} rh_beside;

rh_beside rh_beside_begin(void);
void rh_beside_add(rh_beside *beside, const rh_run_state *run);
/* Takes over both. */
void rh_beside_add_json(rh_beside *beside, json_t *devices, json_t *result);
/* One that has no answer.  Without any answer, nothing is printed. */
void rh_beside_add_failure(rh_beside *beside, const char *strategy, const rh_error *why);
rh_status rh_beside_print(rh_beside *beside, rh_error *error);
void rh_beside_finish(rh_beside *beside);

/* ---- Files of partials: --partial, --merge ---- */

/* Adds what a file holds.  A pipe will do, and "-".  A file that is not a partial, or goes on
 * behind its end, is read only as far as that shows. */
rh_status rh_partial_file_add(rh_run_state *run, const char *path, rh_error *error);
/* RH_E_USAGE if the file of --partial, if there is to be one, is this input. */
rh_status rh_partial_check_output(const rh_typed *typed, const char *input, rh_error *error);

/* Writes the file of --partial, whole or not at all, and prints what it holds, by --quiet, --json
 * or neither; or if it is "-", writes it to standard output alone. */
rh_status rh_partial_output(const rh_app *app, const rh_partial *partial, const char *text,
                            rh_error *error);

/* ---- --state ---- */

/* Before data that can be read once are: RH_E_FILE for a file that is damaged, none, or of another
 * operator; RH_DECLINED for an operator whose exact sum is not kept. */
rh_status rh_state_file_open(rh_run_state *run, rh_error *error);
/* Adds the elements of a run that was right, writes the file, whole or not at all, and puts what
 * all have come to into the report. */
rh_status rh_state_file_add(rh_run_state *run, rh_error *error);

/* ---- --output ---- */

/* Before anything runs.  RH_E_FILE for one that cannot be written, or that there is no room for;
 * RH_E_USAGE for two of one name, for a file that is read, and for a name that no result of the
 * operator has. */
rh_status rh_segments_files_open(rh_run_state *run, rh_error *error);
void rh_segments_files_close(rh_run_state *run); /* discards what was not written */
rh_status rh_segments_files_write(rh_run_state *run, rh_error *error);
