/* Calls of a prepared reduction: their checks, the transfer of data, the run, and the result. */
#include "library.h"

/* ---- One call at a time ---- */

static rh_status cannot_begin(const rh_prepared *p, const char *function, rh_error *error) {
  if (!p) return rh_fail(error, RH_E_USAGE, "%s: the rh_prepared is null", function);
  return rh_fail(
      error, RH_E_INVALID,
      "%s: a call on this prepared reduction is in progress in another thread; prepare one for "
      "each thread",
      function);
}

static inline rh_status begin_call(rh_prepared *p, const char *function, rh_error *error) {
  return p && rh_prepared_take(p) ? RH_OK : cannot_begin(p, function, error);
}

static rh_status check_result(const rh_result *result, const char *function, rh_error *error) {
  if (!result) return rh_fail(error, RH_E_USAGE, "%s: the place for the result is null", function);
  return rh_sized_check(result, RH_SIZED(rh_result, strategy), error);
}

/* ---- Checks that cost nothing ---- */

static rh_status check_count(const rh_prepared *p, uint64_t n, rh_error *error) {
  if (p->segmented && n != p->max_n)
    return rh_fail(error, RH_E_USAGE, "%llu elements for segments of %llu", (unsigned long long)n,
                   (unsigned long long)p->max_n);
  if (n > p->max_n)
    return rh_fail(error, RH_E_USAGE, "%llu elements for a reduction that was prepared for %llu",
                   (unsigned long long)n, (unsigned long long)p->max_n);
  if (n == 0 && !p->segmented && p->call.op->needs_an_element)
    return rh_fail(error, RH_E_USAGE, "%s of an empty array is undefined", p->call.op->name);
  return RH_OK;
}

static rh_cl_session *session_of(const rh_prepared *p) {
  return p->call.job->instance_spec.session;
}

static rh_status check_buffers(const rh_prepared *p, const rh_call_spec *call, rh_error *error) {
  if (!p->job.device)
    return rh_fail(error, RH_E_USAGE, "strategy '%s' runs on the host and reads no buffer",
                   p->call.job->strategy->name);
  if (!p->job.context->options.queue)
    return rh_fail(error, RH_E_USAGE,
                   "buffers can be reduced only in the context of a queue of yours: "
                   "rh_options.queue is null");
  for (uint32_t k = 0; k < p->call.n_operands; k++) {
    const rh_cl_range range = {.what = "buffer",
                               .k = k,
                               .of = p->call.n_operands,
                               .first = call->first ? call->first[k] : 0,
                               .n = call->n,
                               .size = p->call.sizes[k],
                               .unfit = CL_MEM_WRITE_ONLY};
    RH_TRY(rh_cl_check_range(session_of(p), call->buffers[k], &range, error));
  }
  return RH_OK;
}

static rh_status check_values(const rh_prepared *p, const rh_call_spec *call, rh_error *error) {
  if (!p->result_on_device)
    return rh_fail(error, RH_E_USAGE,
                   "this reduction was not prepared to leave its result on the device: "
                   "result_on_device");
  const rh_cl_range place = {.what = "buffer for the values",
                             .of = 1,
                             .first = call->index,
                             .n = p->segmented ? p->segmented->layout.segments : 1,
                             .size = rh_prepared_value_bytes(p),
                             .unfit = CL_MEM_READ_ONLY};
  return rh_cl_check_range(session_of(p), call->values, &place, error);
}

/* Is it a call of what was prepared? */
static rh_status check_size(const rh_prepared *p, uint32_t n_operands, uint64_t n, int is_on_host,
                            rh_error *error) {
  if (n_operands != p->call.n_operands)
    return rh_fail(error, RH_E_USAGE, "this reduction has %u operand%s, and the call brings %u",
                   p->call.n_operands, p->call.n_operands == 1 ? "" : "s", n_operands);
  RH_TRY(check_count(p, n, error));
  if (is_on_host && p->data_on_device)
    return rh_fail(error, RH_E_USAGE,
                   "this reduction was prepared for data on the device: data_on_device");
  return p->job.device ? rh_context_check_process(p->job.context, error) : RH_OK;
}

static rh_status check_call(const rh_prepared *p, const rh_call_spec *call, const rh_result *result,
                            rh_error *error) {
  if (!p->segmented && (call->outputs || call->n_outputs))
    return rh_fail(error, RH_E_USAGE,
                   "rh_call_spec.outputs: this reduction was prepared without segments");
  if (!call->values) RH_TRY(check_result(result, "rh_prepared_call", error));
  RH_TRY(check_size(p, call->n_operands, call->n, call->arrays != NULL, error));
  if (call->arrays) return RH_OK;
  RH_TRY(check_buffers(p, call, error));
  if (call->values && (call->outputs || call->n_outputs))
    return rh_fail(error, RH_E_USAGE,
                   "rh_call_spec: both outputs and values are set; results go to one of them");
  return call->values ? check_values(p, call, error) : RH_OK;
}

/* ---- Running ---- */

void rh_prepared_decode(const rh_prepared *p, const void *value, uint64_t n, rh_result *result) {
  RH_OWN_ENVIRONMENT;
  if (p && value && check_result(result, "rh_prepared_decode", NULL) == RH_OK)
    rh_call_decode(&p->call, value, n, result);
}

/* Of arrays, those that begin with the first elements.  After RH_OK nothing reads them any more. */
static rh_status run_arrays(rh_prepared *p, const rh_call_spec *call, rh_result *result,
                            rh_error *error) {
  const void *data[RH_MOST_OPERANDS];
  for (uint32_t k = 0; k < p->call.n_operands; k++) {
    const char *array = data[k] = call->arrays[k];
    if (array && call->first) data[k] = array + call->first[k] * p->call.sizes[k];
  }
  if (!p->segmented) return rh_call_arrays(&p->call, data, call->n, result, error);
  RH_TRY(rh_operands_check(p->call.op, data, call->n, error));
  return rh_segmented_call(p->segmented, call, data, result, error);
}

static rh_status run(rh_prepared *p, const rh_call_spec *call, rh_result *result, rh_error *error) {
  _Alignas(16) unsigned char value[RH_MOST_VALUE_BYTES];
  RH_TRY(check_call(p, call, result, error));
  if (call->arrays) return run_arrays(p, call, result, error);
  if (p->segmented) return rh_segmented_call(p->segmented, call, NULL, result, error);
  const rh_data data = rh_operands_in_buffers(&p->job, call->buffers, call->first);
  if (call->values)
    return rh_instance_run_to(p->job.instance, &data, call->n, call->values, call->index, error);
  RH_TRY(rh_instance_call(p->job.instance, &data, call->n, value, error));
  rh_call_decode(&p->call, value, call->n, result);
  return RH_OK;
}

/* ---- An array ---- */

/* Not inlined: the fast path would save its registers. */
#define APART __attribute__((noinline))

APART static rh_status run_array(rh_prepared *p, const void *data, uint64_t n, rh_result *result,
                                 rh_error *error) {
  RH_OWN_ENVIRONMENT;
  if (p->segmented)
    return rh_fail(error, RH_E_USAGE,
                   "rh_prepared_run: this reduction has segments, whose results need outputs: "
                   "rh_prepared_call() takes them");
  RH_TRY(check_result(result, "rh_prepared_run", error));
  RH_TRY(check_size(p, 1, n, 1, error));
  return rh_call_arrays(&p->call, &data, n, result, error);
}

rh_status rh_prepared_run(rh_prepared *p, const void *data, uint64_t n, rh_result *result,
                          rh_error *error) {
  RH_OWN_ENVIRONMENT_QUICK;
  const void *from;
  rh_status status;
  RH_TRY(begin_call(p, "rh_prepared_run", error));
  if (p->call.n_operands != 1 || !rh_call_is_fast(&p->call, n, result) ||
      !(from = rh_call_host_input(&p->call, &data)))
    status = run_array(p, data, n, result, error);
  else status = rh_call_fast(&p->call, from, n, result, error);
  rh_prepared_leave(p);
  return status;
}

/* ---- Any call ---- */

APART static rh_status run_call(rh_prepared *p, const rh_call_spec *asked, rh_result *result,
                                rh_error *error) {
  RH_OWN_ENVIRONMENT;
  rh_call_spec call;
  RH_TRY(rh_sized_read(&call, asked, RH_SIZED(rh_call_spec, index), error));
  if (!call.arrays == !call.buffers)
    return rh_fail(error, RH_E_USAGE, "rh_call_spec: %s are set; it takes one of them",
                   call.arrays ? "both arrays and buffers" : "neither arrays nor buffers");
  if (call.arrays && call.values)
    return rh_fail(error, RH_E_USAGE,
                   "rh_call_spec.values: only the answer of buffers can stay on the device");
  if (call.n_operands == 0) call.n_operands = 1;
  return run(p, &call, result, error);
}

/* The fast path takes arrays, which begin where they are. */
static inline int is_plain(const rh_prepared *p, const rh_call_spec *call) {
  enum { WITHOUT_OUTPUTS = offsetof(rh_call_spec, outputs) };
  return call->n_operands == p->call.n_operands && call->arrays && !call->buffers && !call->first &&
         !call->values &&
         (call->struct_size == sizeof *call ? !call->outputs
                                            : call->struct_size == WITHOUT_OUTPUTS);
}

rh_status rh_prepared_call(rh_prepared *p, const rh_call_spec *call, rh_result *result,
                           rh_error *error) {
  RH_OWN_ENVIRONMENT_QUICK;
  const void *from;
  rh_status status;
  if (!call) return rh_fail(error, RH_E_USAGE, "rh_prepared_call: the rh_call_spec is null");
  RH_TRY(begin_call(p, "rh_prepared_call", error));
  if (!is_plain(p, call) || !rh_call_is_fast(&p->call, call->n, result) ||
      !(from = rh_call_host_input(&p->call, call->arrays)))
    status = run_call(p, call, result, error);
  else status = rh_call_fast(&p->call, from, call->n, result, error);
  rh_prepared_leave(p);
  return status;
}

void rh_prepared_forget(rh_prepared *p) {
  RH_OWN_ENVIRONMENT;
  if (!p || rh_context_check_process(p->job.context, NULL) != RH_OK) return;
  rh_prepared_await(p);
  rh_cl_inputs_let_go(p->inputs, RH_MOST_OPERANDS);
  rh_prepared_leave(p);
}

/* ---- Constants ---- */

static rh_status set_constants(rh_prepared *p, const rh_constant *constants, uint64_t n,
                               rh_error *error) {
  rh_expr_value values[RH_MOST_CONSTANTS];
  if (!p->custom) return rh_fail(error, RH_E_USAGE, "this reduction has no constants");
  if (n && !constants) return rh_fail(error, RH_E_USAGE, "the list of constants is null");
  RH_TRY(rh_request_constants(p->custom, constants, n, values, error));
  rh_custom_set_constants(p->custom, values);
  if (p->call.arrays) rh_operands_begin(&p->call.job->operands, p->call.op);
  return RH_OK;
}

rh_status rh_prepared_set_constants(rh_prepared *p, const rh_constant *constants, uint64_t n,
                                    rh_error *error) {
  RH_OWN_ENVIRONMENT;
  RH_TRY(begin_call(p, "rh_prepared_set_constants", error));
  rh_status status = set_constants(p, constants, n, error);
  rh_prepared_leave(p);
  return status;
}

uint32_t rh_prepared_value_bytes(const rh_prepared *p) {
  return p ? p->call.instance->op.value_size : 0;
}
