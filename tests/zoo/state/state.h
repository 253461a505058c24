/* The common part of this folder's plugins: correct except for what one phase does to the process:
 *
 *     IN_SETUP("name", "what it does") { ... } */
#ifndef ZOO_STATE_H
#define ZOO_STATE_H

#include "../right.h"

#define IN_QUERY(name, summary_)                                                                   \
  static void harm(void);                                                                          \
  static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {    \
    harm();                                                                                        \
    return right_query(problem, values, answer);                                                   \
  }                                                                                                \
  RIGHT_BUT(name, .summary = summary_, .query = query);                                            \
  static void harm(void)

#define IN_SETUP(name, summary_)                                                                   \
  static void harm(void);                                                                          \
  static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,    \
                         void **instance) {                                                        \
    RH_TRY(right_setup(host, problem, values, instance));                                          \
    harm();                                                                                        \
    return RH_OK;                                                                                  \
  }                                                                                                \
  RIGHT_BUT(name, .summary = summary_, .setup = setup);                                            \
  static void harm(void)

#define IN_RUN(name, summary_)                                                                     \
  static void harm(void);                                                                          \
  static rh_status run(void *instance, const rh_run *run) {                                        \
    harm();                                                                                        \
    return right_run(instance, run);                                                               \
  }                                                                                                \
  RIGHT_BUT(name, .summary = summary_, .run = run);                                                \
  static void harm(void)

#define IN_TEARDOWN(name, summary_)                                                                \
  static void harm(void);                                                                          \
  static void teardown(void *instance) {                                                           \
    (void)instance;                                                                                \
    harm();                                                                                        \
  }                                                                                                \
  RIGHT_BUT(name, .summary = summary_, .teardown = teardown);                                      \
  static void harm(void)

#endif
