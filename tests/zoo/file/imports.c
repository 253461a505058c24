/* Plugins that import a function of the process. */
#include "../right.h"
#include <stdlib.h>
#include <unistd.h>

#undef VARIANT
#define VARIANT(name_) UNUSED static void name_(void)

/* V09 warn: imports exit(), which it never calls during the tests. */
VARIANT(imports_exit) { exit(1); }

/* V09 warn: imports fork(), which it never calls during the tests. */
VARIANT(imports_fork) {
  if (fork() == 0) _exit(0);
}

/* V09 warn: imports setenv(), which it never calls during the tests. */
VARIANT(imports_setenv) { setenv("ZOO", "", 1); }

/* V09 warn: imports system(), which it never calls during the tests. */
VARIANT(imports_system) {
  if (system("true")) return;
}

QUERY(imports) {
  if (problem->max_n == UINT64_MAX) ZOO_VARIANT();
  return right_query(problem, values, answer);
}

static const rh_strategy strategy =
    RIGHT("imports", .summary = "imports what it never calls", .query = imports_query);
RH_PLUGIN(&strategy);
