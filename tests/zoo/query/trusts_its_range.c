/* V26: finds a word for a parameter's value, and does not ask whether there is one. */
#include "../right.h"
#include <string.h>

enum { WAY };
static const rh_param params[] = {[WAY] = RH_CHOICE("way", "up|down", 2, "has no effect")};

static const char *word(int64_t value) {
  const char *volatile found = NULL;
  if (value == 0) found = "up";
  if (value == 1) found = "down";
  return found;
}

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  RH_TRY(right_query(problem, values, answer));
  answer->score = strcmp(word(values[WAY]), "up") == 0;
  return RH_OK;
}

RIGHT_BUT("trusts_its_range", .summary = "crashes for values out of range", .query = query,
          RH_PARAMS(params));
