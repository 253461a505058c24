/* partial_scalar: one element for each work-item, a tree in each group, then the host. */
#define RH_PLUGIN_MIN_HOST_MINOR 2 /* RH_OPERANDS_PARAMETERS */
#include "partial_scalar.cl.h"
#include <redhost/kit.h>

static const char about[] =
    "\"Parallel Reduction\" (CSCI376 Multicore and GPU Programming, University of Wollongong), "
    "reduction_scalar; also the single-stage tree of \"Reduction\" (Intel, oneAPI GPU Optimization "
    "Guide). Every work-item stores one element in local memory, a tree halves them, and each "
    "group writes one value: a partial reduction, whose values the host combines. A group is as "
    "large as device and kernel allow, divided by 4 until local memory holds four values for each "
    "work-item, as partial_float4 needs. A kernel that is limited to a single work-item is "
    "declined, as in the tutorial.";

enum { GROUP, FINISH };
static const rh_param params[] = {
    [GROUP] =
        RH_NUMBER("group", 0, 0, 4096, "work-items in a group; 0: as the tutorial derives it"),
    [FINISH] = RH_FINISH_PARAM,
};

typedef struct partial_scalar {
  const rh_host *host;
  struct _cl_kernel *kernel;
  uint64_t group, least, item_bytes;
  rh_finish finish;
} partial_scalar;

/* The group has as many work-items as device and kernel allow, divided by 4 until 4 values for each
 * fit. */
static uint64_t derive_group(const rh_problem *problem, uint32_t max_group) {
  const rh_device *device = problem->device;
  uint64_t group = device->max_group < max_group ? device->max_group : max_group;
  while (device->local_bytes < group * 4 * problem->op->value_size) group /= 4;
  return group;
}

static uint64_t groups_for(uint64_t n, uint64_t group) { return n ? rh_divide_up(n, group) : 1; }

/* The launch's shape and costs, for query and setup alike.  The kernel's largest group is known
 * only in setup, and smaller groups leave more work to the host: so the answer covers a derived
 * size down to a quarter of what the device's limits give, and setup goes no lower. */
static rh_status plan(const rh_problem *problem, const int64_t *values, partial_scalar *self,
                      rh_answer *answer) {
  int64_t group = values[GROUP];
  if (!group) group = (int64_t)derive_group(problem, problem->device->max_group);
  if (group < 2)
    return rh_decline(answer, RH_WHY_PARAM, "group=%d: a tree takes at least 2 work-items",
                      (int)group);
  self->item_bytes = problem->op->value_size;
  RH_TRY(rh_fit_group(problem, "group", group, 0, self->item_bytes, &self->group, answer));
  self->least = values[GROUP] ? self->group : self->group < 8 ? 2 : self->group / 4;
  answer->score = problem->device->kind == RH_DEVICE_CPU ? 85 : 270;
  answer->launches = 1;
  answer->depth = rh_log2_up(self->group);
  rh_finish_query(answer, problem, groups_for(problem->max_n, self->least), values[FINISH]);
  return rh_fit_scratch(problem, answer);
}

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  partial_scalar shape;
  return plan(problem, values, &shape, answer);
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  partial_scalar *self = host->alloc(host, sizeof *self);
  struct _cl_program *program;
  uint32_t max_group;
  rh_answer answer = {0};
  char text[128];
  if (!self) return RH_E_NOMEM;
  *instance = self;
  self->host = host;
  RH_TRY(plan(problem, values, self, &answer));
  RH_TRY(host->build(host, "partial_scalar.cl", partial_scalar_cl,
                     rh_finish_options(values[FINISH]), &program));
  RH_TRY(host->kernel(host, program, "partial_scalar", &self->kernel, &max_group));
  if (!values[GROUP]) self->group = derive_group(problem, max_group);
  if (self->group < self->least || self->group > max_group) {
    snprintf(text, sizeof text,
             "kernel 'partial_scalar' supports work-groups of at most %u on this device",
             max_group);
    return host->fail(host, RH_DECLINED, 0, text);
  }
  return rh_finish_setup(&self->finish, host, problem, program,
                         groups_for(problem->max_n, self->group), values[FINISH]);
}

static rh_status run(void *instance, const rh_run *run) {
  const partial_scalar *self = instance;
  rh_finish finish = self->finish;
  finish.count = groups_for(run->n, self->group);
  RH_TRY(rh_launch(self->host, self->kernel, "groups", finish.count * self->group, self->group,
                   RH_OPERANDS_OF(run), RH_U64(run->first), RH_U64(run->n),
                   RH_LOCAL(self->group * self->item_bytes), RH_BUFFER(finish.partials)));
  return rh_finish_run(&finish, run);
}

static const rh_strategy strategy = {
    RH_STRATEGY_SIZE,
    .name = "partial_scalar",
    .summary = "one element per work-item, a tree in each group, then the host",
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
