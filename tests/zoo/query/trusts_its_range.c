/* V26: finds a word by a parameter's value, without asking whether it is in its range. */
#include "../right.h"
#include <string.h>

enum { WAY };
static const rh_param params[] = {[WAY] = RH_CHOICE("way", "up|down", 2, "a word")};
static const char *const words[] = {"up", "down"};

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {

  RH_TRY(right_query(problem, values, answer));
  answer->score = (int32_t)strlen(words[values[WAY]]) % 2;
  return RH_OK;
}

RIGHT_BUT("trusts_its_range", .summary = "crashes for values out of range", .query = query,
          RH_PARAMS(params));
