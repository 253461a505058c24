/* The options of --run, judged before the ways to reduce part: what is malformed is refused in all
 * of them alike. */
#pragma once

#include "../core/run/job.h"
#include "../operators/custom/custom.h"
#include "options.h"

typedef struct rh_run_options {
  int check;            /* RH_CHECK_* */
  uint64_t seed;        /* of generated data, */
  const char *kind;     /* and their kind */
  uint64_t chunk_bytes; /* of --stream; 0: none were given */
  double timeout_s;     /* 0: none was given */
  uint32_t ranks;       /* that this process is to start; 0: none */
  /* Of --partial: the elements of the data that it is of, and where the data begin in a whole. */
  uint64_t begin, end;     /* end: UINT64_MAX: all */
  uint64_t first, whole_n; /* whole_n: UINT64_MAX: not known */
} rh_run_options;

/* Of a process's silence, in seconds. */
double rh_run_timeout(const rh_run_options *options);

/* Does the run share its work with other processes? */
int rh_run_options_want_ranks(const rh_typed *typed);

rh_status rh_run_options_parse(rh_run_options *options, const rh_typed *typed, rh_error *error);

/* --accuracy.  own: the user's operator, or null. */
rh_status rh_run_accuracy(const rh_typed *typed, int check, rh_job_spec *spec, rh_custom *own,
                          rh_error *error);

/* Is the data cut into segments? */
int rh_shape_is_asked(const rh_typed *typed);
