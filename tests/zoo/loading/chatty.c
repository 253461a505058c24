/* V10: prints to standard output in every function; otherwise correct. */
#include "zoo.h"
#include <stdio.h>

static rh_status query(const rh_problem *problem, const int64_t *params, rh_answer *answer) {
  puts("{\"plugin\":0}");
  fflush(stdout);
  return zoo_query(problem, params, answer);
}

ZOO_STRATEGY(chatty, "chatty", query);
ZOO_PLUGIN;

ZOO_ON_LOAD {
  puts("hello");
  fputs("hello\n", stderr);
  fflush(stdout);
}
