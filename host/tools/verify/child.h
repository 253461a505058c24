/* The parent's request to a child, and its execution. */
#pragma once

#include "trial.h"

/* One test; test null: list the names of the plugin's strategies. */
typedef struct rh_trial_job {
  const rh_options *options;
  const char *path, *strategy; /* strategy: null for none */
  const rh_test *test;
  uint32_t variant, quick;
  uint64_t seed;
  double random_s;
  const char *own, *launch; /* as rh_trial's */
} rh_trial_job;

rh_status rh_trial_request(rh_text *to, const rh_trial_job *job, rh_error *error);

rh_trial rh_trial_of(const rh_trial_job *job);
/* Runs one test in this process.  trial: path, strategy_name, seed, quick, variant and random_s are
 * set. */
rh_outcome rh_trial_run(rh_trial *trial, const rh_options *options, const rh_test *test);
