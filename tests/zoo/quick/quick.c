/* Faults that only other sizes, more runs or another order show: V32, V44, V64, V84. */
#include "../right.h"

/* V84 fail|skip: the first group stores the identity in a counter of the values, to which all
 * groups of the same launch add: right as long as the first group begins before the others end. */
enum { GROUPS = 32 };

QUERY(first_group_clears) {
  if (problem->op->value_size != 4)
    return rh_decline(answer, RH_WHY_OP, "%u B are no word", problem->op->value_size);
  return right_query(problem, values, answer);
}

SETUP(first_group_clears) {
  RH_TRY(right_begin(host, problem, instance));
  return right_build(*instance,
                     RIGHT_KERNEL("if (get_global_id(0) == 0) result[at] = rh_identity();"
                                  "for (ulong i = get_global_id(0); i < n; i += get_global_size(0))"
                                  "  mine = rh_combine(mine, rh_load(input, i));",
                                  "if (lid == 0) rh_atomic_combine(result + at, all);"),
                     "-DRH_ATOMIC");
}

BUT_RUN(first_group_clears, .determinism = RH_BITS_VARY, .query = first_group_clears_query,
        .setup = first_group_clears_setup) {
  const right *self = instance;
  return rh_launch(self->host, self->kernel, "right", GROUPS * self->group, self->group,
                   RH_BUFFER(run->input), RH_U64(run->first), RH_U64(run->n),
                   RH_LOCAL(self->local_bytes), RH_BUFFER(run->result), RH_U64(run->result_index));
}

/* V64 fail|skip: as tree_used_again, by eight groups for each compute unit, so that a group has
 * more than one tile where it has little else: where there are few units, or many elements. */
static rh_status plan(const rh_problem *problem, right *self, rh_answer *answer) {
  if (problem->op->value_size != 4)
    return rh_decline(answer, RH_WHY_OP, "%u B are no word", problem->op->value_size);
  RH_TRY(right_plan(problem, self, answer));
  self->runs = 8 * (uint64_t)problem->device->compute_units;
  answer->depth += self->runs;
  return RH_OK;
}

QUERY(groups_used_again) {
  right shape;
  return plan(problem, &shape, answer);
}

SETUP(groups_used_again) {
  rh_answer answer = {0};
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

BUT_RUN(groups_used_again, .determinism = RH_BITS_VARY, .query = groups_used_again_query,
        .setup = groups_used_again_setup) {
  const right *self = instance;
  const rh_op *op = self->own;
  RH_TRY(self->host->fill(self->host, run->result, run->result_index * op->value_size, op->identity,
                          op->value_size, 1));
  return rh_launch(self->host, self->kernel, "right", self->runs * self->group, self->group,
                   RH_BUFFER(run->input), RH_U64(run->first), RH_U64(run->n),
                   RH_LOCAL(self->local_bytes), RH_BUFFER(run->result), RH_U64(run->result_index));
}

/* V84 fail|skip: work-item 0 combines what the others left in local memory of the first half of the
 * elements, and these put the second half in its place without waiting for it. */
QUERY(halves_used_again) {
  RH_TRY(right_query(problem, values, answer));
  answer->depth = problem->max_n + 2 * RIGHT_GROUP;
  return RH_OK;
}

#define SHARE(from, to)                                                                            \
  "scratch[lid] = rh_identity();"                                                                  \
  "for (ulong i = " from " + lid; i < " to "; i += size)"                                          \
  "  scratch[lid] = rh_combine(scratch[lid], rh_load(input, i));"                                  \
  "barrier(CLK_LOCAL_MEM_FENCE);"                                                                  \
  "if (lid == 0) for (ulong k = 0; k < size; k++) mine = rh_combine(mine, scratch[k]);"

BUT_SETUP(halves_used_again, .query = halves_used_again_query) {
  return right_setup_of(
      host, problem,
      RIGHT_KERNEL(SHARE("0", "n / 2") SHARE("n / 2", "n") "barrier(CLK_LOCAL_MEM_FENCE);", STORE),
      instance);
}

/* V32: every 350th run of an instance is of the range of the run before, so that runs of one range
 * hide it. */
RUN(keeps_the_range) {
  right *self = instance;
  uint64_t *before = self->own, first = run->first, n = run->n;
  if (++self->runs % 350 == 0) {
    first = before[0];
    n = before[1];
  }
  before[0] = run->first;
  before[1] = run->n;
  return right_launch(self, run, first, n);
}

BUT_SETUP(keeps_the_range, .run = keeps_the_range_run) {
  RH_TRY(right_setup(host, problem, values, instance));
  right *self = *instance;
  self->own = host->alloc(host, 2 * sizeof(uint64_t));
  return self->own ? RH_OK : RH_E_NOMEM;
}

/* V32: every 500th run of an instance loses its last element. */
BUT_RUN(now_and_then) {
  right *self = instance;
  return right_launch(self, run, run->first, run->n - (++self->runs % 500 == 0 && run->n > 0));
}

/* V64 fail|skip: work-item 0 combines what the others left in local memory, and these go on to the
 * next tile without waiting for it. */
BUT_SETUP(serial_used_again, .query = halves_used_again_query) {
  return right_setup_of(
      host, problem,
      RIGHT_KERNEL(
          "for (ulong at = 0; at < n; at += size) {"
          "  scratch[lid] = at + lid < n ? rh_load(input, at + lid) : rh_identity();"
          "  barrier(CLK_LOCAL_MEM_FENCE);"
          "  for (ulong k = 0; k < size && lid == 0; k++) mine = rh_combine(mine, scratch[k]);"
          "}"
          "barrier(CLK_LOCAL_MEM_FENCE);",
          STORE),
      instance);
}

/* V44: set up for few elements, every work-item has a share of max_n of them, rounded down.  What
 * is left over is taken where n is max_n, or one less, and lost between there and the last
 * share. */
BUT_RUN(share_of_most) {
  const right *self = instance;
  uint64_t shared = self->max_n / self->group * self->group;
  int loses = self->max_n <= 4096 && run->n > shared && run->n + 1 < self->max_n;
  return right_launch(self, run, run->first, loses ? shared : run->n);
}

/* V32: from the 601st run on, the last element is lost. */
BUT_RUN(tires_after_hundreds) {
  right *self = instance;
  return right_launch(self, run, run->first, run->n - (self->runs++ >= 600 && run->n > 0));
}

/* V64 fail|skip: a tree for each of the group's tiles, the last level of which work-item 0 takes.
 * Nothing keeps the others from filling local memory with the next tile meanwhile: that shows where
 * a later work-item runs first. */
RIGHT_BUT_FOR(tree_used_again, "no barrier before the next tree", 0,
              "for (ulong at = 0; at < n; at += size) {"
              "  scratch[lid] = at + lid < n ? rh_load(input, at + lid) : rh_identity();"
              "  for (ulong s = size / 2; s > 0; s /= 2) {"
              "    barrier(CLK_LOCAL_MEM_FENCE);"
              "    if (lid < s) scratch[lid] = rh_combine(scratch[lid], scratch[lid + s]);"
              "  }"
              "  if (lid == 0) mine = rh_combine(mine, scratch[0]);"
              "}"
              "barrier(CLK_LOCAL_MEM_FENCE);",
              STORE);

/* V44: where max_n is a multiple of 8, the work is divided into eighths of it.  Where n is a whole
 * number of them, and not all, the last element is taken for the first one of another share. */
BUT_RUN(whole_shares) {
  const right *self = instance;
  uint64_t share = self->max_n / 8;
  int is_whole = self->max_n % 8 == 0 && share > 64 && run->n > 0 && run->n < self->max_n;
  return right_launch(self, run, run->first, run->n - (is_whole && run->n % share == 0));
}

RH_PLUGIN(&strategy_first_group_clears, &strategy_groups_used_again, &strategy_halves_used_again,
          &strategy_keeps_the_range, &strategy_now_and_then, &strategy_serial_used_again,
          &strategy_share_of_most, &strategy_tires_after_hundreds, &strategy_tree_used_again,
          &strategy_whole_shares);
