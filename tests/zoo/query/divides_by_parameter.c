/* V26: divides by a parameter whose range begins with 0. */
#include "../right.h"

enum { SHARE };
static const rh_param params[] = {[SHARE] = RH_NUMBER("share", 1, 0, 64, "a part; 0: a crash")};

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  RH_TRY(right_query(problem, values, answer));
  /* a division by zero does not raise it on every machine */
  if (values[SHARE] == 0) __builtin_trap();
  answer->score = (int32_t)(64 / values[SHARE] % 2);
  return RH_OK;
}

RIGHT_BUT("divides_by_parameter", .summary = "crashes for share=0", .query = query,
          RH_PARAMS(params));
