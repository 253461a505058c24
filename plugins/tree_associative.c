/* tree_associative: recursive stages of trees that only regroup, down to one value. */
#define RH_PLUGIN_MIN_HOST_MINOR 2 /* RH_OPERANDS_PARAMETERS */
#include "tree_associative.cl.h"
#include <redhost/kit.h>

static const char about[] =
    "\"OpenCL Optimization Case Study: Simple Reductions\" (AMD, 2010), figures 1 and 4. One "
    "work-item for each element, and a tree for every group-sized piece of the input, in local "
    "memory: the offset doubles, and a mask lets every second, fourth, eighth work-item combine. "
    "That needs only an associative operator, but uses the work-items sparsely. The groups' "
    "results are gathered into a new vector, which is reduced again, down to one value on the "
    "device.";

enum { GROUP };
static const rh_param params[] = {
    [GROUP] =
        RH_NUMBER("group", 0, 0, 4096, "work-items in a group; 0: 256, or what the device takes"),
};

typedef struct tree_associative {
  rh_levels levels;
} tree_associative;

/* The launches' shape and costs, for query and setup alike. */
static rh_status plan(const rh_problem *problem, const int64_t *values, tree_associative *self,
                      rh_answer *answer) {
  uint64_t group;
  RH_TRY(
      rh_fit_group(problem, "group", values[GROUP], 256, problem->op->value_size, &group, answer));
  self->levels = (rh_levels){.group = group, .fan = group, .until = 1};
  answer->score = problem->device->kind == RH_DEVICE_CPU ? 70 : 210;
  RH_TRY(rh_levels_query(&self->levels, answer, problem));
  return rh_fit_scratch(problem, answer);
}

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  tree_associative shape;
  return plan(problem, values, &shape, answer);
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  tree_associative *self = host->alloc(host, sizeof *self);
  struct _cl_program *program;
  rh_answer answer = {0};
  if (!self) return RH_E_NOMEM;
  *instance = self;
  RH_TRY(plan(problem, values, self, &answer));
  RH_TRY(host->build(host, "tree_associative.cl", tree_associative_cl, "", &program));
  return rh_levels_setup(&self->levels, host, problem, program, "tree_associative_elements",
                         "tree_associative_values");
}

static rh_status run(void *instance, const rh_run *run) {
  const tree_associative *self = instance;
  uint64_t left;
  return rh_levels_run(&self->levels, run, run->result, run->result_index, &left);
}

static const rh_strategy strategy = {
    RH_STRATEGY_SIZE,
    .name = "tree_associative",
    .summary = "recursive stages of trees that regroup and never reorder",
    .about = about,
    .version = "1.0",
    .author = "the redhost authors",
    .license = "MIT",
    .device_kinds = RH_DEVICE_ANY_CL,
    .promises = RH_KEEPS_ORDER,
    .determinism = RH_BITS_SAME_RUN,
    RH_PARAMS(params),
    .query = query,
    .setup = setup,
    .run = run,
    .extension = rh_serves_any,
};
RH_PLUGIN(&strategy);
