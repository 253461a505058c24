/* V62: host code that reads the byte after the range, like a hand-written prefetch. */
#include <redhost/kit.h>

#include <string.h>

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  (void)values;
  (void)problem;
  answer->finishes_on_host = 1;
  return RH_OK;
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  const rh_op **self = host->alloc(host, sizeof *self);
  (void)values;
  if (!self) return RH_E_NOMEM;
  *self = problem->op;
  *instance = self;
  return RH_OK;
}

static rh_status run(void *instance, const rh_run *run) {
  const rh_op *op = *(const rh_op **)instance;
  const volatile char *input = run->host_input;
  (void)input[(run->first + run->n) * op->element_size];
  memcpy(run->host_result, op->identity, op->value_size);
  if (run->n) op->fold(run->host_result, run->host_input, run->first, run->n);
  return RH_OK;
}

static const rh_strategy strategy = {
    RH_STRATEGY_SIZE,
    .name = "host_reads_ahead",
    .summary = "reads the byte after the range",
    .about = "Of redhost's zoo: right but for one thing.",
    .version = "1.0",
    .author = "the redhost authors",
    .license = "MIT",
    .device_kinds = RH_DEVICE_HOST,
    .promises = RH_KEEPS_ORDER,
    .determinism = RH_BITS_SAME_RUN,
    .query = query,
    .setup = setup,
    .run = run,
};
RH_PLUGIN(&strategy);
