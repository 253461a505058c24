/* A strategy in this process as a sampler. */
#ifndef RH_MEASURE_LOCAL_H
#define RH_MEASURE_LOCAL_H

#include "../../core/reduce/job.h"
#include "pool.h"

/* What the strategies of one device share. */
typedef struct rh_local_shared {
  rh_redhost *redhost;
  rh_bench_device *range; /* null: only host strategies are sampled, or only data with a region */
  rh_pool pool;
  uint32_t untuned; /* 1: whatever was tuned, parameters are the defaults and the settings */
  uint32_t strict;  /* 1: a setting that the strategy does not know is a mistake, not another's */
  const char *what; /* the data, for messages; null: "--size" */
  void *user;       /* null, or */
  void (*enter)(void *user, rh_phase phase); /* is told what the strategies are doing */
} rh_local_shared;

/* `found` and the settings are copied.  The sampler's finish() frees it. */
rh_status rh_local_sampler(rh_sampler *sampler, rh_local_shared *shared, const rh_found *found,
                           const rh_setting *settings, uint64_t n_settings, rh_error *error);

#endif
