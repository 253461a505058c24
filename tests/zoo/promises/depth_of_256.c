/* V52: declares the depth of groups of 256 for every value of `group`. */
#include "../right.h"

enum { GROUP };
static const rh_param params[] = {[GROUP] = RH_NUMBER("group", 256, 1, 256, "work-items")};

static rh_status plan(const rh_problem *problem, const int64_t *values, uint64_t *group,
                      rh_answer *answer) {
  RH_TRY(right_knows(problem, answer));
  RH_TRY(
      rh_fit_group(problem, "group", values[GROUP], 256, problem->op->value_size, group, answer));
  answer->launches = 1;
  answer->depth = rh_divide_up(problem->max_n, 256) + 8;
  return RH_OK;
}

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  uint64_t group;
  return plan(problem, values, &group, answer);
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  rh_answer answer = {0};
  RH_TRY(right_begin(host, problem, instance));
  right *self = *instance;
  RH_TRY(plan(problem, values, &self->group, &answer));
  self->local_bytes = self->group * problem->op->value_size;
  return right_build(self, RIGHT_KERNEL(WALK, STORE), "");
}

RIGHT_BUT("depth_of_256", .summary = "says nothing of its group in its depth", RH_PARAMS(params),
          .query = query, .setup = setup);
