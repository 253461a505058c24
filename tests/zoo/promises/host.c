/* V43, V61, V62: faults of host code. */
#define RH_PLUGIN_MIN_HOST_MINOR 2 /* RH_ROUNDS_ONCE */
#include "../right.h"

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

static rh_status fold(void *instance, const rh_run *run, uint64_t first, uint64_t n) {
  const rh_op *op = *(const rh_op **)instance;
  memcpy(run->host_result, op->identity, op->value_size);
  if (n) op->fold(run->host_result, run->host_input, first, n);
  return RH_OK;
}

#define ON_HOST(name_, summary_)                                                                   \
  static rh_status name_##_run(void *, const rh_run *);                                            \
  static const rh_strategy strategy_##name_ =                                                      \
      RIGHT(#name_, .summary = summary_, .device_kinds = RH_DEVICE_HOST,                           \
            .promises = RH_KEEPS_ORDER, .query = query, .setup = setup, .run = name_##_run);       \
  static rh_status name_##_run(void *instance, const rh_run *run)

ON_HOST(host_reads_ahead, "V62 crash: reads the byte after the range") {
  const rh_op *op = *(const rh_op **)instance;
  const volatile char *input = run->host_input;
  (void)input[(run->first + run->n) * op->element_size];
  return fold(instance, run, run->first, run->n);
}

ON_HOST(n_in_32_bits, "V61: n modulo 2^32") {
  return fold(instance, run, run->first, (uint32_t)run->n);
}

ON_HOST(offset_in_32_bits, "V61: first modulo 2^32") {
  return fold(instance, run, (uint32_t)run->first, run->n);
}

/* V43: rounds after each addition. */
BUT_RUN(rounds_often, .device_kinds = RH_DEVICE_HOST, .promises = RH_ROUNDS_ONCE,
        .determinism = RH_BITS_SAME_EVERYWHERE, .query = query, .setup = setup) {
  return fold(instance, run, run->first, run->n);
}

RH_PLUGIN(&strategy_host_reads_ahead, &strategy_n_in_32_bits, &strategy_offset_in_32_bits,
          &strategy_rounds_often);
