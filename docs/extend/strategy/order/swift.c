/* swift, same bits everywhere: sums and products of floats in the canonical order of docs/inside/bits.md.
 * SPDX-License-Identifier: MIT */
#define RH_PLUGIN_MIN_HOST_MINOR 2 /* RH_CANONICAL_ORDER */
#include "swift.cl.h"
#include <redhost/canonical.h>
#include <redhost/kit.h>

enum { RUNS_PER_UNIT };
static const rh_param params[] = {
    [RUNS_PER_UNIT] = RH_NUMBER("runs_per_unit", 16, 1, 1024, "runs of tiles per compute unit"),
};

typedef struct state {
  const rh_host *host;
  struct _cl_kernel *runs, *finish;
  struct _cl_mem *nodes;
  uint64_t tile, team, width, local_bytes;
  uint32_t log; /* of a run's tiles */
} state;

static uint64_t runs_of(const state *self, uint64_t n) {
  uint64_t tiles = n ? rh_divide_up(n, self->tile) : 1;
  return rh_divide_up(tiles, (uint64_t)1 << self->log);
}

/* The launch's shape and what it costs. */
static rh_status plan(const rh_problem *problem, const int64_t *values, state *self,
                      rh_answer *answer) {
  const rh_op *op = problem->op;
  const rh_device *device = problem->device;
  if (!(op->flags & RH_OP_COMMUTATIVE) || op->flags & RH_OP_EXACT)
    return rh_decline(answer, RH_WHY_OP, "%s has the same bits in every order", op->name);
  /* A CPU's work-items run one after the other: each of them takes whole tiles. */
  for (self->team = device->kind == RH_DEVICE_CPU ? 1 : 32; self->team > device->max_group;)
    self->team /= 2;
  self->width = self->team == 1 ? 16 : 16 / op->element_size;
  if (self->team > 1 && self->width > self->team) self->width = self->team;
  self->tile = rh_canonical_tile(op);
  self->log = 0;
  while (runs_of(self, problem->max_n) > device->compute_units * (uint64_t)values[RUNS_PER_UNIT])
    self->log++;
  self->local_bytes = self->team * (self->team == 1 ? 1 : self->width) * op->value_size;
  if (self->local_bytes > device->local_bytes)
    return rh_decline(answer, RH_WHY_MEMORY, "needs %llu B of local memory, the device has %llu",
                      (unsigned long long)self->local_bytes,
                      (unsigned long long)device->local_bytes);
  answer->score = 1; /* `--run auto` takes the strategy that promises most: be honest */
  answer->launches = 2;
  answer->local_bytes = self->local_bytes;
  answer->scratch_bytes = runs_of(self, problem->max_n) * op->value_size;
  answer->depth = rh_log2_up(self->tile) + rh_log2_up(rh_divide_up(problem->max_n, self->tile));
  return rh_fit_scratch(problem, answer);
}

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  state shape;
  return plan(problem, values, &shape, answer);
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  state *self = host->alloc(host, sizeof *self);
  struct _cl_program *program;
  rh_answer answer = {0};
  char options[96];
  if (!self) return RH_E_NOMEM;
  *instance = self;
  self->host = host;
  RH_TRY(plan(problem, values, self, &answer));
  snprintf(options, sizeof options, "-DRH_CANONICAL -DRH_TEAM=%d -DRH_WIDTH=%d -DRH_SHUFFLES=%d",
           (int)self->team, (int)self->width, rh_has_shuffles(problem->device));
  RH_TRY(host->build(host, "swift.cl", swift_cl, options, &program));
  RH_TRY(rh_group_kernel(host, program, "runs", self->team, &self->runs));
  RH_TRY(rh_group_kernel(host, program, "finish", self->team, &self->finish));
  return host->scratch(host, answer.scratch_bytes, &self->nodes);
}

static rh_status run(void *instance, const rh_run *run) {
  const state *self = instance;
  uint64_t runs = runs_of(self, run->n), each = 1;
  while (each * self->team < runs) each *= 2;
  RH_TRY(rh_launch(self->host, self->runs, "runs", runs * self->team, self->team,
                   RH_BUFFER(run->input), RH_U64(run->first), RH_U64(run->n), RH_U32(self->log),
                   RH_LOCAL(self->local_bytes), RH_BUFFER(self->nodes)));
  return rh_launch(self->host, self->finish, "finish", self->team, self->team,
                   RH_BUFFER(self->nodes), RH_U32((uint32_t)runs), RH_U32((uint32_t)each),
                   RH_LOCAL(self->local_bytes), RH_BUFFER(run->result), RH_U64(run->result_index));
}

static const rh_strategy strategy = {
    RH_STRATEGY_SIZE,
    .name = "swift",
    .summary = "sums and products of floats with the same bits everywhere",
    .about =
        "Runs of tiles in the canonical order of docs/inside/bits.md, each of them a node of its "
        "tree; one group combines the nodes.",
    .version = "1.3",
    .author = "your name",
    .license = "MIT",
    .device_kinds = RH_DEVICE_ANY_CL,
    .promises = RH_CANONICAL_ORDER,
    .determinism = RH_BITS_SAME_EVERYWHERE,
    RH_PARAMS(params),
    .query = query,
    .setup = setup,
    .run = run,
};
RH_PLUGIN(&strategy);
