/* Two strategies that use all of ABI 1.0: every field that the host gives, every service.  Built once, see README.md. */
#include "abi_1_0.cl.h"
#include <redhost/kit.h>
#include <stdlib.h>
#include <string.h>

/* ---- abi_1_0: on a device, finishing on the host or on the device ---- */

enum { GROUP, GROUPS, FINISH };
static const rh_param params[] = {
    [GROUP] = {.key = "group",
               .doc = "work-items",
               .min = 0,
               .max = 1024,
               .initial = 0,
               .step = 1,
               .flags = RH_PARAM_POWER_OF_TWO},
    [GROUPS] = RH_NUMBER("groups", 3, 1, 64, "groups"),
    [FINISH] = RH_FINISH_PARAM,
};

typedef struct device_state {
  const rh_host *host;
  struct _cl_kernel *kernel;
  uint64_t group, groups, local_bytes;
  rh_finish finish;
} device_state;

static rh_status device_plan(const rh_problem *problem, const int64_t *values, device_state *self,
                             rh_answer *answer) {
  const rh_device *device = problem->device;
  uint32_t value_size = problem->op->value_size;
  if (device->compute_units == 0 || device->name[0] == 0 || !device->driver || !device->extensions)
    return rh_decline(answer, RH_WHY_DEVICE, "the device says nothing of itself");
  if (problem->type == 0 || problem->type > RH_TYPE_f64)
    return rh_decline(answer, RH_WHY_TYPE, "type %u was not there in 1.0", problem->type);
  RH_TRY(rh_fit_group(problem, "group", values[GROUP], 64, value_size, &self->group, answer));
  self->groups = (uint64_t)values[GROUPS];
  self->local_bytes = self->group * value_size;
  answer->score = 2;
  answer->launches = 1;
  answer->depth = rh_divide_up(rh_divide_up(problem->max_n, self->groups), self->group) +
                  rh_log2_up(self->group);
  rh_finish_query(answer, problem, self->groups, values[FINISH]);
  return rh_fit_scratch(problem, answer);
}

static rh_status device_query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  device_state shape;
  return device_plan(problem, values, &shape, answer);
}

static rh_status device_setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                              void **instance) {
  device_state *self = host->alloc(host, sizeof *self);
  struct _cl_program *program;
  rh_answer answer = {0};
  if (!self) return RH_E_NOMEM;
  *instance = self;
  self->host = host;
  host->log(host, RH_LOG_DEBUG, "abi_1_0 is set up");
  if (!host->context || !host->device || !host->queue || host->extension(host, "redhost.none/1"))
    return host->fail(host, RH_E_INTERNAL, 0, "the host is not what 1.0 says");
  RH_TRY(device_plan(problem, values, self, &answer));
  RH_TRY(host->build(host, "abi_1_0.cl", abi_1_0_cl, rh_finish_options(values[FINISH]), &program));
  RH_TRY(rh_group_kernel(host, program, "abi_1_0", self->group, &self->kernel));
  return rh_finish_setup(&self->finish, host, problem, program, self->groups, values[FINISH]);
}

static rh_status device_run(void *instance, const rh_run *run) {
  const device_state *self = instance;
  const rh_op *op = self->finish.op;
  RH_TRY(self->host->fill(self->host, self->finish.partials, 0, op->identity, op->value_size,
                          self->groups));
  RH_TRY(rh_launch(self->host, self->kernel, "groups", self->groups * self->group, self->group,
                   RH_BUFFER(run->input), RH_U64(run->first), RH_U64(run->n),
                   RH_U32((uint32_t)self->groups), RH_LOCAL(self->local_bytes),
                   RH_BUFFER(self->finish.partials)));
  return rh_finish_run(&self->finish, run);
}

static const void *no_extension(const char *id) {
  (void)id;
  return NULL;
}

static const rh_strategy on_device = {
    RH_STRATEGY_SIZE,
    .name = "abi_1_0",
    .summary = "built when ABI 1.0 was frozen",
    .about =
        "Uses every service of ABI 1.0. Contiguous runs, an ordered tree, partial results in order.",
    .version = "1.0",
    .author = "the redhost authors",
    .license = "MIT",
    .device_kinds = RH_DEVICE_ANY_CL,
    .promises = RH_KEEPS_ORDER,
    .determinism = RH_BITS_SAME_RUN,
    RH_PARAMS(params),
    .query = device_query,
    .setup = device_setup,
    .run = device_run,
    .extension = no_extension,
};

/* ---- abi_1_0_host: on the host, an element at a time and the rest at once ---- */

typedef struct host_state {
  const rh_op *op;
  unsigned char *value; /* not the host's: teardown frees it */
} host_state;

static rh_status host_query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  (void)values;
  answer->score = 1;
  answer->finishes_on_host = 1;
  answer->depth = problem->max_n;
  return RH_OK;
}

static rh_status host_setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                            void **instance) {
  (void)values;
  host_state *self = host->alloc(host, sizeof *self);
  if (!self) return RH_E_NOMEM;
  *instance = self;
  self->op = problem->op;
  self->value = malloc(problem->op->value_size);
  return self->value ? RH_OK : host->fail(host, RH_E_NOMEM, 0, "no memory for a value");
}

static rh_status host_run(void *instance, const rh_run *run) {
  const host_state *self = instance;
  /* Indices in answers count from `first`. */
  const char *input = (const char *)run->host_input + run->first * self->op->element_size;
  uint64_t one_by_one = run->n < 10 ? run->n : 10;
  memcpy(run->host_result, self->op->identity, self->op->value_size);
  for (uint64_t k = 0; k < one_by_one; k++) {
    self->op->load(self->value, input, k);
    self->op->combine(run->host_result, self->value);
  }
  self->op->fold(run->host_result, input, one_by_one, run->n - one_by_one);
  return RH_OK;
}

static void host_teardown(void *instance) { free(((host_state *)instance)->value); }

static const rh_strategy on_host = {
    RH_STRATEGY_SIZE,
    .name = "abi_1_0_host",
    .summary = "host code, built when ABI 1.0 was frozen",
    .about = "Uses load, combine and fold of ABI 1.0.",
    .version = "1.0",
    .author = "the redhost authors",
    .license = "MIT",
    .device_kinds = RH_DEVICE_HOST,
    .promises = RH_KEEPS_ORDER,
    .determinism = RH_BITS_SAME_EVERYWHERE,
    .query = host_query,
    .setup = host_setup,
    .run = host_run,
    .teardown = host_teardown,
};

RH_PLUGIN(&on_device, &on_host);
