/* choosy: correct and fast with one value of its parameter.  Other values are slow (the default),
 * wrong but even faster, crash, or are declined. --tune has to find the good one.
 * choosy_of_sizes: wrong at the sizes that --tune measures quickly before others: max of 2^18,
 * sum of 2^16. */
#include "zoo.h"
#include <redhost/kit.h>

enum { SLOW, QUICK, WRONG, CRASH, DECLINE };
static const rh_param params[] = {
    RH_CHOICE("way", "slow|quick|wrong|crash|decline", 5, "how it goes about it"),
};

typedef struct choosy {
  const rh_op *op;
  int64_t way;
} choosy;

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  if (values[0] == DECLINE) return rh_decline(answer, RH_WHY_PARAM, "way=decline is not a way");
  return zoo_query(problem, values, answer);
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **self) {
  choosy *c = host->alloc(host, sizeof *c);
  if (!c) return RH_E_NOMEM;
  *c = (choosy){problem->op, values[0]};
  *self = c;
  return RH_OK;
}

static rh_status run(void *self, const rh_run *run) {
  static int *volatile nowhere;
  choosy *c = self;
  if (c->way == CRASH) *nowhere = 1;
  for (int k = 0; k < (c->way == SLOW ? 20 : 1); k++) zoo_run((void *)(uintptr_t)c->op, run);
  if (c->way == WRONG) memset(run->host_result, 0x7f, c->op->value_size);
  return RH_OK;
}

ZOO_STRATEGY_BUT(strategy, "choosy", RH_PARAMS(params), .query = query, .setup = setup, .run = run);

static rh_status run_of_sizes(void *self, const rh_run *run) {
  choosy *c = self;
  RH_TRY(zoo_run((void *)(uintptr_t)c->op, run));
  if (run->n == (c->op->id == RH_OP_max ? 1 << 18 : 1 << 16))
    memset(run->host_result, 0x7f, c->op->value_size);
  return RH_OK;
}

ZOO_STRATEGY_BUT(of_sizes, "choosy_of_sizes", RH_PARAMS(params), .query = query, .setup = setup,
                 .run = run_of_sizes);

ZOO_PLUGIN;
