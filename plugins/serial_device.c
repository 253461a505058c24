/* serial_device: the sequential loop, on the device. */
#define RH_PLUGIN_MIN_HOST_MINOR 2 /* RH_OPERANDS_PARAMETERS */
#include "serial_device.cl.h"
#include <redhost/kit.h>

static const char about[] =
    "\"Parallel Reductions\" (CS 441/641, Dr. Lawlor), the row \"seq GPU\" of its times. The "
    "serial loop that the article starts from, moved to the device as it is: a single work-item "
    "walks over the whole array in index order. One core of a GPU is a slow CPU, and all others "
    "idle: \"a sequential linear summation is disaster on the GPU\", the article says, seven times "
    "slower than its CPU for 8000 floats. It is included to show that disaster.";

typedef struct serial_device {
  const rh_host *host;
  struct _cl_kernel *kernel;
} serial_device;

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  (void)values;
  answer->score = 1;
  answer->launches = 1;
  answer->depth = problem->max_n;
  return RH_OK;
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  (void)problem;
  (void)values;
  serial_device *self = host->alloc(host, sizeof *self);
  struct _cl_program *program;
  if (!self) return RH_E_NOMEM;
  *instance = self;
  self->host = host;
  RH_TRY(host->build(host, "serial_device.cl", serial_device_cl, "", &program));
  return rh_group_kernel(host, program, "serial_device", 1, &self->kernel);
}

static rh_status run(void *instance, const rh_run *run) {
  const serial_device *self = instance;
  return rh_launch(self->host, self->kernel, "all", 1, 1, RH_OPERANDS_OF(run), RH_U64(run->first),
                   RH_U64(run->n), RH_BUFFER(run->result), RH_U64(run->result_index));
}

static const rh_strategy strategy = {
    RH_STRATEGY_SIZE,
    .name = "serial_device",
    .summary = "one work-item walks over the whole input on the device, a disaster on purpose",
    .about = about,
    .version = "1.0",
    .author = "the redhost authors",
    .license = "MIT",
    .device_kinds = RH_DEVICE_ANY_CL,
    .promises = RH_KEEPS_ORDER,
    .determinism = RH_BITS_SAME_EVERYWHERE,
    .query = query,
    .setup = setup,
    .run = run,
    .extension = rh_serves_any,
};
RH_PLUGIN(&strategy);
