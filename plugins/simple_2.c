/* simple_2: simple_1 with a window: several values become one at each level. */
#define RH_PLUGIN_MIN_HOST_MINOR 2 /* RH_OPERANDS_PARAMETERS */
#include "simple_2.cl.h"
#include <redhost/kit.h>

static const char about[] =
    "\"Parallel Reduction using C++ AMP\" (MSDN, Parallel Programming in Native Code), "
    "reduction_simple_2. Over simple_1, every work-item reads a window of 8 values, s apart, and "
    "writes one: log8(n) launches and about 1.28n accesses to memory, not 3n. The last work-item "
    "adds the values that a level cuts off, up to 7, to the tail, serially; the article calls that "
    "its drawback. Fewer values than a window are left at the end, and the host combines them and "
    "the tail. The article works in place, in a copy of the input on the device; redhost never "
    "writes the input, so the first launch goes from the elements to an eighth as many values, and "
    "only the later ones are in place.";

enum { GROUP, WINDOW, FINISH };
static const rh_param params[] = {
    [GROUP] =
        RH_NUMBER("group", 0, 0, 4096, "work-items in a group; 0: 256, or what the device takes"),
    [WINDOW] = {.key = "window",
                .doc = "values that a work-item makes one",
                .min = 2,
                .max = 64,
                .initial = 8,
                .step = 1,
                .flags = RH_PARAM_REBUILD},
    [FINISH] = RH_FINISH_PARAM,
};

typedef struct simple_2 {
  const rh_host *host;
  struct _cl_kernel *elements, *values;
  struct _cl_mem *a; /* the first launch's output */
  uint64_t group, window, a_bytes;
  rh_finish finish; /* the tail, then fewer values than a window */
} simple_2;

/* The launches' shape and costs, for query and setup alike. */
static rh_status plan(const rh_problem *problem, const int64_t *values, simple_2 *self,
                      rh_answer *answer) {
  RH_TRY(rh_fit_group(problem, "group", values[GROUP], 256, 0, &self->group, answer));
  self->window = (uint64_t)values[WINDOW];
  uint64_t left = problem->max_n / self->window, levels = 1;
  self->a_bytes = (left ? left : 1) * problem->op->value_size;
  for (; left >= self->window; left /= self->window) levels++;
  answer->score = problem->device->kind == RH_DEVICE_CPU ? 65 : 220;
  answer->launches = (uint32_t)levels;
  answer->depth = levels * (self->window - 1); /* in the window or in the tail, never both */
  answer->scratch_bytes = self->a_bytes;
  rh_finish_query(answer, problem, self->window, values[FINISH]);
  return rh_fit_scratch(problem, answer);
}

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  simple_2 shape;
  return plan(problem, values, &shape, answer);
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  simple_2 *self = host->alloc(host, sizeof *self);
  struct _cl_program *program;
  rh_answer answer = {0};
  char options[64];
  if (!self) return RH_E_NOMEM;
  *instance = self;
  self->host = host;
  RH_TRY(plan(problem, values, self, &answer));
  snprintf(options, sizeof options, "-DWINDOW=%u %s", (unsigned)self->window,
           rh_finish_options(values[FINISH]));
  RH_TRY(host->scratch(host, self->a_bytes, &self->a));
  RH_TRY(host->build(host, "simple_2.cl", simple_2_cl, options, &program));
  RH_TRY(rh_group_kernel(host, program, "simple_2_elements", self->group, &self->elements));
  RH_TRY(rh_group_kernel(host, program, "simple_2_values", self->group, &self->values));
  return rh_finish_setup(&self->finish, host, problem, program, self->window, values[FINISH]);
}

static rh_status run(void *instance, const rh_run *run) {
  const simple_2 *self = instance;
  rh_finish finish = self->finish;
  struct _cl_kernel *kernel = self->elements;
  struct _cl_mem *from = run->input;
  uint64_t first = run->first, n = run->n, s = n / self->window;
  for (int last = 0; !last; from = self->a, first = 0, n = s, s /= self->window) {
    last = s < self->window;
    const rh_arg source = {from == run->input ? RH_ARG_OPERANDS : RH_ARG_BUFFER, sizeof from,
                           &from};
    RH_TRY(rh_launch(self->host, kernel, "level", rh_whole_groups(s, self->group), self->group,
                     source, RH_U64(first), RH_U64(n), RH_BUFFER(last ? finish.partials : self->a),
                     RH_U64(last ? 1 : 0), RH_BUFFER(finish.partials)));
    kernel = self->values;
  }
  finish.count = 1 + n;
  return rh_finish_run(&finish, run);
}

static const rh_strategy strategy = {
    RH_STRATEGY_SIZE,
    .name = "simple_2",
    .summary = "simple_1 with a window of 8: eight values become one at each level",
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
