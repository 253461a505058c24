/* V60 crash|fail: host code that uses the first run's host_result for all later ones. */

#include "../right.h"
#include <string.h>

typedef struct folds {
  const rh_op *op;
  void *result;
} folds;

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  (void)values;
  (void)problem;
  answer->finishes_on_host = 1;
  return RH_OK;
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  folds *self = host->alloc(host, sizeof *self);
  (void)values;
  if (!self) return RH_E_NOMEM;
  self->op = problem->op;
  *instance = self;
  return RH_OK;
}

static rh_status run(void *instance, const rh_run *run) {
  folds *self = instance;
  if (!self->result) self->result = run->host_result;
  memcpy(self->result, self->op->identity, self->op->value_size);
  if (run->n) self->op->fold(self->result, run->host_input, run->first, run->n);
  return RH_OK;
}

static const rh_strategy strategy = RIGHT(
    "first_host_result", .summary = "keeps the first host_result", .device_kinds = RH_DEVICE_HOST,
    .promises = RH_KEEPS_ORDER, .query = query, .setup = setup, .run = run);
RH_PLUGIN(&strategy);
