#include "canonical.h"

enum {
  ROW_BYTES = 512, /* docs/inside/bits.md */
  MOST_TEAM = 32,  /* kernels/prelude/canonical.cl */
  PACK_BYTES = 16, /* what one work-item of a GPU loads at once */
  CPU_WIDTH = 16,  /* elements: what a compiler makes the widest vectors of */
  /* Where there are shuffles, nodes are few, and so is the code that collects them. */
  NODES_EACH = 2,   /* that a work-item of the group that finishes takes */
  MOST_AT_ONCE = 8, /* elsewhere: nodes that a work-item collects together */
  ROUNDS = 16       /* and runs of a group, so that all groups have about the same */
};

/* A CPU's work-items run one after the other: each of them takes whole tiles.  Tests build others
 * to run there what GPUs without known shuffles do. */
#ifndef ONEPASS_CPU_TEAM
#define ONEPASS_CPU_TEAM 1
#endif

int onepass_is_canonical(const rh_op *op) {
  return op->id >= RH_FIRST_USER_OP ||
         ((op->flags & RH_OP_COMMUTATIVE) && !(op->flags & RH_OP_EXACT));
}

uint64_t onepass_tile(const rh_op *op) { return ONEPASS_ROWS * (ROW_BYTES / op->element_size); }

static uint64_t power_of_two_up_to(uint64_t x) {
  uint64_t power = 1;
  while (power <= x / 2) power *= 2;
  return power;
}

/* Work-items that hand values to each other without local memory: a warp. */
static int has_shuffles(const rh_device *device, uint64_t team) {
  return team == 32 && rh_takes_ptx(device);
}

uint64_t onepass_canonical_team(const rh_problem *problem, uint64_t *values_per_item) {
  const rh_device *device = problem->device;
  uint64_t team = device->kind == RH_DEVICE_CPU ? ONEPASS_CPU_TEAM : MOST_TEAM;
  *values_per_item = 1;
  if (team > 1 && !has_shuffles(device, team))
    *values_per_item = PACK_BYTES / problem->op->element_size;
  return team;
}

onepass_canonical onepass_canonical_plan(const rh_problem *problem, uint64_t group, uint64_t share,
                                         uint64_t groups) {
  uint64_t size = problem->op->element_size, values_per_item;
  onepass_canonical plan = {
      .tile = onepass_tile(problem->op), .team = 1, .group = group, .most_groups = groups};
  uint64_t most = onepass_canonical_team(problem, &values_per_item);
  while (plan.team < most && group % (2 * plan.team) == 0) plan.team *= 2;
  plan.shuffles = has_shuffles(problem->device, plan.team);
  plan.teams = power_of_two_up_to(group / plan.team);
  if (plan.shuffles && plan.teams > plan.team) plan.teams = plan.team;
  plan.width = plan.team == 1 ? CPU_WIDTH : PACK_BYTES / size;
  if (plan.team > 1 && plan.width > plan.team) plan.width = plan.team;
  plan.scratch = group * (plan.team == 1 || plan.shuffles ? 1 : plan.width);
  plan.least = rh_divide_up(share, ONEPASS_ROWS * ROW_BYTES / PACK_BYTES / plan.team);
  plan.most_runs = plan.shuffles ? NODES_EACH * group : ROUNDS * groups;
  uint64_t most_at_once = plan.shuffles ? NODES_EACH : MOST_AT_ONCE;
  plan.at_once = 1u << rh_log2_up(rh_divide_up(onepass_most_runs(&plan, problem->max_n), group));
  if (plan.at_once > most_at_once) plan.at_once = most_at_once;
  return plan;
}

/* The longest run: where there are shuffles, each of a team keeps a tile's value. */
static uint32_t most_log(const onepass_canonical *plan) {
  return plan->shuffles ? (uint32_t)rh_log2_up(plan->team) : 31;
}

/* The cost of n in runs of 2^log tiles for each team: the tiles of the team that has the most, and
 * the nodes for the group that finishes, of which each costs a part of what a tile takes. */
static uint64_t cost(const onepass_canonical *plan, uint64_t runs, uint32_t log) {
  uint64_t nodes_per_tile = plan->shuffles ? 2 * plan->group : 8;
  return (rh_divide_up(runs, plan->most_groups) << log) * nodes_per_tile + runs;
}

static uint64_t runs_for(const onepass_canonical *plan, uint64_t tiles, uint32_t log) {
  return rh_divide_up(tiles, plan->teams << log);
}

onepass_runs onepass_runs_of(const onepass_canonical *plan, uint64_t n) {
  uint64_t tiles = n ? rh_divide_up(n, plan->tile) : 1, most = plan->most_runs;
  uint32_t log = (uint32_t)rh_log2_up(plan->least), last = most_log(plan);
  if (log > last) log = last;
  while (log < last && runs_for(plan, tiles, log) > most) log++;
  for (uint32_t k = log + 1; k <= last && runs_for(plan, tiles, k - 1) > 1; k++)
    if (cost(plan, runs_for(plan, tiles, k), k) <= cost(plan, runs_for(plan, tiles, log), log))
      log = k;
  uint64_t runs = runs_for(plan, tiles, log);
  uint64_t share = rh_divide_up(runs, plan->most_groups);
  return (onepass_runs){.groups = rh_divide_up(runs, share),
                        .share = (uint32_t)share,
                        .whole = (uint32_t)(n / plan->tile),
                        .tiles = (uint32_t)tiles,
                        .runs = (uint32_t)runs,
                        .log = log,
                        .each = 1u << rh_log2_up(rh_divide_up(runs, plan->group))};
}

uint64_t onepass_most_runs(const onepass_canonical *plan, uint64_t max_n) {
  uint64_t runs = onepass_runs_of(plan, max_n).runs, most = plan->most_runs;
  /* Fewer elements may be cut into shorter runs, and so into more of them. */
  uint64_t shortest = rh_divide_up(rh_divide_up(max_n, plan->tile), plan->teams);
  uint64_t fewer = shortest < most ? shortest : most;
  return runs > fewer ? runs : fewer;
}

uint64_t onepass_canonical_depth(const onepass_canonical *plan, uint64_t max_n) {
  return rh_log2_up(plan->tile) + rh_log2_up(rh_divide_up(max_n, plan->tile));
}

void onepass_canonical_options(const onepass_canonical *plan, char *options, size_t size) {
  size_t used = strlen(options);
  snprintf(options + used, size - used,
           " -DRH_CANONICAL %s -DRH_TEAM=%llu -DRH_TEAMS=%llu -DRH_WIDTH=%llu "
           "-DRH_AT_ONCE=%llu -DRH_SCRATCH=%llu",
           plan->shuffles ? "-DRH_PACKS" : "", (unsigned long long)plan->team,
           (unsigned long long)plan->teams, (unsigned long long)plan->width,
           (unsigned long long)plan->at_once, (unsigned long long)plan->scratch);
}
