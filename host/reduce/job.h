/* One reduction of one array by one strategy, from its name to the judged answer. */
#ifndef RH_REDUCE_JOB_H
#define RH_REDUCE_JOB_H

#include "context.h"
#include "instance.h"
#include "reference.h"

typedef struct rh_job_spec {
  const char *strategy; /* or "auto" */
  uint32_t op;
  rh_type type;
  uint64_t n;
  const rh_setting *settings;
  uint64_t n_settings;
  const char *what; /* the data, for messages: "--size 2^34", "x.npy" */
} rh_job_spec;

/* Fields from `strategy` on are for reading. */
typedef struct rh_job {
  rh_redhost *redhost;
  rh_job_spec spec;
  const rh_strategy *strategy;
  char *path;                 /* the plugin's file */
  const rh_cl_device *device; /* null for a host strategy */
  rh_instance_spec instance_spec;
  rh_answer answer;
  rh_cl_input input;
  rh_data data;
  rh_instance *instance;
  double setup_s; /* query, build and allocation, without the upload */
} rh_job;

/* Finds the strategy and the device, and asks whether it can be done.  Touches no data and creates nothing on the
 * device, so that whatever can be refused is refused here. */
rh_status rh_job_init(rh_job *job, rh_redhost *redhost, const rh_job_spec *spec, rh_error *error);

/* Brings the data, spec.n elements `offset` bytes behind the page-aligned `region`, to the device and sets up. */
rh_status rh_job_setup(rh_job *job, void *region, uint64_t offset, rh_error *error);

/* Runs once and fetches the answer.  May be called again. */
rh_status rh_job_run(rh_job *job, rh_result *result, rh_error *error);

/* Judges an answer against the exact reference of the data, which is computed here. */
rh_status rh_job_check(const rh_job *job, const rh_result *result, rh_reference *reference,
                       rh_verdict *verdict, rh_error *error);

void rh_job_finish(rh_job *job); /* zero-initialised is fine */

#endif
