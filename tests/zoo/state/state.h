/* The common part of this folder's strategies: correct but for what one phase does to the process:
 *
 *     IN_SETUP(name, "what it does") { ... } */
#ifndef ZOO_STATE_H
#define ZOO_STATE_H

#include "../right.h"

#define IN(PHASE, field, name_, summary_, ...)                                                     \
  static void name_##_harm(void);                                                                  \
  PHASE(name_) __VA_ARGS__ RIGHT_BUT(name_, .summary = summary_, .field = name_##_##field);        \
  static void name_##_harm(void)

#define IN_QUERY(name_, summary_)                                                                  \
  IN(QUERY, query, name_, summary_, {                                                              \
    name_##_harm();                                                                                \
    return right_query(problem, values, answer);                                                   \
  })
#define IN_SETUP(name_, summary_)                                                                  \
  IN(SETUP, setup, name_, summary_, {                                                              \
    RH_TRY(right_setup(host, problem, values, instance));                                          \
    name_##_harm();                                                                                \
    return RH_OK;                                                                                  \
  })
#define IN_RUN(name_, summary_)                                                                    \
  IN(RUN, run, name_, summary_, {                                                                  \
    name_##_harm();                                                                                \
    return right_run(instance, run);                                                               \
  })
#define IN_TEARDOWN(name_, summary_) IN(TEARDOWN, teardown, name_, summary_, { name_##_harm(); })

#endif
