/* One device with everything that is to be timed on it. */
#ifndef RH_BENCH_STAGE_H
#define RH_BENCH_STAGE_H

#include "../../core/reduce/context.h"
#include "../isolate/peer.h"
#include "settings.h"

typedef struct rh_stage {
  rh_redhost *redhost;
  const rh_bench_settings *settings;
  const rh_cl_device *device; /* null: no OpenCL device; only host strategies are timed */
  rh_bench_device range;
  rh_local_shared shared;
  rh_sampler *samplers; /* strategies by name, then peers */
  uint32_t n_samplers;
  rh_found *found; /* the strategies, n_found of them */
  uint32_t n_found;
  rh_peers **peers; /* of settings->peers[k] */
  uint32_t n_peers;
} rh_stage;

/* Makes `device`, one of those that redhost has or null, redhost's own.  Finds the strategies that
 * are chosen, of all those that can serve any of the operators and types here, and starts the peer
 * programs.  Touches no device.  Both pointers stay the caller's until the stage is closed. */
rh_status rh_stage_open(rh_stage *stage, rh_redhost *redhost, const rh_cl_device *device,
                        const rh_bench_settings *settings, rh_error *error);

/* Calibrates the device, and makes the samplers. */
rh_status rh_stage_calibrate(rh_stage *stage, rh_error *error);

/* One more sampler of one of the strategies, with settings of its own; the caller's to finish,
 * before the stage is closed. */
rh_status rh_stage_sampler(rh_stage *stage, const rh_found *found,
                           const rh_tunedb_setting *settings, uint32_t n, rh_sampler *sampler,
                           rh_error *error);

/* Strategies and peers, which are known before the samplers are made. */
uint32_t rh_stage_contenders(const rh_stage *stage);
const char *rh_stage_label(const rh_stage *stage); /* "1:0", "host" */
void rh_stage_close(rh_stage *stage);              /* zero-initialised is fine */

#endif
