/* hybrid_tree: the lower levels in local memory, the highest on the host. */
#define RH_PLUGIN_MIN_HOST_MINOR 2 /* RH_OPERANDS_PARAMETERS */
#include "hybrid_tree.cl.h"
#include <redhost/kit.h>

static const char about[] =
    "\"Parallel Reductions\" (CS 441/641, Dr. Lawlor), the last paragraph: \"You can do even "
    "better\". Over top_down, the lower levels of the tree run in local memory, as many as a group "
    "has values for, with a barrier instead of a launch between them; each launch divides the "
    "length by the group's size. The highest levels run on the CPU, \"where sequential summation "
    "is faster\": once at most `few` values are left, the host combines them. few=1 runs the whole "
    "tree on the device. The article gives no code for it and calls both a tweak of the constant.";

enum { GROUP, FEW, FINISH };
static const rh_param params[] = {
    [GROUP] =
        RH_NUMBER("group", 0, 0, 4096, "work-items in a group; 0: 256, or what the device takes"),
    [FEW] = RH_NUMBER("few", 1024, 1, 65536, "values left when the host takes over, at most"),
    [FINISH] = RH_FINISH_PARAM,
};

typedef struct hybrid_tree {
  rh_levels levels;
  uint64_t partials; /* at most so many values are left */
  rh_finish finish;
} hybrid_tree;

/* The launches' shape and costs, for query and setup alike. */
static rh_status plan(const rh_problem *problem, const int64_t *values, hybrid_tree *self,
                      rh_answer *answer) {
  uint64_t group;
  RH_TRY(
      rh_fit_group(problem, "group", values[GROUP], 256, problem->op->value_size, &group, answer));
  self->levels = (rh_levels){.group = group, .fan = group, .until = (uint64_t)values[FEW]};
  self->partials = rh_levels_most(&self->levels, problem);
  answer->score = problem->device->kind == RH_DEVICE_CPU ? 95 : 285;
  RH_TRY(rh_levels_query(&self->levels, answer, problem));
  rh_finish_query(answer, problem, self->partials, values[FINISH]);
  return rh_fit_scratch(problem, answer);
}

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  hybrid_tree shape;
  return plan(problem, values, &shape, answer);
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  hybrid_tree *self = host->alloc(host, sizeof *self);
  struct _cl_program *program;
  rh_answer answer = {0};
  if (!self) return RH_E_NOMEM;
  *instance = self;
  RH_TRY(plan(problem, values, self, &answer));
  RH_TRY(host->build(host, "hybrid_tree.cl", hybrid_tree_cl, rh_finish_options(values[FINISH]),
                     &program));
  RH_TRY(rh_levels_setup(&self->levels, host, problem, program, "hybrid_tree_elements",
                         "hybrid_tree_values"));
  return rh_finish_setup(&self->finish, host, problem, program, self->partials, values[FINISH]);
}

static rh_status run(void *instance, const rh_run *run) {
  const hybrid_tree *self = instance;
  rh_finish finish = self->finish;
  RH_TRY(rh_levels_run(&self->levels, run, finish.partials, 0, &finish.count));
  return rh_finish_run(&finish, run);
}

static const rh_strategy strategy = {
    RH_STRATEGY_SIZE,
    .name = "hybrid_tree",
    .summary = "the lower levels of a tree in local memory, the highest on the host",
    .about = about,
    .version = "1.0",
    .author = "the redhost authors",
    .license = "MIT",
    .device_kinds = RH_DEVICE_ANY_CL,
    .determinism = RH_BITS_SAME_RUN,
    RH_PARAMS(params),
    .query = query,
    .setup = setup,
    .run = run,
    .extension = rh_serves_any,
};
RH_PLUGIN(&strategy);
