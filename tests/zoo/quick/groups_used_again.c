/* V64: as tree_used_again, by eight groups for each compute unit, so that a group has more than one
 * tile where it has little else: where there are few units, or many elements. */
#include "../right.h"

static rh_status plan(const rh_problem *problem, right *self, rh_answer *answer) {
  if (problem->op->value_size != 4)
    return rh_decline(answer, RH_WHY_OP, "%u B are no word", problem->op->value_size);
  RH_TRY(right_plan(problem, self, answer));
  self->runs = 8 * (uint64_t)problem->device->compute_units;
  answer->depth += self->runs;
  return RH_OK;
}

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  right shape;
  (void)values;
  return plan(problem, &shape, answer);
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  rh_answer answer = {0};
  (void)values;
  RH_TRY(right_begin(host, problem, instance));
  right *self = *instance;
  RH_TRY(plan(problem, self, &answer));
  self->own = (void *)(uintptr_t)problem->op;
  return right_build(
      self,
      RIGHT_KERNEL("for (ulong at = get_group_id(0) * size; at < n; at += get_global_size(0)) {"
                   "  scratch[lid] = at + lid < n ? rh_load(input, at + lid) : rh_identity();"
                   "  for (ulong s = 1; s < size; s *= 2) {"
                   "    barrier(CLK_LOCAL_MEM_FENCE);"
                   "    if (lid % (2 * s) == 0 && lid + s < size)"
                   "      scratch[lid] = rh_combine(scratch[lid], scratch[lid + s]);"
                   "  }"
                   "  if (lid == 0) mine = rh_combine(mine, scratch[0]);"
                   "}"
                   "barrier(CLK_LOCAL_MEM_FENCE);",
                   "if (lid == 0) rh_atomic_combine(result + at, all);"),
      "-DRH_ATOMIC");
}

static rh_status run(void *instance, const rh_run *run) {
  const right *self = instance;
  const rh_op *op = self->own;
  RH_TRY(self->host->fill(self->host, run->result, run->result_index * op->value_size, op->identity,
                          op->value_size, 1));
  return rh_launch(self->host, self->kernel, "right", self->runs * self->group, self->group,
                   RH_BUFFER(run->input), RH_U64(run->first), RH_U64(run->n),
                   RH_LOCAL(self->local_bytes), RH_BUFFER(run->result), RH_U64(run->result_index));
}

RIGHT_BUT("groups_used_again", .summary = "no barrier before the next tree of a group",
          .determinism = RH_BITS_VARY, .query = query, .setup = setup, .run = run);
