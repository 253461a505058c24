/* atomic: a tree in every work-group, then one atomic per group on the result. */
#include "atomic.cl.h"
#include <redhost/kit.h>

static const char about[] =
    "\"OpenCL Optimization Case Study: Simple Reductions\" (AMD, 2010), multi-stage reduction, "
    "third way. One element for each work-item and a tree in every group, as in the recursive "
    "reductions; but instead of gathering the groups' results into a vector to be reduced again, "
    "each group combines its result into one location by an atomic memory operation, in the order "
    "of arrival. The article warns that the operator and the type must have one: compare-and-swap "
    "serves every value of 4 or 8 bytes, but not the pairs of argmin, argmax and products of "
    "floats.";

enum { GROUP };
static const rh_param params[] = {
    [GROUP] =
        RH_NUMBER("group", 0, 0, 4096, "work-items in a group; 0: 256, or what the device takes"),
};

typedef struct atomic_tree {
  const rh_host *host;
  const rh_op *op;
  struct _cl_kernel *kernel;
  uint64_t group;
} atomic_tree;

/* The launch's shape and costs, for query and setup alike. */
static rh_status plan(const rh_problem *problem, const int64_t *values, atomic_tree *self,
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
  RH_TRY(rh_fit_group(problem, "group", values[GROUP], 256, op->value_size, &self->group, answer));
  self->op = op;
  answer->score = 50;
  answer->launches = 1;
  answer->depth = rh_log2_up(self->group) + rh_divide_up(problem->max_n, self->group);
  return RH_OK;
}

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  atomic_tree shape;
  return plan(problem, values, &shape, answer);
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  atomic_tree *self = host->alloc(host, sizeof *self);
  struct _cl_program *program;
  rh_answer answer = {0};
  if (!self) return RH_E_NOMEM;
  *instance = self;
  self->host = host;
  RH_TRY(plan(problem, values, self, &answer));
  RH_TRY(host->build(host, "atomic.cl", atomic_cl, "-DRH_ATOMIC", &program));
  return rh_group_kernel(host, program, "atomic_tree", self->group, &self->kernel);
}

static rh_status run(void *instance, const rh_run *run) {
  const atomic_tree *self = instance;
  uint32_t size = self->op->value_size;
  uint64_t groups = run->n ? rh_divide_up(run->n, self->group) : 1;
  RH_TRY(self->host->fill(self->host, run->result, run->result_index * size, self->op->identity,
                          size, 1));
  return rh_launch(self->host, self->kernel, "tree", groups * self->group, self->group,
                   RH_BUFFER(run->input), RH_U64(run->first), RH_U64(run->n),
                   RH_LOCAL(self->group * size), RH_BUFFER(run->result), RH_U64(run->result_index));
}

static const rh_strategy strategy = {
    RH_STRATEGY_SIZE,
    .name = "atomic",
    .summary = "a tree in each group, then one atomic per group on the result",
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
