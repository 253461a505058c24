#include "run.h"

/* Opens the plugin in this process, which must trust it, for its strategy of that name. */
static rh_status open_strategy(const rh_context *context, const rh_job_spec *spec,
                               const rh_strategy **strategy, rh_error *error) {
  rh_describe *describe = context->calls ? context->calls->describe : NULL;
  return rh_registry_open(spec->plugin, describe, spec->strategy, strategy, error);
}

/* The bytes of n elements, from the first operand's beginning to the last one's end; UINT64_MAX
 * stands for more than 2^64. */
static uint64_t bytes_of(const rh_job_spec *spec) {
  uint64_t most = 0, n = spec->operation.n;
  for (uint32_t k = 0; k < spec->operation.op->n_operands; k++) {
    uint64_t size = rh_type_size(spec->operation.op->operands[k].type);
    if (n > (UINT64_MAX - spec->offsets[k]) / size) return UINT64_MAX;
    if (spec->offsets[k] + n * size > most) most = spec->offsets[k] + n * size;
  }
  return most;
}

/* Finds the device, and checks that it supports the type and can hold the elements. */
static rh_status find_device(rh_context *context, const rh_job_spec *spec,
                             const rh_cl_device **device, rh_error *error) {
  RH_TRY(rh_context_device(context, device, error));
  if (spec->operation.op->uses_f64 && !((*device)->about.features & RH_FP64))
    return rh_fail(error, RH_E_DEVICE, "type f64: %s has no cl_khr_fp64", (*device)->name);
  uint64_t bytes = bytes_of(spec);
  if (spec->in_pieces && bytes != UINT64_MAX) return RH_OK;
  return rh_cl_input_fits(*device, bytes, spec->operation.what, error);
}

/* A host strategy needs no device, but a device that was requested must exist. */
static rh_status find_host(rh_context *context, const rh_job_spec *spec, rh_error *error) {
  const rh_cl_device *unused;
  double bytes = (double)bytes_of(spec);
  double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
  if (context->options.device) RH_TRY(rh_context_device(context, &unused, error));
  int is_much = bytes > memory && memory > 0; /* 0: the system does not report it */
  int is_mapped = spec->in_pieces && spec->operation.layout;
  if (!is_much || (is_mapped && bytes_of(spec) != UINT64_MAX)) return RH_OK;
  if (bytes_of(spec) == UINT64_MAX)
    return rh_fail(error, RH_E_DEVICE,
                   "%s: more than 2^64 bytes; this machine has %.4g GiB of memory",
                   spec->operation.what, memory / (1 << 30));
  return rh_fail(error, RH_E_DEVICE, "%s: %.4g GiB; this machine has %.4g GiB of memory",
                 spec->operation.what, bytes / (1 << 30), memory / (1 << 30));
}

rh_status rh_job_device(rh_context *context, const rh_job_spec *spec, uint32_t device_kinds,
                        const rh_cl_device **device, rh_error *error) {
  *device = NULL;
  rh_status status = device_kinds == RH_DEVICE_HOST ? find_host(context, spec, error)
                                                    : find_device(context, spec, device, error);
  context->device_failed |= status != RH_OK;
  return status;
}

rh_status rh_job_check_settings(const rh_context *context, const rh_job_spec *spec,
                                rh_error *error) {
  const rh_strategy *strategy;
  int64_t params[RH_MAX_PARAMS];
  if (spec->n_settings == 0) return RH_OK;
  RH_TRY(open_strategy(context, spec, &strategy, error));
  return rh_params_resolve(strategy, spec->settings, spec->n_settings, params, error);
}

/* ---- Its parameters ---- */

/* Applies the caller's settings over the current values. */
static rh_status apply_settings(rh_job *job, rh_error *error) {
  const rh_job_spec *spec = &job->spec;
  for (uint64_t k = 0; k < spec->n_settings; k++) {
    const rh_setting *setting = &spec->settings[k];
    if (spec->others_too && rh_params_find(job->strategy, setting->key) < 0) continue;
    RH_TRY(rh_params_set(job->strategy, setting, job->instance_spec.params, error));
    job->params_from.from = RH_PARAMS_FROM_USER;
  }
  return RH_OK;
}

static rh_status set_defaults(rh_job *job, rh_error *error) {
  job->params_from = (rh_origin){.from = RH_PARAMS_FROM_DEFAULT};
  RH_TRY(rh_params_resolve(job->strategy, NULL, 0, job->instance_spec.params, error));
  return apply_settings(job, error);
}

static void reset_settings(rh_job *job, const char *why) {
  char said[1024];
  /* `why` may point into the answer, which is overwritten. */
  snprintf(said, sizeof said, "%s", why);
  rh_log(&job->context->options.reporter, RH_LOG_INFO,
         "parameters of '%s' are reset to the defaults; it cannot run with the tuned ones: "
         "%s",
         job->strategy->name, said);
  set_defaults(job, NULL);
}

/* ---- Opening and setting up ---- */

rh_status rh_job_open(rh_job *job, rh_context *context, const rh_job_spec *spec, rh_error *error) {
  *job = (rh_job){.context = context, .spec = *spec};
  RH_TRY(rh_copy(&job->path, spec->plugin, "a path", error));
  if (spec->remote) job->strategy = &spec->remote->strategy;
  else RH_TRY(open_strategy(context, spec, &job->strategy, error));
  job->instance_spec.remote = spec->remote;
  job->instance_spec.strategy = job->strategy;
  job->instance_spec.op = spec->operation.op;
  job->instance_spec.max_n =
      spec->operation.layout ? spec->operation.layout->longest : spec->operation.n;
  if (job->strategy->promises & RH_SERVES_LAYOUTS)
    job->instance_spec.layout = spec->operation.layout;
  job->instance_spec.reporter = &context->options.reporter;
  RH_TRY(set_defaults(job, error));
  RH_TRY(rh_job_device(context, spec, job->strategy->device_kinds, &job->device, error));
  job->runs_on = spec->remote ? spec->remote->device : job->device;
  return context->calls ? context->calls->use_tuned(job, error) : RH_OK;
}

static const rh_device *device_of(const rh_job *job) {
  return job->device ? &job->device->about : rh_host_device();
}

/* Do the tuned parameters prevent the run?  Either the strategy declines them, or it would leave
 * its result in the wrong place. */
static int should_drop_tuned(const rh_job *job, rh_status status) {
  if (!job->params_from.n_tuned) return 0;
  return status == RH_DECLINED || (status == RH_OK && job->answer.finishes_on_host &&
                                   job->spec.on_device == RH_JOB_RESULT_ON_DEVICE);
}

rh_status rh_job_ask(rh_job *job, rh_error *error) {
  const rh_device *device = device_of(job);
  rh_remote *remote = job->spec.remote;
  if (remote) return remote->ask(remote, &job->instance_spec, &job->answer, error);
  rh_status status = rh_instance_query(&job->instance_spec, device, &job->answer, error);
  if (should_drop_tuned(job, status)) {
    reset_settings(job, status == RH_OK ? "they finish on the host" : job->answer.reason);
    status = rh_instance_query(&job->instance_spec, device, &job->answer, error);
  }
  if (status != RH_DECLINED) return status;
  /* An invalid parameter is the caller's mistake; anything else is a limit of this machine. */
  int mistake = job->answer.why == RH_WHY_PARAM;
  return rh_fail(error, mistake ? RH_E_USAGE : RH_DECLINED, "strategy '%s' cannot run on %s: %s",
                 job->strategy->name, device->name, job->answer.reason);
}

rh_status rh_job_init(rh_job *job, rh_context *context, const rh_job_spec *spec, rh_error *error) {
  RH_TRY(rh_job_open(job, context, spec, error));
  return rh_job_ask(job, error);
}

rh_status rh_job_check_place(const rh_job *job, rh_error *error) {
  const char *name = job->strategy->name;
  if (job->spec.on_device >= RH_JOB_DATA_ON_DEVICE && !job->device)
    return rh_fail(error, RH_DECLINED,
                   "strategy '%s' runs on the host and reads no data on a device", name);
  if (job->spec.on_device == RH_JOB_RESULT_ON_DEVICE && job->answer.finishes_on_host)
    return rh_fail(error, RH_DECLINED,
                   "strategy '%s' finishes on the host and leaves no result on the device; many "
                   "have a parameter finish=device",
                   name);
  return RH_OK;
}

static rh_status create_instance(rh_job *job, rh_error *error) {
  rh_error why = {0};
  rh_status status = rh_instance_create(&job->instance, &job->instance_spec, &job->answer, &why);
  if (status == RH_OK) return RH_OK;
  if (!job->params_from.n_tuned || status == RH_E_CANCELLED)
    return rh_error_pass(error, status, &why);
  reset_settings(job, why.message);
  RH_TRY(rh_job_ask(job, error));
  return rh_instance_create(&job->instance, &job->instance_spec, &job->answer, error);
}

rh_status rh_job_instantiate(rh_job *job, rh_error *error) {
  rh_cl_session **session = &job->instance_spec.session;
  if (job->device && !*session) RH_TRY(rh_context_session(job->context, session, error));
  double start = rh_now();
  RH_TRY(create_instance(job, error));
  job->setup_s = rh_now() - start;
  return RH_OK;
}

rh_status rh_job_setup(rh_job *job, void *region, uint64_t offset, rh_error *error) {
  const rh_operator *op = job->spec.operation.op;
  int in_bytes = rh_operator_has_operands(op);
  uint32_t size = in_bytes ? 1 : rh_type_size(op->operands[0].type);
  if (job->device) {
    RH_TRY(rh_context_session(job->context, &job->instance_spec.session, error));
    rh_status status =
        rh_cl_input_init(&job->input, job->instance_spec.session, region, offset,
                         in_bytes ? bytes_of(&job->spec) : job->spec.operation.n, size, error);
    job->context->device_failed |= status != RH_OK;
    RH_TRY(status);
  }
  job->data = rh_operands_data(&job->operands, op, job->spec.offsets, job->input.buffer,
                               job->input.first * size, (const char *)region + offset);
  return rh_job_instantiate(job, error);
}

int rh_job_is_near(const rh_job *job) {
  const rh_operator *op = job->spec.operation.op;
  return rh_operation_rounds_once(&job->spec.operation) &&
         (op->is_custom || !rh_op_rounds_once(job->strategy->promises, op->base, op->type));
}

void rh_job_arrays(const rh_job_spec *spec, const rh_job_part *part, rh_arrays *arrays,
                   uint64_t constants[RH_MOST_CONSTANT_WORDS]) {
  const rh_operator *op = spec->operation.op;
  *arrays = (rh_arrays){.constants = constants};
  memset(constants, 0, RH_MOST_CONSTANT_WORDS * sizeof *constants);
  memcpy(arrays->operands, part->operands, op->n_operands * sizeof *part->operands);
  if (op->calls->bind) op->calls->bind(op, part->whole_n, constants);
  rh_operator_set_base(op, constants, part->first);
}

rh_status rh_job_reference_of(const rh_job_spec *spec, const rh_job_part *part,
                              const rh_reporter *reporter, rh_reference *reference,
                              rh_error *error) {
  uint64_t constants[RH_MOST_CONSTANT_WORDS];
  rh_arrays arrays;
  rh_job_arrays(spec, part, &arrays, constants);
  return rh_reference_compute(reference, spec->operation.op, &arrays, part->n, part->threads,
                              reporter, error);
}

void rh_job_operands_at(const rh_job_spec *spec, const void *data, const void **operands) {
  for (uint32_t k = 0; k < spec->operation.op->n_operands; k++)
    operands[k] = (const char *)data + spec->offsets[k];
}

rh_status rh_job_reference(const rh_job_spec *spec, const void *data, const rh_reporter *reporter,
                           rh_reference *reference, rh_error *error) {
  const void *operands[RH_MOST_OPERANDS];
  rh_job_operands_at(spec, data, operands);
  const rh_job_part all = {operands, 0, spec->operation.n, spec->operation.n, 0, 0};
  return rh_job_reference_of(spec, &all, reporter, reference, error);
}

int rh_job_flushes(const rh_job_spec *spec, const rh_cl_device *device) {
  if (!device) return 0;
  return (spec->operation.op->type == RH_TYPE_f64 ? device->flushes_f64 : device->flushes_f32) != 0;
}

void rh_job_finish(rh_job *job) {
  rh_instance_destroy(job->instance);
  rh_cl_input_finish(&job->input);
  free(job->path);
  *job = (rh_job){0};
}

const char *rh_params_from_name(uint32_t from) {
#define RH_X(name, number, word) word,
  static const char *const names[] = {RH_PARAMS_FROM_LIST(RH_X)};
#undef RH_X
  return names[from < RH_N_PARAMS_FROM ? from : 0];
}

rh_status rh_settings_check(const rh_setting *settings, uint64_t n, rh_error *error) {
  if (n && !settings)
    return rh_fail(error, RH_E_USAGE, "settings is null, and n_settings is %llu",
                   (unsigned long long)n);
  for (uint64_t k = 0; k < n; k++)
    if (!settings[k].key || !settings[k].value)
      return rh_fail(error, RH_E_USAGE, "settings[%llu]: its %s is null", (unsigned long long)k,
                     settings[k].key ? "value" : "key");
  return RH_OK;
}
