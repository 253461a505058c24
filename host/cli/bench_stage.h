/* One device with everything that is to be timed on it. */
#ifndef RH_CLI_BENCH_STAGE_H
#define RH_CLI_BENCH_STAGE_H

#include "../tools/isolate/peer.h"
#include "../tools/tune/candidate.h"
#include "app.h"
#include "bench_settings.h"

typedef struct rh_stage {
  rh_app app; /* the program's, on this device alone */
  const rh_cl_device
      *device; /* null: there is no OpenCL device, and only host strategies are timed */
  rh_bench_device range;
  rh_local_shared shared;
  rh_sampler *samplers; /* strategies by name, then peers */
  uint32_t n_samplers;
  rh_found *found; /* the strategies, n_found of them */
  uint32_t n_found;
  rh_peers *peers[RH_MAX_WORDS];
  uint32_t n_peers;
  double timeout_s; /* of a process that is silent */
} rh_stage;

/* The devices that --device names, malloc'ed; null and *n = 1 where there is none at all, and none was asked for. */
rh_status rh_stage_devices(const rh_app *app, const rh_cl_device ***devices, uint32_t *n,
                           rh_error *error);

/* Finds the strategies that --strategy names, of all those that can serve any of the operators and types here, and starts
 * the peer programs.  `device` may be null.  Touches no device. */
rh_status rh_stage_open(rh_stage *stage, const rh_app *app, const rh_cl_device *device,
                        const rh_bench_settings *settings, rh_error *error);

/* Calibrates the device, and makes the samplers; the header is told. */
rh_status rh_stage_calibrate(rh_stage *stage, const rh_bench_settings *settings,
                             rh_records *results, rh_error *error);

/* One more sampler of one of the strategies, with settings of its own; the caller's to finish, before the stage is closed. */
rh_status rh_stage_sampler(rh_stage *stage, const rh_found *found,
                           const rh_tunedb_setting *settings, uint32_t n, rh_sampler *sampler,
                           rh_error *error);

const char *rh_stage_label(const rh_stage *stage); /* "1:0", "host" */
void rh_stage_close(rh_stage *stage);              /* zero-initialised is fine */

#endif
