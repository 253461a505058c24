/* One device with everything that is to be timed on it. */
#ifndef RH_CLI_BENCH_STAGE_H
#define RH_CLI_BENCH_STAGE_H

#include "../measure/local.h"
#include "app.h"
#include "bench_settings.h"

typedef struct rh_stage {
  rh_app app; /* the program's, on this device alone */
  const rh_cl_device *device; /* null: there is no OpenCL device, and only host strategies are timed */
  rh_range range;
  rh_local_shared shared;
  rh_sampler *samplers;
  uint32_t n_samplers;
} rh_stage;

/* Finds the strategies that --strategy names, of all those that can serve any of the operators and types here.  `device`
 * may be null.  Touches no device. */
rh_status rh_stage_open(rh_stage *stage, const rh_app *app, const rh_cl_device *device,
                        const rh_bench_settings *settings, rh_error *error);

/* Calibrates the device; the header is told.  In what follows the device is this bench's. */
rh_status rh_stage_calibrate(rh_stage *stage, const rh_bench_settings *settings,
                             rh_results *results, rh_error *error);

const char *rh_stage_label(const rh_stage *stage); /* "1:0", "host" */
void rh_stage_close(rh_stage *stage);              /* zero-initialised is fine */

#endif
