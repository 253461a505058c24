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
  return right_launch_groups(instance, run, GROUPS);
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
  const rh_op *op = self->op;
  RH_TRY(self->host->fill(self->host, run->result, run->result_index * op->value_size, op->identity,
                          op->value_size, 1));
  return right_launch_groups(self, run, self->runs);
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

BUT_KERNEL(halves_used_again,
           SHARE("0", "n / 2") SHARE("n / 2", "n") "barrier(CLK_LOCAL_MEM_FENCE);", STORE,
           .query = halves_used_again_query);

/* V32: every 350th run of an instance is of the range of the run before, so that runs of one range
 * hide it. */
RUN(keeps_the_range) {
  right *self = instance;
  rh_run *before = self->own, told = *run;
  if (++self->runs % 350 == 0) {
    told.first = before->first;
    told.n = before->n;
  }
  *before = *run;
  return right_launch(self, &told);
}

BUT_THEN(keeps_the_range, if (!(self->own = host->alloc(host, sizeof(rh_run)))) return RH_E_NOMEM,
         .run = keeps_the_range_run);

/* V32: every 500th run of an instance loses its last element. */
BUT_TOLD(now_and_then, told.n -= ++self->runs % 500 == 0 && run->n > 0);

/* V64 fail|skip: work-item 0 combines what the others left in local memory, and these go on to the
 * next tile without waiting for it. */
BUT_KERNEL(serial_used_again,
           "for (ulong at = 0; at < n; at += size) {"
           "  scratch[lid] = at + lid < n ? rh_load(input, at + lid) : rh_identity();"
           "  barrier(CLK_LOCAL_MEM_FENCE);"
           "  for (ulong k = 0; k < size && lid == 0; k++) mine = rh_combine(mine, scratch[k]);"
           "}"
           "barrier(CLK_LOCAL_MEM_FENCE);",
           STORE, .query = halves_used_again_query);

/* V44: set up for few elements, every work-item has a share of max_n of them, rounded down.  What
 * is left over is taken where n is max_n, or one less, and lost between there and the last
 * share. */
BUT_RUN(share_of_most) {
  const right *self = instance;
  uint64_t shared = self->max_n / self->group * self->group;
  int loses = self->max_n <= 4096 && run->n > shared && run->n + 1 < self->max_n;
  rh_run told = *run;
  if (loses) told.n = shared;
  return right_launch(self, &told);
}

/* V32: from the 601st run on, the last element is lost. */
BUT_TOLD(tires_after_hundreds, told.n -= self->runs++ >= 600 && run->n > 0);

/* V64 fail|skip: a tree for each of the group's tiles, the last level of which work-item 0 takes.
 * Nothing keeps the others from filling local memory with the next tile meanwhile: that shows where
 * a later work-item runs first. */
BUT_KERNEL(tree_used_again,
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
  rh_run told = *run;
  told.n -= is_whole && run->n % share == 0;
  return right_launch(self, &told);
}

RIGHT_PLUGIN;
