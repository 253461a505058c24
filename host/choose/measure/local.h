/* A strategy in this process as a sampler. */
#pragma once

#include "../../core/run/job.h"
#include "pool.h"

/* The strategies of one device share this. */
typedef struct rh_local_shared {
  rh_context *context;
  /* null if only host strategies or data with a region are sampled */
  rh_bench_device *bench_device;
  rh_pool pool;
  uint32_t untuned; /* 1: ignore tuned parameters; use the defaults and the settings */
  /* 1: reject settings that the strategy does not have, instead of ignoring them */
  uint32_t strict;
  const char *what;                          /* the data, for messages */
  void *user;                                /* null, or */
  void (*enter)(void *user, rh_phase phase); /* called when a strategy enters a phase */
} rh_local_shared;

/* Notes what the strategy of a job answered, and its parameters. */
void rh_opened_note(const rh_job *job, rh_opened *opened);

/* `found` and the settings are copied.  The sampler's finish() frees it. */
rh_status rh_local_sampler(rh_sampler *sampler, rh_local_shared *shared, const rh_found *found,
                           const rh_setting *settings, uint64_t n_settings, rh_error *error);
