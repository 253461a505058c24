/* rows: segments on the host, one after the other.  SPDX-License-Identifier: MIT */
#define RH_PLUGIN_MIN_HOST_MINOR 2 /* RH_SERVES_LAYOUTS */
#include <redhost/kit.h>

typedef struct state {
  const rh_op *op;
} state;

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  const rh_layout *layout = rh_problem_layout(problem);
  (void)values;
  if (layout && layout->kind != RH_LAYOUT_AXIS && layout->kind != RH_LAYOUT_OFFSETS)
    return rh_decline(answer, RH_WHY_SIZE, "a layout of kind %u is unknown", layout->kind);
  answer->score = 1;
  answer->finishes_on_host = 1;
  answer->depth = problem->max_n; /* of the longest segment */
  return RH_OK;
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  state *self = host->alloc(host, sizeof *self);
  (void)values;
  if (!self) return RH_E_NOMEM;
  self->op = problem->op;
  *instance = self;
  return RH_OK;
}

/* n elements from `segment` on, `step` apart.  load gets element i * step as number i, because an
 * index counts from the segment's first element. */
static void reduce(const rh_op *op, const char *segment, uint64_t step, uint64_t n, void *result) {
  _Alignas(16) unsigned char value[16];
  memcpy(result, op->identity, op->value_size);
  if (step == 1) {
    op->fold(result, segment, 0, n);
    return;
  }
  for (uint64_t i = 0; i < n; i++) {
    op->load(value, segment + i * (step - 1) * op->element_size, i);
    op->combine(result, value);
  }
}

static rh_status run(void *instance, const rh_run *run) {
  const rh_op *op = ((const state *)instance)->op;
  const rh_layout *given = rh_run_layout(run);
  const rh_layout all = {.kind = RH_LAYOUT_AXIS, .segments = 1, .length = run->n, .inner = 1};
  const rh_layout *layout = given ? given : &all;
  uint64_t step = layout->kind == RH_LAYOUT_AXIS ? layout->inner : 1;
  for (uint64_t s = 0; s < layout->segments; s++) {
    uint64_t first = run->first + rh_layout_first(layout, s);
    reduce(op, (const char *)run->host_input + first * op->element_size, step,
           rh_layout_length(layout, s), (char *)run->host_result + s * op->value_size);
  }
  return RH_OK;
}

static const rh_strategy strategy = {
    RH_STRATEGY_SIZE,
    .name = "rows",
    .summary = "segments one after the other, on the host",
    .about = "Folds each segment in index order: the shortest strategy that serves layouts.",
    .version = "1.0",
    .author = "your name",
    .license = "MIT",
    .device_kinds = RH_DEVICE_HOST,
    .promises = RH_KEEPS_ORDER | RH_SERVES_LAYOUTS,
    .determinism = RH_BITS_SAME_EVERYWHERE,
    .query = query,
    .setup = setup,
    .run = run,
};
RH_PLUGIN(&strategy);
