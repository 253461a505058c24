/* What --bench was asked for, read and checked before anything is touched. */
#ifndef RH_CLI_BENCH_SETTINGS_H
#define RH_CLI_BENCH_SETTINGS_H

#include "../tools/measure/contender.h"
#include "axes.h"
#include "options.h"

enum { RH_TIMER_AUTO, RH_TIMER_EVENT, RH_TIMER_HOST };

typedef struct rh_bench_settings {
  rh_bench_rules rules;
  int hot;        /* one copy of the input instead of rotating ones */
  uint32_t timer; /* RH_TIMER_* */
  const char *data;
  uint64_t seed;
  rh_ops ops;
  rh_types types;
  uint64_t
      *sizes[RH_N_TYPES]; /* for types.list[k]: the same words may be other numbers of elements */
  uint32_t n_sizes[RH_N_TYPES];
  const char *format; /* "table", ... */
  double timeout_s;   /* of a process that is silent */
} rh_bench_settings;

/* RH_E_USAGE for whatever is malformed or contradicts itself. */
rh_status rh_bench_settings_parse(rh_bench_settings *settings, const rh_typed *typed,
                                  rh_error *error);
void rh_bench_settings_finish(rh_bench_settings *settings);

#endif
