/* atomic_global: every element by an atomic on the result. */
#include "atomic_global.cl.h"
#include <redhost/kit.h>

static const char about[] =
    "\"Reduction\" (Intel, oneAPI GPU optimization guide), the first kernel. \"A naive way to "
    "parallelize\" the serial loop: as many work-items as elements, and each adds its own to one "
    "global variable by an atomic operation, in the order of arrival. The article expects it to "
    "perform poorly, because all of them contend for a single location, and takes it as the step "
    "that the others improve on. Where the operator and the type have no atomic of their own, "
    "compare-and-swap serves every value of 4 or 8 bytes, but not the pairs of argmin, argmax and "
    "products of floats.";

enum { GROUP };
static const rh_param params[] = {
    [GROUP] =
        RH_NUMBER("group", 0, 0, 4096, "work-items in a group; 0: 256, or what the device takes"),
};

typedef struct atomic_global {
  const rh_host *host;
  const rh_op *op;
  struct _cl_kernel *kernel;
  uint64_t group;
} atomic_global;

/* The launch's shape and costs, for query and setup alike. */
static rh_status plan(const rh_problem *problem, const int64_t *values, atomic_global *self,
                      rh_answer *answer) {
  const rh_op *op = problem->op;
  if (op->value_size > 8)
    return rh_decline(answer, RH_WHY_OP, "%s combines values of %u B, atomics are limited to 8 B",
                      op->name, op->value_size);
  if (op->value_size == 8 && !(problem->device->features & RH_INT64_ATOMICS))
    return rh_decline(answer, RH_WHY_DEVICE,
                      "%s combines 8 B here, and the device has no 64-bit atomics "
                      "(cl_khr_int64_base_atomics)",
                      op->name);
  RH_TRY(rh_fit_group(problem, "group", values[GROUP], 256, 0, &self->group, answer));
  self->op = op;
  answer->score = 2;
  answer->launches = 1;
  answer->depth = problem->max_n;
  return RH_OK;
}

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  atomic_global shape;
  return plan(problem, values, &shape, answer);
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  atomic_global *self = host->alloc(host, sizeof *self);
  struct _cl_program *program;
  rh_answer answer = {0};
  if (!self) return RH_E_NOMEM;
  *instance = self;
  self->host = host;
  RH_TRY(plan(problem, values, self, &answer));
  RH_TRY(host->build(host, "atomic_global.cl", atomic_global_cl, "-DRH_ATOMIC", &program));
  return rh_group_kernel(host, program, "atomic_global", self->group, &self->kernel);
}

static rh_status run(void *instance, const rh_run *run) {
  const atomic_global *self = instance;
  uint32_t size = self->op->value_size;
  RH_TRY(self->host->fill(self->host, run->result, run->result_index * size, self->op->identity,
                          size, 1));
  return rh_launch(self->host, self->kernel, "all", rh_whole_groups(run->n, self->group),
                   self->group, RH_BUFFER(run->input), RH_U64(run->first), RH_U64(run->n),
                   RH_BUFFER(run->result), RH_U64(run->result_index));
}

static const rh_strategy strategy = {
    RH_STRATEGY_SIZE,
    .name = "atomic_global",
    .summary = "every work-item adds its element to the result by an atomic",
    .about = about,
    .version = "1.0",
    .author = "the redhost authors",
    .license = "MIT",
    .device_kinds = RH_DEVICE_ANY_CL,
    .determinism = RH_BITS_VARY,
    RH_PARAMS(params),
    .query = query,
    .setup = setup,
    .run = run,
};
RH_PLUGIN(&strategy);
