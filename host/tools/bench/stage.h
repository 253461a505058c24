/* One device with everything that is timed on it. */
#pragma once

#include "../../choose/tunedb/tunedb.h"
#include "../../core/run/context.h"
#include "../isolate/peer.h"
#include "settings.h"

typedef struct rh_stage {
  rh_context *context;
  const rh_bench_settings *settings;
  const rh_cl_device *device; /* null: no OpenCL device; only host strategies are timed */
  rh_bench_device bench_device;
  rh_local_shared shared;
  rh_sampler *samplers; /* strategies by name, then peers */
  uint32_t n_samplers;
  rh_found *found; /* the strategies, n_found of them */
  uint32_t n_found;
  rh_peers **peers; /* of settings->peers[k] */
  uint32_t n_peers;
} rh_stage;

/* Selects `device`, one of redhost's devices or null, for redhost.  Finds the selected strategies
 * among those that can serve any of the operators and types here, and starts the peer programs.
 * Does not use the device yet.  Both pointers are borrowed until the stage is closed. */
rh_status rh_stage_open(rh_stage *stage, rh_context *context, const rh_cl_device *device,
                        const rh_bench_settings *settings, rh_error *error);

/* Calibrates the device, and creates the samplers. */
rh_status rh_stage_calibrate(rh_stage *stage, rh_error *error);

/* Replaces the samplers, and restarts the peer programs: isolated strategies and peers are measured
 * in new processes from here on. */
rh_status rh_stage_renew(rh_stage *stage, rh_error *error);

/* One more sampler of one of the strategies, with its own settings; the caller finishes it before
 * the stage is closed. */
rh_status rh_stage_sampler(rh_stage *stage, const rh_found *found,
                           const rh_tunedb_setting *settings, uint32_t n, rh_sampler *sampler,
                           rh_error *error);

/* Strategies and peers, known before the samplers are created. */
uint32_t rh_stage_contenders(const rh_stage *stage);
const char *rh_stage_label(const rh_stage *stage); /* "1:0", "host" */
void rh_stage_close(rh_stage *stage);              /* zero-initialised is fine */
