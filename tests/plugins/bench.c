#include "bench.h"

enum { SLOT = 1, SLOTS = 3 };

static uint64_t bytes_of(const bench *b, uint32_t k) {
  return (2 * AROUND + b->spec.max_n) * b->sizes[k];
}

static const char *value_of(char *const *settings, const char *key) {
  size_t length = strlen(key);
  for (; *settings; settings++)
    if (strncmp(*settings, key, length) == 0 && (*settings)[length] == '=')
      return *settings + length + 1;
  return NULL;
}

static rh_status settle(bench *b, char *const *settings) {
  const rh_strategy *strategy = b->spec.strategy;
  rh_setting own[RH_MAX_PARAMS];
  uint64_t n = 0;
  for (uint32_t k = 0; k < strategy->n_params; k++) {
    const char *key = rh_strategy_param(strategy, k)->key, *value = value_of(settings, key);
    if (value) own[n++] = (rh_setting){key, value};
  }
  return rh_params_resolve(strategy, own, n, b->spec.params, &b->error);
}

static rh_status ask(bench *b) {
  const rh_device *device = b->spec.session ? &b->spec.session->device->about : NULL;
  rh_status status = rh_instance_query(&b->spec, device, &b->answer, &b->error);
  if (status == RH_DECLINED) return rh_fail(&b->error, status, "%s", b->answer.reason);
  return status;
}

rh_status bench_begin(bench *b, rh_context *context, const rh_strategy *strategy,
                      const rh_operator *op, uint64_t max_n, char *const *settings) {
  *b = (bench){.spec = {.strategy = strategy, .op = op, .max_n = max_n},
               .operands.n = op->n_operands,
               .error.message = "?"};
  if (rh_operator_has_operands(op)) rh_operands_begin(&b->operands, op);
  for (uint32_t k = 0; k < op->n_operands; k++) b->sizes[k] = rh_type_size(op->operands[k].type);
  if (!rh_strategy_is_host(strategy))
    RH_TRY(rh_context_session(context, &b->spec.session, &b->error));
  RH_TRY(settle(b, settings));
  return ask(b);
}

static cl_mem make_buffer(bench *b, uint64_t bytes, cl_int *code) {
  return clCreateBuffer(b->spec.session->context, CL_MEM_READ_WRITE, bytes, NULL, code);
}

rh_status bench_open(bench *b) {
  cl_int code = CL_SUCCESS;
  b->copy = malloc(bytes_of(b, 0));
  for (uint32_t k = 0; k < b->operands.n && code == CL_SUCCESS; k++) {
    b->memory[k] = malloc(bytes_of(b, k));
    if (!b->memory[k] || !b->copy) return rh_fail(&b->error, RH_E_NOMEM, "no memory");
    memset(b->memory[k], POISON, bytes_of(b, k));
    if (b->spec.session) b->operands.buffers[k] = make_buffer(b, bytes_of(b, k), &code);
  }
  if (b->spec.session && !b->answer.finishes_on_host && code == CL_SUCCESS)
    b->values = make_buffer(b, SLOTS * b->spec.op->abi->value_size, &code);
  if (code != CL_SUCCESS) return rh_cl_fail(&b->error, code, "allocating");
  return rh_instance_create(&b->instance, &b->spec, &b->answer, &b->error);
}

/* Only the elements that this run can reach: after them is the poison of bench_open(), or a larger
 * run's data. */
static uint64_t reach_of(const bench *b, uint32_t k, uint64_t n) {
  return (b->operands.at[k] + n + AROUND) * b->sizes[k];
}

void *bench_room(bench *b, uint32_t k, uint64_t at, uint64_t n) {
  b->operands.at[k] = at;
  b->operands.arrays.operands[k] = b->memory[k] + at * b->sizes[k];
  memset(b->memory[k], POISON, reach_of(b, k, n));
  return b->memory[k] + at * b->sizes[k];
}

rh_status bench_place(bench *b, uint64_t n) {
  if (!b->spec.session) memcpy(b->copy, b->memory[0], reach_of(b, 0, n));
  for (uint32_t k = 0; k < b->operands.n && b->spec.session; k++) {
    cl_int code = clEnqueueWriteBuffer(b->spec.session->queue, b->operands.buffers[k], CL_TRUE, 0,
                                       reach_of(b, k, n), b->memory[k], 0, NULL, NULL);
    if (code != CL_SUCCESS) return rh_cl_fail(&b->error, code, "placing the data");
  }
  return RH_OK;
}

int bench_is_unchanged(bench *b, uint64_t n) {
  uint64_t reach = reach_of(b, 0, n);
  if (b->spec.session &&
      clEnqueueReadBuffer(b->spec.session->queue, b->operands.buffers[0], CL_TRUE, 0, reach,
                          b->copy, 0, NULL, NULL) != CL_SUCCESS)
    return 0;
  return memcmp(b->memory[0], b->copy, reach) == 0;
}

static rh_status run_between(bench *b, const rh_data *data, uint64_t n, void *value) {
  unsigned char seen[SLOTS * RH_ANY_VALUE_BYTES];
  cl_command_queue queue = b->spec.session->queue;
  size_t size = b->instance->op.value_size;
  memset(seen, POISON, sizeof seen);
  clEnqueueWriteBuffer(queue, b->values, CL_TRUE, 0, SLOTS * size, seen, 0, NULL, NULL);
  RH_TRY(rh_instance_run_to(b->instance, data, n, b->values, SLOT, &b->error));
  cl_int code =
      clEnqueueReadBuffer(queue, b->values, CL_TRUE, 0, SLOTS * size, seen, 0, NULL, NULL);
  if (code != CL_SUCCESS) return rh_cl_fail(&b->error, code, "reading the values");
  memcpy(value, seen + SLOT * size, size);
  for (size_t k = 0; k < size; k++)
    if (seen[k] != POISON || seen[(SLOT + 1) * size + k] != POISON)
      return rh_fail(&b->error, RH_E_WRONG, "wrote outside its result");
  return RH_OK;
}

rh_status bench_run(bench *b, uint64_t n, void *value) {
  rh_data data = {
      .buffer = b->operands.buffers[0], .host = b->memory[0], .first = b->operands.at[0]};
  if (rh_operator_has_operands(b->spec.op)) data = (rh_data){.operands = &b->operands};
  memset(value, POISON, b->instance->op.value_size);
  if (b->values) return run_between(b, &data, n, value);
  return rh_instance_call(b->instance, &data, n, value, &b->error);
}

void bench_close(bench *b) {
  rh_instance_destroy(b->instance);
  for (uint32_t k = 0; k < b->operands.n; k++) {
    if (b->operands.buffers[k]) clReleaseMemObject(b->operands.buffers[k]);
    free(b->memory[k]);
  }
  if (b->values) clReleaseMemObject(b->values);
  free(b->copy);
}

int bench_words(const char *variable, char **words, int most) {
  const char *text = getenv(variable);
  char *rest = text && *text ? strdup(text) : NULL, *word;
  int n = 0;
  while (n < most - 1 && (word = strsep(&rest, " ")))
    if (*word) words[n++] = word;
  words[n] = NULL;
  return n;
}
