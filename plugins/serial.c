/* serial: the sequential loop on the host. */
#include <redhost/kit.h>

static const char about[] =
    "The starting point of all five articles: one accumulator walks over the input in index order, "
    "on the host, without any device. It is the \"native code\" of AMD's case study (2010), the "
    "sequential CPU of CS 441's \"Parallel Reductions\", std::accumulate in MSDN's \"Parallel "
    "Reduction using C++ AMP\" and the serial loop of Intel's guide: the baseline. Each element "
    "passes through every combination after it, so a float sum loses the most accuracy here.";

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
  rh_op_fold(op, run->host_result, input + run->first * op->element_size, 0, run->n);
  return RH_OK;
}

static const rh_strategy strategy = {
    RH_STRATEGY_SIZE,
    .name = "serial",
    .summary = "the sequential loop on the host; the baseline",
    .about = about,
    .version = "1.0",
    .author = "the redhost authors",
    .license = "MIT",
    .device_kinds = RH_DEVICE_HOST,
    .promises = RH_KEEPS_ORDER | RH_KEEPS_FP_CONTROL,
    .determinism = RH_BITS_SAME_EVERYWHERE,
    .query = query,
    .setup = setup,
    .run = run,
    .extension = rh_serves_any,
};
RH_PLUGIN(&strategy);
