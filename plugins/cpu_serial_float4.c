/* cpu_serial_float4: cpu_serial on vectors, of 4 elements unless said otherwise. */
#define RH_PLUGIN_MIN_HOST_MINOR 2 /* RH_OPERANDS_PARAMETERS */
#include "cpu_serial_float4.cl.h"
#include <redhost/kit.h>

static const char about[] =
    "\"OpenCL Optimization Case Study: Simple Reductions\" (AMD, 2010), figure 7. Over cpu_serial, "
    "the single work-item of a group walks through its contiguous block in vectors of 4 elements, "
    "of any type, whose lanes are combined at the end. The article warns that this pays on a CPU "
    "only with the min() and max() built-ins: the ternary operator on vectors brings control flow "
    "into them, and the compiler gives up on vector instructions. Lanes reorder, so the operator "
    "must commute. Today's processors have wider vectors and keep several additions in flight: the "
    "parameters width and accumulators set how many. They also prefetch in several pages of memory "
    "at once, but never past the end of a page: pages sets how many a work-item reads in turn.";

enum { GROUPS, FINISH, WIDTH, ACCUMULATORS, PAGES };
static const rh_param params[] = {
    [GROUPS] = RH_NUMBER("groups", 0, 0, 65536,
                         "blocks, each reduced by one work-item; 0: as many as compute units"),
    [FINISH] = RH_FINISH_PARAM,
    [WIDTH] = {.key = "width",
               .doc = "elements of a vector; the article's are 4",
               .choices = "2|4|8|16",
               .max = 3,
               .initial = 1,
               .step = 1,
               .flags = RH_PARAM_REBUILD},
    [ACCUMULATORS] = {.key = "accumulators",
                      .doc = "accumulators (vectors) that take a work-item's loads in turn",
                      .min = 1,
                      .max = 8,
                      .initial = 1,
                      .step = 1,
                      .flags = RH_PARAM_REBUILD},
    [PAGES] = {.key = "pages",
               .doc = "pages of 4 KiB that a work-item reads from in turn",
               .min = 1,
               .max = 32,
               .initial = 1,
               .step = 1,
               .flags = RH_PARAM_REBUILD},
};

typedef struct cpu_serial_float4 {
  const rh_host *host;
  struct _cl_kernel *kernel;
  uint64_t groups, width, accumulators;
  rh_finish finish;
} cpu_serial_float4;

/* The launch's shape and costs, for query and setup alike. */
static rh_status plan(const rh_problem *problem, const int64_t *values, cpu_serial_float4 *self,
                      rh_answer *answer) {
  self->groups = values[GROUPS] ? (uint64_t)values[GROUPS] : problem->device->compute_units;
  self->width = (uint64_t)2 << values[WIDTH];
  self->accumulators = (uint64_t)values[ACCUMULATORS];
  answer->score = problem->device->kind == RH_DEVICE_CPU ? 620 : 12;
  answer->launches = 1;
  /* One accumulator's vectors, and those of an incomplete last row; the other accumulators; the
   * lanes; elements outside the vectors. */
  uint64_t vectors = rh_divide_up(problem->max_n, self->width * self->groups);
  answer->depth = vectors / self->accumulators + 2 * (self->accumulators - 1) + self->width +
                  2 * (self->width - 1);
  rh_finish_query(answer, problem, self->groups, values[FINISH]);
  return RH_OK;
}

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  cpu_serial_float4 shape;
  return plan(problem, values, &shape, answer);
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  cpu_serial_float4 *self = host->alloc(host, sizeof *self);
  struct _cl_program *program;
  rh_answer answer = {0};
  char options[96];
  if (!self) return RH_E_NOMEM;
  *instance = self;
  self->host = host;
  RH_TRY(plan(problem, values, self, &answer));
  snprintf(options, sizeof options,
           "-DRH_RANKS -DRH_WIDTH=%u -DRH_ACCUMULATORS=%u -DRH_PAGES=%u %s", (unsigned)self->width,
           (unsigned)self->accumulators, (unsigned)values[PAGES],
           rh_finish_options(values[FINISH]));
  RH_TRY(host->build(host, "cpu_serial_float4.cl", cpu_serial_float4_cl, options, &program));
  RH_TRY(rh_group_kernel(host, program, "cpu_serial_float4", 1, &self->kernel));
  return rh_finish_setup(&self->finish, host, problem, program, self->groups, values[FINISH]);
}

static rh_status run(void *instance, const rh_run *run) {
  const cpu_serial_float4 *self = instance;
  RH_TRY(rh_launch(self->host, self->kernel, "blocks", self->groups, 1, RH_OPERANDS_OF(run),
                   RH_U64(run->first), RH_U64(run->n), RH_BUFFER(self->finish.partials)));
  return rh_finish_run(&self->finish, run);
}

static const rh_strategy strategy = {
    RH_STRATEGY_SIZE,
    .name = "cpu_serial_float4",
    .summary = "cpu_serial on vectors of 4 elements",
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
