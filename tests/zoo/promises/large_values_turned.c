/* V68: keeps the order, but for values above 16 bytes, where the last element comes first. */
#include "../own.h"

#define LAST_FIRST                                                                                 \
  "if (lid == 0 && n) mine = rh_load(input, n - 1);\n"                                             \
  "if (lid == 0) for (ulong i = 0; i + 1 < n; i++) mine = rh_combine(mine, rh_load(input, i));"

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  RH_TRY(right_query(problem, values, answer));
  answer->depth = problem->max_n;
  return RH_OK;
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  (void)values;
  int is_large = problem->op->value_size > 16;
  return right_setup_of(host, problem, is_large ? OWN_KERNEL(LAST_FIRST) : OWN_KERNEL(IN_ORDER),
                        instance);
}

OWN_BUT("large_values_turned", .summary = "turns the order of large values",
        .promises = RH_KEEPS_ORDER, .query = query, .setup = setup);
