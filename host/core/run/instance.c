#include "run.h"

/* The result has slots for three values.  A strategy writes the middle one, so that one that does
 * not look at result_index is noticed. */
enum { RESULT_SLOT = 1, RESULT_SLOTS = 3 };

/* device: null: the host. */
static rh_problem problem_of(const rh_instance_spec *spec, const rh_op *op,
                             const rh_device *device) {
  return (rh_problem){
      .struct_size = sizeof(rh_problem),
      .type = spec->op->operands[0].type,
      .op = op,
      .device = device ? device : rh_host_device(),
      .max_n = spec->max_n,
      .layout = spec->layout,
  };
}

rh_status rh_instance_query(const rh_instance_spec *spec, const rh_device *device,
                            rh_answer *answer, rh_error *error) {
  const rh_problem problem = problem_of(spec, spec->op->abi, device);
  RH_TRY(rh_strategy_query(spec->strategy, &problem, spec->params, answer, error));
  const rh_operator_calls *calls = spec->op->calls;
  const char *why = calls->decline ? calls->decline(spec->op, spec->strategy, answer) : NULL;
  if (!why) return RH_OK;
  answer->why = RH_WHY_OP;
  snprintf(answer->reason, sizeof answer->reason, "%s", why);
  return RH_DECLINED;
}

/* The plugin's error message, or a generic one if it gave none; prefixed with its name and the
 * phase. */
static rh_status plugin_failed(const rh_instance *instance, const char *phase, rh_status status,
                               rh_error *error) {
  int is_known = status == RH_DECLINED ? strcmp(phase, "setup") == 0
                                       : status <= RH_OK && status >= RH_E_INTERNAL;
  if (!is_known)
    return rh_fail(error, RH_E_PLUGIN,
                   "strategy '%s', %s: returned %d, which is not a status that %s may return",
                   instance->spec.strategy->name, phase, (int)status, phase);
  if (instance->services.short_of_memory && status < RH_OK) status = RH_E_DEVICE;
  rh_status failure = status < RH_OK ? status : RH_E_INTERNAL;
  if (!instance->services.failed)
    rh_fail(error, failure, "%s, and the plugin gave no reason", rh_status_text(status));
  return rh_error_prefix(error, failure, "strategy '%s', %s", instance->spec.strategy->name, phase);
}

static rh_status changed_fpstate(const rh_instance *instance, const char *phase, rh_error *error) {
  return rh_fail(error, RH_E_PLUGIN,
                 "strategy '%s', %s: changed the floating-point control word (rounding or "
                 "flush-to-zero) and did not put it back",
                 instance->spec.strategy->name, phase);
}

/* Setup may decline for reasons that only the built kernel shows; any other refusal comes too
 * late. */
static rh_status setup_failed(const rh_instance *instance, rh_status status, rh_error *error) {
  if (status != RH_DECLINED || !instance->services.failed)
    return plugin_failed(instance, "setup", status, error);
  char reason[sizeof error->message];
  snprintf(reason, sizeof reason, "%s", error ? error->message : "");
  const rh_device *device = instance->problem.device;
  return rh_fail(error, RH_DECLINED, "strategy '%s' cannot run on %s: %s",
                 instance->spec.strategy->name,
                 device->kind == RH_DEVICE_HOST ? "the host" : device->name, reason);
}

static rh_status set_up(rh_instance *instance, rh_error *error) {
  const rh_strategy *strategy = instance->spec.strategy;
  rh_remote *remote = instance->spec.remote;
  if (remote) return remote->set_up(remote, &instance->spec, error);
  rh_services_enter(&instance->services, RH_PHASE_SETUP, error);
  rh_fpstate saved = rh_fpstate_save();
  rh_status status = strategy->setup(&instance->services.host, &instance->problem,
                                     instance->spec.params, &instance->self);
  int changed = rh_fpstate_restore(&saved);
  rh_services_leave(&instance->services);
  if (status != RH_OK) return setup_failed(instance, status, error);
  if (!changed) return RH_OK;
  if (strategy->teardown) strategy->teardown(instance->self);
  return changed_fpstate(instance, "setup", error);
}

/* ---- The result on the device, and its way to the host ---- */

/* The place to change for a device where another way is faster. */

/* A pair of a key or mantissa and an index or exponent has padding if the first is of 32 bits. */
static uint32_t written_words(const rh_instance_spec *spec) {
  enum { PAIR = 16, ALL_OF_A_PAIR = 0xf, PADDING = 1 << 1 };
  uint32_t size = spec->op->abi->value_size;
  if (spec->op->is_struct) return spec->op->written;
  if (size < PAIR) return (1u << size / sizeof(uint32_t)) - 1;
  return rh_type_size(spec->op->type) == sizeof(uint64_t) ? ALL_OF_A_PAIR
                                                          : ALL_OF_A_PAIR & ~PADDING;
}

static rh_status make_result(rh_instance *instance, rh_error *error) {
  RH_TRY(rh_cl_buffer(instance->spec.session, CL_MEM_READ_WRITE,
                      RESULT_SLOTS * instance->op.value_size, NULL, "allocating the result",
                      &instance->result, error));
  /* Only for strategies that write the result once: atomics across a bus take seconds, if they
   * work at all. */
  const rh_strategy *strategy = instance->spec.strategy;
  if (strategy->extension && strategy->extension(RH_EXTENSION_RESULT_ONCE) &&
      instance->op.value_size <= RH_CL_VISIBLE_BYTES)
    rh_cl_visible_init(&instance->visible, instance->spec.session, instance->op.value_size,
                       written_words(&instance->spec));
  return RH_OK;
}

/* ---- Creating and destroying ---- */

static rh_status prepare(rh_instance *instance, rh_error *error) {
  const rh_instance_spec *spec = &instance->spec;
  if (spec->session && spec->op->calls->open)
    RH_TRY(spec->op->calls->open(spec->op, spec->session, error));
  instance->prelude = spec->op->calls->prelude(spec->op);
  if (!instance->prelude) return rh_fail(error, RH_E_NOMEM, "no memory for a program's source");
  instance->op = *spec->op->abi;
  instance->op.prelude = instance->prelude;
  instance->problem =
      problem_of(spec, &instance->op, spec->session ? &spec->session->device->about : NULL);
  rh_services_init(&instance->services, spec->session, instance->prelude, spec->strategy->name,
                   spec->reporter);
  instance->services.run = &instance->run;
  instance->services.constants_size = spec->op->abi->constants_size;
  if (spec->op->is_custom && spec->session && spec->session->device->divides_exactly)
    instance->services.options = "-cl-fp32-correctly-rounded-divide-sqrt";
  return spec->session ? make_result(instance, error) : RH_OK;
}

static void release(rh_instance *instance) {
  rh_services_finish(&instance->services);
  if (instance->spec.session) rh_cl_visible_finish(&instance->visible, instance->spec.session);
  rh_cl_release_buffer(instance->result);
  free(instance->prelude);
  free(instance);
}

rh_status rh_instance_create(rh_instance **created, const rh_instance_spec *spec,
                             const rh_answer *answer, rh_error *error) {
  *created = NULL;
  rh_instance *instance;
  RH_TRY(RH_NEW(&instance, 1, "an instance", error));
  instance->spec = *spec;
  instance->finishes_on_host = answer->finishes_on_host;
  instance->run = (rh_run){.struct_size = sizeof instance->run, .host_result = instance->value};
  rh_status status = prepare(instance, error);
  if (status == RH_OK) status = set_up(instance, error);
  if (status != RH_OK) release(instance);
  else *created = instance;
  return status;
}

void rh_instance_destroy(rh_instance *instance) {
  if (!instance) return;
  rh_fpstate saved = rh_fpstate_save();
  /* The queue must not use anything that the teardown releases. */
  if (instance->spec.session) rh_cl_finish(instance->spec.session->queue);
  rh_services_enter(&instance->services, RH_PHASE_TEARDOWN, NULL);
  if (instance->spec.strategy->teardown) instance->spec.strategy->teardown(instance->self);
  rh_fpstate_restore(&saved);
  release(instance);
}

/* Its runs read these operands. */
static void show(rh_instance *instance, rh_operands *operands) {
  rh_run *run = &instance->run;
  if (operands->count_slot >= 0)
    operands->constants[operands->count_slot] = operands->whole_n ? operands->whole_n : run->n;
  run->first = 0;
  run->input = NULL;
  run->host_input = &operands->arrays;
  run->host_operands = operands->arrays.operands;
  run->n_operands = operands->n;
  run->operands = (struct _cl_mem *const *)operands->buffers;
  run->operand_first = operands->at;
  run->constants = operands->constants;
}

rh_status rh_instance_run(rh_instance *instance, const rh_data *data, uint64_t n, rh_error *error) {
  return rh_instance_run_to(instance, data, n, instance->result, RESULT_SLOT, error);
}

/* Of elements that *instance->run says. */
static rh_status call_run(rh_instance *instance, rh_error *error) {
  const rh_strategy *strategy = instance->spec.strategy;
  rh_remote *remote = instance->spec.remote;
  if (remote) return remote->run(remote, &instance->spec, &instance->run, instance->value, error);
  int keeps = (strategy->promises & RH_KEEPS_FP_CONTROL) != 0;
  rh_fpstate saved;
  if (!keeps) saved = rh_fpstate_save();
  rh_services_enter(&instance->services, RH_PHASE_RUN, error);
  rh_status status = strategy->run(instance->self, &instance->run);
  rh_services_leave(&instance->services);
  int changed = !keeps && rh_fpstate_restore(&saved);
  if (status != RH_OK) return plugin_failed(instance, "run", status, error);
  return changed ? changed_fpstate(instance, "run", error) : RH_OK;
}

static void take_data(rh_instance *instance, const rh_data *data, uint64_t n) {
  rh_run *run = &instance->run;
  run->first = data->first;
  run->n = n;
  run->input = data->buffer;
  run->host_input = data->host;
  if (data->operands) show(instance, data->operands);
}

rh_status rh_instance_run_to(rh_instance *instance, const rh_data *data, uint64_t n, cl_mem result,
                             uint64_t index, rh_error *error) {
  take_data(instance, data, n);
  instance->run.result = result;
  instance->run.result_index = index;
  if (n > instance->spec.max_n)
    return rh_fail(error, RH_E_INVALID, "%llu elements for an instance set up for %llu",
                   (unsigned long long)n, (unsigned long long)instance->spec.max_n);
  return call_run(instance, error);
}

rh_status rh_instance_run_layout(rh_instance *instance, const rh_layout *layout,
                                 const rh_data *data, uint64_t n, const rh_values *to,
                                 rh_error *error) {
  take_data(instance, data, n);
  instance->run.layout = layout;
  instance->run.host_result = to->host;
  instance->run.result = to->buffer;
  instance->run.result_index = to->index;
  rh_status status = call_run(instance, error);
  instance->run.layout = NULL;
  instance->run.host_result = instance->value;
  return status;
}

rh_status rh_instance_value(rh_instance *instance, void *value, rh_error *error) {
  rh_cl_session *session = instance->spec.session;
  uint32_t size = instance->op.value_size;
  if (instance->finishes_on_host || !instance->result) {
    if (size == sizeof(uint64_t)) /* mostly, and then without a call */
      memcpy(value, instance->value, sizeof(uint64_t));
    else if (size == sizeof(uint32_t)) memcpy(value, instance->value, sizeof(uint32_t));
    else memcpy(value, instance->value, size);
    return RH_OK;
  }
  /* Waits for everything enqueued before. */
  RH_CL_TRY_IN(session, error,
               rh_cl_read(session->queue, instance->result, CL_TRUE, RESULT_SLOT * size, size,
                          value, rh_cl_event_for(session, "read-back")),
               "reading the result from the device");
  return RH_OK;
}

rh_status rh_instance_begin(rh_instance *instance, const rh_data *data, uint64_t n,
                            rh_error *error) {
  rh_cl_visible_expect(&instance->visible);
  return rh_instance_run_to(instance, data, n, instance->visible.buffer, 0, error);
}

rh_status rh_instance_call(rh_instance *instance, const rh_data *data, uint64_t n, void *value,
                           rh_error *error) {
  if (!rh_instance_shows(instance)) {
    RH_TRY(rh_instance_run(instance, data, n, error));
    return rh_instance_value(instance, value, error);
  }
  RH_TRY(rh_instance_begin(instance, data, n, error));
  return rh_instance_end(instance, value, error);
}

rh_status rh_instance_end(rh_instance *instance, void *value, rh_error *error) {
  return rh_cl_visible_await(&instance->visible, instance->spec.session, value, error);
}

/* ---- Calls by a job that is set up ---- */

rh_status rh_context_check_process(const rh_context *context, rh_error *error) {
  if (*context->opened_here || context->devices.n == 0) return RH_OK;
  return rh_fail(error, RH_E_INVALID,
                 "this process was forked after rh_open(), and the devices of an rh_redhost stay "
                 "with the process that opened it; call rh_open() after fork()");
}

static const rh_sized without_fields = {"rh_result", 0, RH_WITHOUT_FIELDS};

void rh_call_begin(rh_call *call, rh_job *job, rh_cl_input *inputs) {
  const rh_job_spec *spec = &job->spec;
  const rh_operator *op = spec->operation.op;
  int has_fields = op->n_results > 0, has_operands = rh_operator_has_operands(op);
  *call = (rh_call){.instance = job->instance,
                    .n_operands = op->n_operands,
                    .job = job,
                    .op = op,
                    .inputs = inputs};
  for (uint32_t k = 0; k < call->n_operands; k++)
    call->sizes[k] = rh_type_size(op->operands[k].type);
  call->decodes = rh_op_find(op->base, op->type);
  call->may_be_empty = op->is_masked && op->base == RH_OP_sum && rh_type_is_float(op->type);
  if (!has_fields) { /* else `decodes` may be null */
    call->decoding = rh_op_decoding(call->decodes, op->type);
    rh_job_result(spec, job->strategy->name, job->instance->op.identity, &call->blank);
  }
  if (has_operands) {
    rh_operands_begin(&job->operands, op);
    show(job->instance, &job->operands);
    call->arrays = &job->operands.arrays;
  }
  int sets_constant = has_operands && job->operands.count_slot >= 0;
  if (!has_fields && !sets_constant && !job->instance->spec.session &&
      job->strategy->promises & RH_KEEPS_FP_CONTROL)
    call->fast_max_n = spec->operation.n;
}

/* ---- A call's result ---- */

/* For at least one element, and a program that knows all fields before `fields`. */
static inline void fill(const rh_call *call, const void *value, rh_result *result) {
  uint32_t size = result->struct_size;
  memcpy(result, &call->blank, RH_WITHOUT_FIELDS);
  result->struct_size = size;
  rh_op_decode(call->decoding, call->decodes, call->op->type, value, result);
  if (call->may_be_empty && result->value.f == 0) result->value.f = 0;
}

void rh_call_decode(const rh_call *call, const void *value, uint64_t n, rh_result *result) {
  int has_fields = call->op->n_results > 0;
  if (n > 0 && result->struct_size >= RH_WITHOUT_FIELDS && !has_fields) {
    fill(call, value, result);
    return;
  }
  rh_result own;
  rh_job_spec spec = {.operation = {.op = call->op, .n = n}};
  rh_job_result(&spec, call->job->strategy->name, value, &own);
  rh_sized_write(result, &own, has_fields ? RH_SIZED(rh_result, strategy) : &without_fields);
}

/* ---- Calls on arrays ---- */

rh_status rh_call_fast(const rh_call *call, const void *from, uint64_t n, rh_result *result,
                       rh_error *error) {
  rh_instance *instance = call->instance;
  rh_run *run = &instance->run;
  run->first = 0;
  run->n = n;
  run->host_input = from;
  rh_services_enter(&instance->services, RH_PHASE_RUN, error);
  rh_status status = instance->spec.strategy->run(instance->self, run);
  rh_services_leave(&instance->services);
  if (status != RH_OK) return plugin_failed(instance, "run", status, error);
  fill(call, instance->value, result);
  return RH_OK;
}

static rh_status reduce(const rh_call *call, const void *const *arrays, uint64_t n, void *value,
                        rh_error *error) {
  rh_job *job = call->job;
  rh_data placed;
  RH_TRY(rh_operands_check(call->op, arrays, n, error));
  if (call->ring && n > call->most_whole)
    return call->stream(call->ring, arrays, n, value, NULL, error);
  rh_status status = rh_operands_bring(job, call->inputs, arrays, n, &placed, error);
  if (status == RH_OK) status = rh_instance_call(call->instance, &placed, n, value, error);
  if (!job->device) return status;
  /* After a failure, the device may still be reading the caller's memory. */
  if (status != RH_OK) rh_cl_finish(job->instance_spec.session->queue);
  if (job->device->about.kind != RH_DEVICE_CPU) rh_cl_inputs_let_go(call->inputs, call->n_operands);
  return status;
}

rh_status rh_call_arrays(const rh_call *call, const void *const *arrays, uint64_t n,
                         rh_result *result, rh_error *error) {
  _Alignas(16) unsigned char value[RH_MOST_VALUE_BYTES];
  const rh_op *op = &call->instance->op;
  if (n == 0) memcpy(value, op->identity, op->value_size); /* there is no array */
  else RH_TRY(reduce(call, arrays, n, value, error));
  rh_call_decode(call, value, n, result);
  return RH_OK;
}
