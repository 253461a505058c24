/* bottom_up: a tree over neighbours, one launch for each level. */
#define RH_PLUGIN_MIN_HOST_MINOR 2 /* RH_OPERANDS_PARAMETERS */
#include "bottom_up.cl.h"
#include <redhost/kit.h>

static const char about[] =
    "\"Parallel Reductions\" (CS 441/641, Dr. Lawlor), totalArray. Over the serial loop: a tree, "
    "built from the bottom. Pairs of neighbours first, then pairs of pairs: at each level "
    "arr[step*i] += arr[step*i+step/2], and step doubles. That takes log2(n) launches with ever "
    "fewer work-items, whose addresses move ever further apart. Elements keep their order. The "
    "article works in place, in the array itself, and finds its total in arr[0]; redhost never "
    "writes the input, so the first level goes from the elements to a working copy of half as many "
    "values, and only the later levels are in place.";

enum { GROUP };
static const rh_param params[] = {
    [GROUP] =
        RH_NUMBER("group", 0, 0, 4096, "work-items in a group; 0: 256, or what the device takes"),
};

typedef struct bottom_up {
  const rh_host *host;
  struct _cl_kernel *elements, *values;
  struct _cl_mem *arr; /* the working copy: the first level's output, in values */
  uint64_t group, arr_bytes;
} bottom_up;

/* The launches' shape and costs, for query and setup alike. */
static rh_status plan(const rh_problem *problem, const int64_t *values, bottom_up *self,
                      rh_answer *answer) {
  uint64_t n = problem->max_n, levels = rh_log2_up(n);
  RH_TRY(rh_fit_group(problem, "group", values[GROUP], 256, 0, &self->group, answer));
  self->arr_bytes = (n > 2 ? rh_divide_up(n, 2) : 1) * problem->op->value_size;
  answer->score = problem->device->kind == RH_DEVICE_CPU ? 40 : 120;
  answer->launches = levels ? (uint32_t)levels : 1;
  answer->depth = levels;
  answer->scratch_bytes = self->arr_bytes;
  return rh_fit_scratch(problem, answer);
}

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  bottom_up shape;
  return plan(problem, values, &shape, answer);
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  bottom_up *self = host->alloc(host, sizeof *self);
  struct _cl_program *program;
  rh_answer answer = {0};
  if (!self) return RH_E_NOMEM;
  *instance = self;
  self->host = host;
  RH_TRY(plan(problem, values, self, &answer));
  RH_TRY(host->scratch(host, self->arr_bytes, &self->arr));
  RH_TRY(host->build(host, "bottom_up.cl", bottom_up_cl, "", &program));
  RH_TRY(rh_group_kernel(host, program, "bottom_up_elements", self->group, &self->elements));
  return rh_group_kernel(host, program, "bottom_up_values", self->group, &self->values);
}

static rh_status run(void *instance, const rh_run *run) {
  const bottom_up *self = instance;
  uint64_t n = rh_divide_up(run->n, 2); /* values in the working copy */
  int last = n <= 1;                    /* this launch is the last one */
  RH_TRY(rh_launch(self->host, self->elements, "elements", rh_whole_groups(n, self->group),
                   self->group, RH_OPERANDS_OF(run), RH_U64(run->first), RH_U64(run->n),
                   RH_BUFFER(last ? run->result : self->arr),
                   RH_U64(last ? run->result_index : 0)));
  for (uint64_t step = 2; step / 2 < n; step *= 2) {
    last = step >= n;
    RH_TRY(rh_launch(
        self->host, self->values, "values", rh_whole_groups(rh_divide_up(n, step), self->group),
        self->group, RH_BUFFER(self->arr), RH_U64(n), RH_U64(step),
        RH_BUFFER(last ? run->result : self->arr), RH_U64(last ? run->result_index : 0)));
  }
  return RH_OK;
}

static const rh_strategy strategy = {
    RH_STRATEGY_SIZE,
    .name = "bottom_up",
    .summary = "pairs of neighbours, then pairs of pairs: one launch for each level of a tree",
    .about = about,
    .version = "1.0",
    .author = "the redhost authors",
    .license = "MIT",
    .device_kinds = RH_DEVICE_ANY_CL,
    .promises = RH_KEEPS_ORDER,
    .determinism = RH_BITS_SAME_EVERYWHERE,
    RH_PARAMS(params),
    .query = query,
    .setup = setup,
    .run = run,
    .extension = rh_serves_any,
};
RH_PLUGIN(&strategy);
