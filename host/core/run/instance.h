/* One strategy set up for one problem: query, setup, run and teardown, with the host's checks
 * around each call. */
#pragma once

#include "../cl/input.h"
#include "../cl/services.h"
#include "../cl/visible.h"
#include "../operation/layout.h"
#include "operands.h"
#include "params.h"
#include <redhost/plugin.h>

enum { RH_MOST_VALUE_BYTES = RH_ANY_VALUE_BYTES };

struct rh_instance_spec;
/* A strategy that runs in another process: what stands above has it asked, set up and run there. */
typedef struct rh_remote {
  rh_strategy strategy;       /* its name and promises, as of one of the host; no functions */
  const rh_cl_device *device; /* that it runs on there; null: the host */
  rh_status (*ask)(struct rh_remote *, const struct rh_instance_spec *spec, rh_answer *answer,
                   rh_error *error);
  rh_status (*set_up)(struct rh_remote *, const struct rh_instance_spec *spec, rh_error *error);
  rh_status (*run)(struct rh_remote *, const struct rh_instance_spec *spec, const rh_run *run,
                   void *value, rh_error *error);
} rh_remote;

typedef struct rh_instance_spec {
  const rh_strategy *strategy;
  rh_remote *remote;     /* null: it runs in this process */
  const rh_operator *op; /* borrowed */
  uint64_t max_n;        /* of a layout: of its longest segment */
  /* Null, or of a strategy that promises RH_SERVES_LAYOUTS: what all runs have; borrowed. */
  const rh_layout *layout;
  int64_t params[RH_MAX_PARAMS];
  rh_cl_session *session; /* null for a host strategy */
  const rh_reporter *reporter;
} rh_instance_spec;

/* The data: a buffer for OpenCL strategies, memory for host strategies. */
typedef struct rh_data {
  cl_mem buffer;
  const void *host;
  uint64_t first;        /* elements */
  rh_operands *operands; /* of an operator that has them: instead of the others */
} rh_data;

/* [one thread at a time] */
typedef struct rh_instance rh_instance;

/* Sets up a problem that rh_instance_query() accepted; *answer is its answer. */
rh_status rh_instance_create(rh_instance **instance, const rh_instance_spec *spec,
                             const rh_answer *answer, rh_error *error);
void rh_instance_destroy(rh_instance *instance); /* null is legal */

/* One reduction of n elements.  Returns when it is enqueued or, if the strategy finishes on the
 * host, done. */
rh_status rh_instance_run(rh_instance *instance, const rh_data *data, uint64_t n, rh_error *error);

/* Runs with the value in the caller's result[index], counted in values: for strategies that finish
 * on the device. */
rh_status rh_instance_run_to(rh_instance *instance, const rh_data *data, uint64_t n, cl_mem result,
                             uint64_t index, rh_error *error);

/* Where values of segments go: from host on, or if the strategy finishes on the device from
 * buffer[index] on, counted in values. */
typedef struct rh_values {
  void *host;
  cl_mem buffer;
  uint64_t index;
} rh_values;

/* Of a strategy that was set up with a layout: the values of the segments of `layout`, which are
 * some of those, in the `n` elements in which they lie. */
rh_status rh_instance_run_layout(rh_instance *instance, const rh_layout *layout,
                                 const rh_data *data, uint64_t n, const rh_values *to,
                                 rh_error *error);

/* The value of the last rh_instance_run(); waits for it. */
rh_status rh_instance_value(rh_instance *instance, void *value, rh_error *error);

/* The operator. */
const rh_op *rh_instance_op(const rh_instance *instance);

/* Bytes of device memory that it holds. */
uint64_t rh_instance_scratch(const rh_instance *instance);

/* One reduction, returning its value, by the fastest way on this device. */
rh_status rh_instance_call(rh_instance *instance, const rh_data *data, uint64_t n, void *value,
                           rh_error *error);

/* Can it be called by rh_instance_call_fast()?  Yes for strategies that run on the host and promise
 * not to write the floating-point control word. */
int rh_instance_has_fast_path(const rh_instance *instance);
/* One reduction of 1 to max_n elements by the fast path, which checks nothing.  host_input: an
 * array; or `arrays` of the operands that were passed to rh_instance_show(), once.  The value is
 * left at rh_instance_host_value(). */
rh_status rh_instance_call_fast(rh_instance *instance, const void *host_input, uint64_t n,
                                rh_error *error);
void rh_instance_show(rh_instance *instance, rh_operands *operands);
const void *rh_instance_host_value(const rh_instance *instance); /* aligned to 16 */

/* Does a value arrive in memory that the host sees (visible.h)?  Then a call can be made in two
 * steps, with others' in between: the first enqueues it, and the second waits for its value. */
int rh_instance_shows(const rh_instance *instance);
rh_status rh_instance_begin(rh_instance *instance, const rh_data *data, uint64_t n,
                            rh_error *error);
rh_status rh_instance_end(rh_instance *instance, void *value, rh_error *error);

/* Can this strategy serve this problem with these parameters?  Does not use OpenCL.  `device` null:
 * the host. */
rh_status rh_instance_query(const rh_instance_spec *spec, const rh_device *device,
                            rh_answer *answer, rh_error *error);

/* The device for queries of host strategies. */
const rh_device *rh_host_device(void);

/* Does the strategy run on the host if `device` is selected? */
int rh_strategy_is_host(const rh_strategy *strategy);
