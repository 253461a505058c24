/* Three strategies that use what ABI 1.2 appended: operators of users, layouts, promises.  Built
 * once, see README.md. */
#define RH_PLUGIN_MIN_HOST_MINOR 2
#include "abi_1_2.cl.h"
#include <redhost/canonical.h>
#include <redhost/kit.h>
#include <string.h>

static rh_status knows_layout(const rh_layout *layout, rh_answer *answer) {
  if (!layout || layout->kind == RH_LAYOUT_AXIS || layout->kind == RH_LAYOUT_OFFSETS) return RH_OK;
  return rh_decline(answer, RH_WHY_SIZE, "a layout of kind %u was not there in 1.2", layout->kind);
}

/* ---- abi_1_2: on a device, every operator and layout ---- */

enum { GROUP, GROUPS };
static const rh_param params[] = {
    [GROUP] = {.key = "group",
               .doc = "work-items",
               .min = 0,
               .max = 1024,
               .initial = 0,
               .step = 1,
               .flags = RH_PARAM_POWER_OF_TWO},
    [GROUPS] = {.key = "groups",
                .doc = "the most groups",
                .min = 1,
                .max = 64,
                .initial = 5,
                .step = 1,
                .flags = RH_PARAM_NOT_TUNED},
};

typedef struct device_state {
  const rh_host *host;
  struct _cl_kernel *kernel;
  uint64_t group, groups, local_bytes, most;
} device_state;

static rh_status device_plan(const rh_problem *problem, const int64_t *values, device_state *self,
                             rh_answer *answer) {
  const rh_layout *layout = rh_problem_layout(problem);
  uint32_t size = problem->op->value_size;
  RH_TRY(knows_layout(layout, answer));
  if (layout && layout->longest != problem->max_n)
    return rh_decline(answer, RH_WHY_SIZE, "the longest segment is not what max_n says");
  if (size % 4 != 0 || size > RH_ANY_VALUE_BYTES)
    return rh_decline(answer, RH_WHY_OP, "values of %u B were not there in 1.2", size);
  RH_TRY(rh_fit_group(problem, "group", values[GROUP], 64, size, &self->group, answer));
  self->groups = (uint64_t)values[GROUPS];
  self->most = layout ? layout->segments : 1;
  self->local_bytes = self->group * size;
  answer->score = 2;
  answer->launches = 1;
  answer->depth = rh_divide_up(problem->max_n, self->group) + rh_log2_up(self->group);
  return RH_OK;
}

static rh_status device_query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  device_state shape;
  return device_plan(problem, values, &shape, answer);
}

static rh_status device_setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                              void **instance) {
  const rh_layout *layout = rh_problem_layout(problem);
  device_state *self = host->alloc(host, sizeof *self);
  struct _cl_program *program;
  rh_answer answer = {0};
  if (!self) return RH_E_NOMEM;
  *instance = self;
  self->host = host;
  RH_TRY(device_plan(problem, values, self, &answer));
  int has_columns = layout && layout->kind == RH_LAYOUT_AXIS && layout->inner > 1;
  RH_TRY(host->build(host, "abi_1_2.cl", abi_1_2_cl, has_columns ? "-DABI_COLUMNS" : "", &program));
  return rh_group_kernel(host, program, "abi_1_2", self->group, &self->kernel);
}

static rh_status device_run(void *instance, const rh_run *run) {
  const device_state *self = instance;
  rh_layout layout = {.segments = 1, .length = run->n, .inner = 1};
  if (rh_run_layout(run)) layout = *run->layout;
  if (layout.segments > self->most)
    return self->host->fail(self->host, RH_E_INVALID, 0, "more segments than it was set up for");
  uint64_t groups = layout.segments < self->groups ? layout.segments : self->groups;
  return rh_launch(self->host, self->kernel, "segments", groups * self->group, self->group,
                   RH_OPERANDS_OF(run), RH_U64(run->first), RH_U64(layout.segments),
                   RH_U64(layout.length), RH_U64(layout.inner), RH_BUFFER(layout.device_starts),
                   RH_BUFFER(layout.device_stops), RH_LOCAL(self->local_bytes),
                   RH_BUFFER(run->result), RH_U64(run->result_index));
}

static const rh_strategy on_device = {
    RH_STRATEGY_SIZE,
    .name = "abi_1_2",
    .summary = "built when ABI 1.2 was frozen",
    .about = "Uses layouts, operands and values of any size. Contiguous runs and an ordered tree.",
    .version = "1.0",
    .author = "the redhost authors",
    .license = "MIT",
    .device_kinds = RH_DEVICE_ANY_CL,
    .promises = RH_KEEPS_ORDER | RH_SERVES_LAYOUTS,
    .determinism = RH_BITS_SAME_RUN,
    RH_PARAMS(params),
    .query = device_query,
    .setup = device_setup,
    .run = device_run,
    .extension = rh_serves_any_once,
};

/* ---- abi_1_2_canonical: on a device, in the canonical order ---- */

typedef struct canonical_state {
  const rh_host *host;
  struct _cl_kernel *tiles, *finish;
  struct _cl_mem *nodes;
  uint64_t tile;
} canonical_state;

static uint64_t tiles_of(uint64_t n, uint64_t tile) { return n ? rh_divide_up(n, tile) : 1; }

static rh_status canonical_query(const rh_problem *problem, const int64_t *values,
                                 rh_answer *answer) {
  const rh_op *op = problem->op;
  (void)values;
  if (!(op->flags & RH_OP_COMMUTATIVE) || op->flags & RH_OP_EXACT)
    return rh_decline(answer, RH_WHY_OP, "%s has the same bits in every order", op->name);
  uint64_t tiles = tiles_of(problem->max_n, rh_canonical_tile(op));
  answer->score = 1;
  answer->launches = 2;
  answer->scratch_bytes = tiles * op->value_size;
  answer->depth = rh_log2_up(rh_canonical_tile(op)) + rh_log2_up(tiles);
  return rh_fit_scratch(problem, answer);
}

static rh_status canonical_setup(const rh_host *host, const rh_problem *problem,
                                 const int64_t *values, void **instance) {
  canonical_state *self = host->alloc(host, sizeof *self);
  struct _cl_program *program;
  rh_answer answer = {0};
  if (!self) return RH_E_NOMEM;
  *instance = self;
  self->host = host;
  self->tile = rh_canonical_tile(problem->op);
  if (canonical_query(problem, values, &answer) != RH_OK)
    return host->fail(host, RH_DECLINED, 0, answer.reason);
  RH_TRY(host->build(host, "abi_1_2.cl", abi_1_2_cl, "-DRH_CANONICAL -DRH_TEAM=1 -DRH_WIDTH=4",
                     &program));
  RH_TRY(rh_group_kernel(host, program, "abi_1_2_tiles", 1, &self->tiles));
  RH_TRY(rh_group_kernel(host, program, "abi_1_2_finish", 1, &self->finish));
  return host->scratch(host, answer.scratch_bytes, &self->nodes);
}

static rh_status canonical_run(void *instance, const rh_run *run) {
  const canonical_state *self = instance;
  uint64_t tiles = rh_divide_up(run->n, self->tile);
  if (tiles)
    RH_TRY(rh_launch(self->host, self->tiles, "tiles", tiles, 1, RH_OPERANDS_OF(run),
                     RH_U64(run->first), RH_U64(run->n), RH_BUFFER(self->nodes)));
  return rh_launch(self->host, self->finish, "finish", 1, 1, RH_BUFFER(self->nodes), RH_U64(tiles),
                   RH_BUFFER(run->result), RH_U64(run->result_index));
}

static const rh_strategy in_order = {
    RH_STRATEGY_SIZE,
    .name = "abi_1_2_canonical",
    .summary = "the canonical order, built when ABI 1.2 was frozen",
    .about = "Uses the prelude's functions for the canonical order.",
    .version = "1.0",
    .author = "the redhost authors",
    .license = "MIT",
    .device_kinds = RH_DEVICE_ANY_CL,
    .promises = RH_CANONICAL_ORDER,
    .determinism = RH_BITS_SAME_EVERYWHERE,
    .query = canonical_query,
    .setup = canonical_setup,
    .run = canonical_run,
};

/* ---- abi_1_2_host: on the host, every layout in rows, by reduce or by fold ---- */

typedef struct host_state {
  const rh_host *host;
  const rh_op *op;
} host_state;

static rh_status host_query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  const rh_layout *layout = rh_problem_layout(problem);
  (void)values;
  RH_TRY(knows_layout(layout, answer));
  if (layout && layout->kind == RH_LAYOUT_AXIS && layout->inner > 1 && layout->length > 1)
    return rh_decline(answer, RH_WHY_SIZE, "segments whose elements are %llu apart",
                      (unsigned long long)layout->inner);
  if (!RH_HAS(rh_op, problem->op, parts))
    return rh_decline(answer, RH_WHY_OP, "the host is older than 1.2");
  if (layout && problem->op->n_operands)
    return rh_decline(answer, RH_WHY_OP, "segments of several operands, or with constants");
  answer->score = 1;
  answer->finishes_on_host = 1;
  answer->depth = problem->max_n;
  return RH_OK;
}

static rh_status host_setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                            void **instance) {
  host_state *self = host->alloc(host, sizeof *self);
  (void)values;
  if (!self) return RH_E_NOMEM;
  *self = (host_state){host, problem->op};
  *instance = self;
  return RH_OK;
}

static void host_reduce(const rh_op *op, const void *input, uint64_t first, uint64_t n,
                        void *value) {
  memcpy(value, op->identity, op->value_size);
  if (n && op->reduce) op->reduce(op->user, input, first, n, value);
  else if (n) rh_op_fold(op, value, input, first, n);
}

static rh_status host_run(void *instance, const rh_run *run) {
  const host_state *self = instance;
  const rh_layout *layout = rh_run_layout(run);
  const rh_op *op = self->op;
  /* Indices count from the first element of a segment; what has several operands is opaque. */
  int is_opaque = run->n_operands > 0;
  if (is_opaque && layout)
    return self->host->fail(self->host, RH_E_INVALID, 0, "segments of operands were declined");
  if (is_opaque) {
    host_reduce(op, run->host_input, run->first, run->n, run->host_result);
    return RH_OK;
  }
  const char *input = (const char *)run->host_input + run->first * op->element_size;
  if (!layout) host_reduce(op, input, 0, run->n, run->host_result);
  for (uint64_t s = 0; layout && s < layout->segments; s++)
    host_reduce(op, input + rh_layout_first(layout, s) * op->element_size, 0,
                rh_layout_length(layout, s), (char *)run->host_result + s * op->value_size);
  return RH_OK;
}

static const rh_strategy on_host = {
    RH_STRATEGY_SIZE,
    .name = "abi_1_2_host",
    .summary = "host code, built when ABI 1.2 was frozen",
    .about = "Uses reduce and fold_with, and segments in rows.",
    .version = "1.0",
    .author = "the redhost authors",
    .license = "MIT",
    .device_kinds = RH_DEVICE_HOST,
    .promises = RH_KEEPS_ORDER | RH_SERVES_LAYOUTS | RH_KEEPS_FP_CONTROL,
    .determinism = RH_BITS_SAME_EVERYWHERE,
    .query = host_query,
    .setup = host_setup,
    .run = host_run,
    .extension = rh_serves_any,
};

RH_PLUGIN(&on_device, &in_order, &on_host);
