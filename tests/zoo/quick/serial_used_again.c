/* V64: work-item 0 combines what the others left in local memory, and these go on to the next tile
 * without waiting for it. */
#include "../right.h"

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  RH_TRY(right_query(problem, values, answer));
  answer->depth = problem->max_n + 2 * RIGHT_GROUP;
  return RH_OK;
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  (void)values;
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

RIGHT_BUT("serial_used_again", .summary = "no barrier behind what one work-item reads",
          .query = query, .setup = setup);
