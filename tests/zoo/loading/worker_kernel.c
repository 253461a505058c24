/* A kernel that writes to an invalid address. */
#include "zoo.h"
#include <redhost/kit.h>

typedef struct wild {
  const rh_host *host;
  struct _cl_kernel *kernel;
} wild;

static rh_status query(const rh_problem *problem, const int64_t *params, rh_answer *answer) {
  (void)params;
  answer->launches = 1;
  answer->depth = problem->max_n;
  return RH_OK;
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *params,
                       void **self) {
  static const char source[] =
      "__kernel void wild(__global const rh_element *input, ulong first, ulong n,\n"
      "                   __global rh_value *result, ulong at) {\n"
      "  *(__global volatile int *)(16 * (n + 1)) = 1;\n"
      "  result[at] = rh_load(input, first);\n"
      "}\n";
  struct _cl_program *program;
  wild *made = host->alloc(host, sizeof *made);
  (void)problem;
  (void)params;
  if (!made) return RH_E_NOMEM;
  made->host = host;
  *self = made;
  RH_TRY(host->build(host, "wild.cl", source, "", &program));
  return host->kernel(host, program, "wild", &made->kernel, NULL);
}

static rh_status run(void *self, const rh_run *run) {
  const wild *made = self;
  return rh_launch(made->host, made->kernel, "wild", 1, 1, RH_BUFFER(run->input),
                   RH_U64(run->first), RH_U64(run->n), RH_BUFFER(run->result),
                   RH_U64(run->result_index));
}

ZOO_STRATEGY_BUT(strategy, "worker_kernel", .device_kinds = RH_DEVICE_ANY_CL,
                 .determinism = RH_BITS_SAME_RUN, .query = query, .setup = setup, .run = run,
                 .promises = 0);
ZOO_PLUGIN;
