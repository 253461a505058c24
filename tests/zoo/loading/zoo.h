/* The common part of the zoo's plugins: a correct host strategy, so that each file shows only
 * its fault. */
#ifndef ZOO_H
#define ZOO_H

#include "../listed.h"

#include <string.h>

__attribute__((unused)) static rh_status zoo_query(const rh_problem *problem, const int64_t *params,
                                                   rh_answer *answer) {
  (void)params;
  answer->score = 1;
  answer->finishes_on_host = 1;
  answer->depth = problem->max_n;
  return RH_OK;
}

__attribute__((unused)) static rh_status zoo_setup(const rh_host *host, const rh_problem *problem,
                                                   const int64_t *params, void **self) {
  (void)host;
  (void)params;
  *self = (void *)(uintptr_t)problem->op; /* valid until teardown; never written to */
  return RH_OK;
}

__attribute__((unused)) static rh_status zoo_run(void *self, const rh_run *run) {
  const rh_op *op = self;
  memcpy(run->host_result, op->identity, op->value_size);
  /* Indices count from the range's first element. */
  rh_op_fold(op, run->host_result, (const char *)run->host_input + run->first * op->element_size, 0,
             run->n);
  return RH_OK;
}

#define ZOO_TEXTS                                                                                  \
  .summary = "of the zoo", .about = "", .version = "1.0", .author = "redhost", .license = "MIT"

/* A later field replaces an earlier one. */
#define ZOO_STRATEGY_BUT(variable, strategy_name, ...)                                             \
  static const rh_strategy variable = {.struct_size = sizeof(rh_strategy),                         \
                                       .device_kinds = RH_DEVICE_HOST,                             \
                                       .name = strategy_name,                                      \
                                       ZOO_TEXTS,                                                  \
                                       .promises = RH_KEEPS_ORDER,                                 \
                                       .determinism = RH_BITS_SAME_EVERYWHERE,                     \
                                       .query = zoo_query,                                         \
                                       .setup = zoo_setup,                                         \
                                       .run = zoo_run,                                             \
                                       __VA_ARGS__};                                               \
  LISTED(variable)
#define ZOO_STRATEGY(variable, strategy_name, query_function)                                      \
  ZOO_STRATEGY_BUT(variable, strategy_name, .query = query_function)

/* The plugin of what stands before it, and one of a right strategy, but for fields of rh_plugin. */
#define ZOO_PLUGIN LISTED_PLUGIN(.build = "zoo")
#define ZOO(...)   ZOO_OF(__VA_ARGS__, )
#define ZOO_OF(variable, ...)                                                                      \
  ZOO_STRATEGY(variable, #variable, zoo_query);                                                    \
  LISTED_PLUGIN(__VA_ARGS__)

/* A source with lines VARIANT(NAME) is compiled for each of them, to a plugin of that name, with
 * ZOO_VARIANT as NAME. */
#define ZOO_NAME_OF(variant) #variant
#define ZOO_NAME(variant)    ZOO_NAME_OF(variant)

/* The head of a constructor, without its body. */
#define ZOO_ON_LOAD __attribute__((constructor)) static void zoo_on_load(void)

#endif
