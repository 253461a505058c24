/* The sampler of one run: the strategy in this process, or in its own. */
#pragma once

#include "../core/data/array.h"
#include "../tools/isolate/peer.h"

typedef struct rh_run_spec {
  rh_context *context;
  const rh_job_spec *job;     /* with the strategy's own name and its file */
  const rh_cl_device *device; /* null: it runs on the host */
  int isolated;
  double timeout_s; /* the limit on silence */
} rh_run_spec;

/* `shared` is filled for a strategy in this process, and must outlive the sampler; so must the
 * spec's pointers. */
rh_status rh_run_sampler(rh_sampler *sampler, rh_local_shared *shared, const rh_run_spec *spec,
                         rh_error *error);

/* The elements of the array, reduced in place. */
rh_bench_data rh_run_data(const rh_job_spec *job, const rh_array *array);

/* One more run of the strategy, on other data. */
rh_status rh_run_once(const rh_run_spec *spec, const rh_array *array, rh_result *result,
                      rh_error *error);
