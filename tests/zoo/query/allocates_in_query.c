/* V22: every query leaks memory. */
#include "../right.h"
#include <stdlib.h>

static struct answered {
  struct answered *before;
  uint64_t n;
  char room[1000];
} * all;

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  struct answered *note = malloc(sizeof *note);
  if (note) *note = (struct answered){all, problem->max_n, {0}};
  all = note;
  return right_query(problem, values, answer);
}

RIGHT_BUT("allocates_in_query", .summary = "takes memory when it is asked", .query = query);
