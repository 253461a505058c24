/* serial: the sequential loop on the host.
 *
 * Every one of the articles starts from it: "native code" in "OpenCL Optimization Case Study:
 * Simple Reductions" (AMD, 2010), the sequential CPU of "Parallel Reductions" (CS 441, Lawlor),
 * std::accumulate in "Parallel Reduction using C++ AMP" (MSDN), the serial summation of Intel's
 * guide.  One accumulator, index order, no device: the yardstick. */
#include <redhost/kit.h>

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  (void)values;
  answer->score = 100;
  answer->finishes_on_host = 1;
  answer->depth = problem->max_n;
  return RH_OK;
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  (void)values;
  const rh_op **op = host->alloc(host, sizeof *op);
  if (!op) return RH_E_NOMEM;
  *op = problem->op;
  *instance = op;
  return RH_OK;
}

static rh_status run(void *instance, const rh_run *run) {
  const rh_op *op = *(const rh_op **)instance;
  const unsigned char *identity = op->identity, *input = run->host_input;
  for (uint32_t k = 0; k < op->value_size; k++)
    ((unsigned char *)run->host_result)[k] = identity[k];
  op->fold(run->host_result, input + run->first * op->element_size, 0, run->n);
  return RH_OK;
}

static const rh_strategy strategy = {
    RH_STRATEGY_SIZE,
    .name = "serial",
    .summary = "the sequential loop on the host; the yardstick",
    .about = "What all five articles start from: one accumulator walks over the input in index "
             "order, on the host, without any device (\"native code\", std::accumulate, sequential "
             "CPU). Each element passes through all the additions behind it, so a float sum loses "
             "the most accuracy here.",
    .version = "1.0",
    .author = "the redhost authors",
    .license = "MIT",
    .device_kinds = RH_DEVICE_HOST,
    .promises = RH_KEEPS_ORDER,
    .determinism = RH_BITS_SAME_EVERYWHERE,
    .query = query,
    .setup = setup,
    .run = run,
};
RH_PLUGIN(&strategy);
