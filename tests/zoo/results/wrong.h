/* Strategies that load and run, each with one kind of wrong result, which the checks of results
 * must catch.  They differ in their kernels. */
#ifndef ZOO_WRONG_H
#define ZOO_WRONG_H

#include "../right.h"

/* WRONG(name, "what is wrong", promises, how a work-item reduces, what it does with `all`) */
#define WRONG(name_, summary_, promises_, body, end)                                               \
  static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,    \
                         void **instance) {                                                        \
    (void)values;                                                                                  \
    return right_setup_of(host, problem, RIGHT_KERNEL(body, end), instance);                       \
  }                                                                                                \
  RIGHT_BUT(name_, .summary = summary_, .promises = promises_, .setup = setup)

#endif
