/* simple_1: halving, one launch for each level, and a tail for what that cuts off. */
#define RH_PLUGIN_MIN_HOST_MINOR 2 /* RH_OPERANDS_PARAMETERS */
#include "simple_1.cl.h"
#include <redhost/kit.h>

static const char about[] =
    "\"Parallel Reduction using C++ AMP\" (MSDN, Parallel Programming in Native Code), "
    "reduction_simple_1. Over the sequential version: a loop of launches that compute a[idx] = "
    "a[idx] + a[idx+s], the first with half as many work-items as elements, each further one with "
    "half as many again, rounded down. Where s is odd, the next launch would cut off the last "
    "value, so the last work-item adds it to a separate tail. One value is copied out, to which "
    "the host adds the tail. This takes about 3n accesses to memory. The article works in place, "
    "in a copy of the input on the device; redhost never writes the input, so the first launch "
    "goes from the elements to half as many values, and only the later ones are in place.";

enum { GROUP, FINISH };
static const rh_param params[] = {
    [GROUP] =
        RH_NUMBER("group", 0, 0, 4096, "work-items in a group; 0: 256, or what the device takes"),
    [FINISH] = RH_FINISH_PARAM,
};

enum { PARTIALS = 2 }; /* the total and the tail */

typedef struct simple_1 {
  const rh_host *host;
  struct _cl_kernel *elements, *values;
  struct _cl_mem *a; /* half the elements, as values */
  uint64_t group, a_bytes;
  rh_finish finish;
} simple_1;

/* The launches' shape and costs, for query and setup alike. */
static rh_status plan(const rh_problem *problem, const int64_t *values, simple_1 *self,
                      rh_answer *answer) {
  uint64_t half = problem->max_n / 2, levels = rh_log2_up(half + 1); /* halvings down to 1 */
  RH_TRY(rh_fit_group(problem, "group", values[GROUP], 256, 0, &self->group, answer));
  self->a_bytes = (half ? half : 1) * problem->op->value_size;
  answer->score = problem->device->kind == RH_DEVICE_CPU ? 44 : 150;
  answer->launches = levels ? (uint32_t)levels : 1;
  answer->depth = levels; /* the tail's depth too: it grows by one per level, except at the last */
  answer->scratch_bytes = self->a_bytes;
  rh_finish_query(answer, problem, PARTIALS, values[FINISH]);
  return rh_fit_scratch(problem, answer);
}

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  simple_1 shape;
  return plan(problem, values, &shape, answer);
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  simple_1 *self = host->alloc(host, sizeof *self);
  struct _cl_program *program;
  rh_answer answer = {0};
  if (!self) return RH_E_NOMEM;
  *instance = self;
  self->host = host;
  RH_TRY(plan(problem, values, self, &answer));
  RH_TRY(host->scratch(host, self->a_bytes, &self->a));
  RH_TRY(
      host->build(host, "simple_1.cl", simple_1_cl, rh_finish_options(values[FINISH]), &program));
  RH_TRY(rh_group_kernel(host, program, "simple_1_elements", self->group, &self->elements));
  RH_TRY(rh_group_kernel(host, program, "simple_1_values", self->group, &self->values));
  return rh_finish_setup(&self->finish, host, problem, program, PARTIALS, values[FINISH]);
}

static rh_status run(void *instance, const rh_run *run) {
  const simple_1 *self = instance;
  struct _cl_mem *partials = self->finish.partials;
  uint64_t s = run->n / 2;
  RH_TRY(rh_launch(self->host, self->elements, "elements", rh_whole_groups(s, self->group),
                   self->group, RH_OPERANDS_OF(run), RH_U64(run->first), RH_U64(run->n),
                   RH_BUFFER(s > 1 ? self->a : partials), RH_BUFFER(partials)));
  for (s /= 2; s > 0; s /= 2)
    RH_TRY(rh_launch(self->host, self->values, "values", rh_whole_groups(s, self->group),
                     self->group, RH_BUFFER(self->a), RH_U64(s),
                     RH_BUFFER(s > 1 ? self->a : partials), RH_BUFFER(partials)));
  return rh_finish_run(&self->finish, run);
}

static const rh_strategy strategy = {
    RH_STRATEGY_SIZE,
    .name = "simple_1",
    .summary = "halving with one launch per level; the host adds the tail",
    .about = about,
    .version = "1.0",
    .author = "the redhost authors",
    .license = "MIT",
    .device_kinds = RH_DEVICE_ANY_CL,
    .determinism = RH_BITS_SAME_EVERYWHERE,
    RH_PARAMS(params),
    .query = query,
    .setup = setup,
    .run = run,
    .extension = rh_serves_any,
};
RH_PLUGIN(&strategy);
