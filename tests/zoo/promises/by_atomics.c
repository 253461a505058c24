/* V50: promises the same bits from run to run, but two groups combine their values by atomics,
 * in the order of arrival. */
#include "../right.h"

enum { GROUPS = 2 };

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  if (problem->op->value_size != 4)
    return rh_decline(answer, RH_WHY_OP, "%u B are no word", problem->op->value_size);
  return right_query(problem, values, answer);
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  (void)values;
  RH_TRY(right_begin(host, problem, instance));
  right *self = *instance;
  self->own = (void *)(uintptr_t)problem->op;
  return right_build(self,
                     RIGHT_KERNEL("for (ulong i = get_global_id(0); i < n; i += get_global_size(0))"
                                  "  mine = rh_combine(mine, rh_load(input, i));",
                                  "if (lid == 0) rh_atomic_combine(result + at, all);"),
                     "-DRH_ATOMIC");
}

static rh_status run(void *instance, const rh_run *run) {
  const right *self = instance;
  const rh_op *op = self->own;
  RH_TRY(self->host->fill(self->host, run->result, run->result_index * op->value_size, op->identity,
                          op->value_size, 1));
  return rh_launch(self->host, self->kernel, "right", GROUPS * self->group, self->group,
                   RH_BUFFER(run->input), RH_U64(run->first), RH_U64(run->n),
                   RH_LOCAL(self->local_bytes), RH_BUFFER(run->result), RH_U64(run->result_index));
}

RIGHT_BUT("by_atomics", .summary = "two groups, in the order of arrival", .query = query,
          .setup = setup, .run = run);
