/* A strategy in this process as a sampler. */
#ifndef RH_MEASURE_LOCAL_H
#define RH_MEASURE_LOCAL_H

#include "../../core/reduce/job.h"
#include "pool.h"

/* What the strategies of one device share. */
typedef struct rh_local_shared {
  rh_redhost *redhost;
  rh_bench_device
      *range; /* null: there is no OpenCL device, and only host strategies are sampled */
  rh_pool pool;
  uint32_t untuned; /* 1: whatever was tuned, parameters are the defaults and the settings */
} rh_local_shared;

/* `found` and the settings are copied.  Settings that the strategy does not know are passed over: they are another's.
 * The sampler's finish() frees it. */
rh_status rh_local_sampler(rh_sampler *sampler, rh_local_shared *shared, const rh_found *found,
                           const rh_setting *settings, uint64_t n_settings, rh_error *error);

#endif
