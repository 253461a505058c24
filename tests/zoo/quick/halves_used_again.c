/* V84: work-item 0 combines what the others left in local memory of the first half of the elements,
 * and these put the second half in its place without waiting for it. */
#include "../right.h"

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
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

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  (void)values;
  return right_setup_of(
      host, problem,
      RIGHT_KERNEL(SHARE("0", "n / 2") SHARE("n / 2", "n") "barrier(CLK_LOCAL_MEM_FENCE);", STORE),
      instance);
}

RIGHT_BUT("halves_used_again", .summary = "no barrier before local memory is used again",
          .query = query, .setup = setup);
