/* V84: the first group stores the identity in a counter of the values, to which all groups of the
 * same launch add: right as long as the first group begins before the others end. */
#include "../right.h"

enum { GROUPS = 32 };

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  if (problem->op->value_size != 4)
    return rh_decline(answer, RH_WHY_OP, "%u B are no word", problem->op->value_size);
  return right_query(problem, values, answer);
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  (void)values;
  RH_TRY(right_begin(host, problem, instance));
  return right_build(*instance,
                     RIGHT_KERNEL("if (get_global_id(0) == 0) result[at] = rh_identity();"
                                  "for (ulong i = get_global_id(0); i < n; i += get_global_size(0))"
                                  "  mine = rh_combine(mine, rh_load(input, i));",
                                  "if (lid == 0) rh_atomic_combine(result + at, all);"),
                     "-DRH_ATOMIC");
}

static rh_status run(void *instance, const rh_run *run) {
  const right *self = instance;
  return rh_launch(self->host, self->kernel, "right", GROUPS * self->group, self->group,
                   RH_BUFFER(run->input), RH_U64(run->first), RH_U64(run->n),
                   RH_LOCAL(self->local_bytes), RH_BUFFER(run->result), RH_U64(run->result_index));
}

RIGHT_BUT("first_group_clears", .summary = "the first group clears what all add to",
          .determinism = RH_BITS_VARY, .query = query, .setup = setup, .run = run);
