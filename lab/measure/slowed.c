/* The sequential loop, plus `more` per cent of it again: a regression of known size. */
#include <redhost/kit.h>

typedef struct slowed {
  const rh_op *op;
  int64_t more;
} slowed;

static rh_status query(const rh_problem *problem, const int64_t *values, rh_answer *answer) {
  (void)values;
  answer->finishes_on_host = 1;
  answer->depth = problem->max_n;
  return RH_OK;
}

static rh_status setup(const rh_host *host, const rh_problem *problem, const int64_t *values,
                       void **instance) {
  slowed *self = host->alloc(host, sizeof *self);
  if (!self) return RH_E_NOMEM;
  self->op = problem->op;
  self->more = values[0];
  *instance = self;
  return RH_OK;
}

static void begin(const rh_op *op, unsigned char *value) {
  const unsigned char *identity = op->identity;
  for (uint32_t k = 0; k < op->value_size; k++) value[k] = identity[k];
}

static rh_status run(void *instance, const rh_run *run) {
  const slowed *self = instance;
  const unsigned char *input = run->host_input;
  _Alignas(16) unsigned char dropped[16];
  input += run->first * self->op->element_size;
  begin(self->op, dropped);
  self->op->fold(dropped, input, 0, run->n / 100 * (uint64_t)self->more);
  begin(self->op, run->host_result);
  self->op->fold(run->host_result, input, 0, run->n);
  return RH_OK;
}

static const rh_param params[] = {{.key = "more",
                                   .doc = "per cent of the elements that are reduced a second time",
                                   .max = 100,
                                   .step = 1}};

static const rh_strategy strategy = {
    RH_STRATEGY_SIZE,
    .name = "slowed",
    .summary = "the sequential loop, and some of it twice",
    .about = "For the tests of --compare.",
    .version = "1.0",
    .author = "the redhost authors",
    .license = "MIT",
    .device_kinds = RH_DEVICE_HOST,
    .determinism = RH_BITS_SAME_RUN,
    RH_PARAMS(params),
    .query = query,
    .setup = setup,
    .run = run,
};
RH_PLUGIN(&strategy);
