/* Plain data: what a benchmark or a search measures, and how. */
#pragma once

#include "../../core/base/vocabulary.h"
#include "../../core/plug/registry.h"
#include "../../core/run/job.h"
#include "../../operators/custom/custom.h"
#include "../isolate/request.h"
#include "contender.h"

/* Numbers of operators that are not built in, in a list of operators. */
enum { RH_FIRST_OWN_OP = RH_N_OPS + 1, RH_MOST_OWN_OPS = RH_MOST_OWN / RH_N_TYPES };

/* In the order requested, each once. */
typedef struct rh_ops {
  uint32_t list[RH_N_OPS + RH_MOST_OWN_OPS];
  uint32_t n;
} rh_ops;
typedef struct rh_types {
  rh_type list[RH_N_TYPES];
  uint32_t n;
} rh_types;

typedef struct rh_distributions {
  uint32_t list[RH_N_LENGTHS], n;
} rh_distributions;

enum { RH_TIMER_AUTO, RH_TIMER_EVENT, RH_TIMER_HOST };

/* How a strategy was chosen.  One that was named stays, even if it serves none of the problems. */
enum { RH_NOT_CHOSEN, RH_CHOSEN, RH_CHOSEN_BY_NAME };

typedef struct rh_bench_settings {
  rh_bench_rules rules;
  int hot;          /* one copy of the input instead of rotating ones */
  uint32_t timer;   /* RH_TIMER_* */
  const char *data; /* kind of elements */
  uint64_t seed;
  rh_ops ops;
  rh_types types;
  /* Operator RH_FIRST_OWN_OP + j with operands of types.list[t]: own[j * RH_N_TYPES + t]; null: it
   * has none of that type. */
  rh_custom *own[RH_MOST_OWN];
  /* Ascending, for types.list[k]: a size in bytes is a different number of elements for each
   * type. */
  uint64_t *sizes[RH_N_TYPES];
  uint32_t n_sizes[RH_N_TYPES];
  /* Typical lengths of segments, ascending, and how they spread; 0 lengths: whole arrays. */
  uint64_t *lengths;
  uint32_t n_lengths;
  rh_distributions distributions;
  const rh_setting *params; /* each for every strategy that has such a parameter */
  uint64_t n_params;
  const char *const *peers; /* programs */
  uint32_t n_peers;
  int isolate_installed, isolate_others; /* 1: in a separate process */
  /* In how many processes, one after the other, each point is measured; at least 1.  More than 1
   * requires both of the above. */
  uint32_t processes;
  uint32_t untuned; /* 1: parameters are the defaults and `params` */
  double timeout_s; /* the limit on silence */
  /* choice[k] becomes RH_CHOSEN, ... for registry->entries[k].  Null: all of them. */
  rh_status (*choose)(const void *user, const rh_registry *registry, unsigned char *choice,
                      rh_error *error);
  const void *user;
} rh_bench_settings;

/* Progress through the points of one device. */
typedef struct rh_bench_turn {
  uint32_t done, total;
  double left_s;
  uint64_t n;
  const char *strategy; /* the current sampler */
} rh_bench_turn;

/* ---- The problems of a benchmark: operators on types, built in or a user's ---- */

/* Is `op`, one of settings->ops, defined for types.list[t]? */
int rh_bench_is_defined(const rh_bench_settings *settings, uint32_t t, uint32_t op);

/* The operator, the type and the operands' places for n elements; spec.what is not set. */
rh_job_spec rh_bench_problem(const rh_bench_settings *settings, uint32_t t, uint32_t op,
                             uint64_t n);

/* The first that is defined, of no elements. */
rh_job_spec rh_bench_first_problem(const rh_bench_settings *settings);

/* Bytes of one element of every operand; of several operators, the most. */
uint32_t rh_bench_element_bytes(const rh_bench_settings *settings, uint32_t t);

/* How many points n elements are: 1, or one for each way to cut them into segments. */
uint32_t rh_bench_cuts(const rh_bench_settings *settings, uint64_t n);

/* "sum", or the name of the user's operator. */
const char *rh_bench_op_name(const rh_bench_settings *settings, uint32_t op);
