/* V59: its score depends on a file. */
#include "../right.h"
#include <stdio.h>

static int32_t from_file(void) {
  int score = 1;
  FILE *file = fopen("/proc/uptime", "re");
  if (file && fscanf(file, "%d", &score) != 1) score = 1;
  if (file) fclose(file);
  return score;
}

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  RH_TRY(right_query(problem, values, answer));
  answer->score = from_file();
  return RH_OK;
}

RIGHT_BUT("score_by_file", .summary = "its score depends on a file", .query = query);
