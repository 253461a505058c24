/* One strategy in a process of its own, which owns the OpenCL context: whatever a plugin does there, this process gets a
 * sentence.  The plugin is never opened here, and the answer is judged here. */
#ifndef RH_ISOLATE_WORKER_H
#define RH_ISOLATE_WORKER_H

#include "../../core/base/region.h"
#include "../../core/child/spawn.h"
#include "frames.h"

typedef struct rh_worker_spec {
  const rh_options *options;
  const rh_job_spec *job;     /* `strategy` is a name, and `plugin` its file */
  const rh_cl_device *device; /* null for a strategy that runs on the host */
  const rh_region *data;      /* shared; it may be filled until rh_worker_run */
  uint64_t offset;
  double limit_s; /* without a sign of life */
} rh_worker_spec;

/* Zero-initialised is one that was never started. */
typedef struct rh_worker {
  rh_worker_spec spec;
  rh_child child;
  rh_printed printed;
  rh_work_phase phase;
  int greeted;
  uint32_t logs;
  double deadline;
} rh_worker;

/* Each of these waits for the next part of *facts.  A crash, an end, a hang, a flood or words that redhost did not
 * write are RH_E_PLUGIN with a sentence; what the strategy's functions and services fail with is what it would be in
 * this process. */
rh_status rh_worker_start(rh_worker *worker, const rh_worker_spec *spec, rh_facts *facts,
                          rh_error *error); /* asks: rh_facts_ask */
rh_status rh_worker_run(rh_worker *worker, rh_facts *facts, rh_error *error);
rh_status rh_worker_measure(rh_worker *worker, rh_facts *facts, rh_error *error);

/* Tears down, and says what there is to say of the plugin's manners. */
rh_status rh_worker_end(rh_worker *worker, rh_error *error);

/* Leaves no process behind, whatever happened before. */
void rh_worker_finish(rh_worker *worker);

/* The other side: `redhost --work` calls this and exits with what it returns. */
int rh_work_main(void);

#endif
