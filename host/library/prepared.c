/* rh_prepare() and rh_prepared_destroy(): a persistent instance, and what brings data to it. */
#include "library.h"

#include "../choose/choose.h"

/* Where the data of calls on the host go that are not streamed. */
static rh_status reserve(rh_prepared *p, rh_redhost *redhost, rh_error *error) {
  const rh_instance_spec *spec = &p->job.instance_spec;
  uint64_t most = p->ring && p->most_whole < p->max_n ? p->most_whole : p->max_n;
  if (!p->job.device || p->job.device->shares_memory || p->data_on_device) return RH_OK;
  rh_status status = RH_OK;
  for (uint32_t k = 0; k < p->call.n_operands && status == RH_OK; k++)
    status = rh_cl_input_reserve(&p->inputs[k], spec->session, most, p->call.sizes[k], error);
  redhost->context->device_failed |= status != RH_OK;
  return status;
}

static rh_status set_up(rh_prepared *p, rh_redhost *redhost, rh_error *error) {
  rh_instance_spec *spec = &p->job.instance_spec;
  RH_TRY(rh_job_check_place(&p->job, error));
  RH_TRY(rh_job_instantiate(&p->job, error));
  RH_TRY(rh_job_check_place(&p->job, error)); /* tuned parameters may have been dropped */
  rh_status status = rh_job_self_test(&p->job, error);
  if (status == RH_E_WRONG)
    rh_context_blame(redhost->context, p->job.strategy->name, p->job.path, spec->op, spec->max_n);
  RH_TRY(status);
  RH_TRY(rh_job_check_order(&p->job, error));
  /* The caller's pointers are valid during rh_prepare() only. */
  p->job.spec = (rh_job_spec){.operation = {.op = spec->op, .n = p->max_n}};
  rh_call_begin(&p->call, &p->job, p->inputs);
  p->call.ring = p->ring;
  p->call.stream = rh_arrays_reduce;
  p->call.most_whole = p->most_whole;
  if (p->data_on_device) p->call.fast_max_n = 0;
  return reserve(p, redhost, error);
}

/* *given: the caller's request, converted to this version's struct. */
static rh_status check_call(const rh_redhost *redhost, const rh_request *request,
                            rh_prepared **prepared, rh_request *given, rh_error *error) {
  if (prepared) *prepared = NULL;
  if (!redhost || !request || !prepared)
    return rh_say_null("rh_prepare", redhost, request, "place for the rh_prepared", error);
  RH_TRY(rh_sized_read(given, request, RH_SIZED(rh_request, n_settings), error));
  if ((given->data_on_device || given->result_on_device) && !redhost->context->options.queue)
    return rh_fail(error, RH_E_USAGE,
                   "rh_request.%s: buffers are reduced in the context of a queue of yours, and "
                   "rh_options.queue is null",
                   given->data_on_device ? "data_on_device" : "result_on_device");
  return rh_settings_check(given->settings, given->n_settings, error);
}

/* ---- The ring ---- */

/* Elements of arrays that are not streamed: few, or if chunks would not do, all that a buffer
 * holds. */
static uint64_t most_whole(const rh_prepared *p, const rh_redhost *redhost) {
  const rh_cl_device *device = p->job.device;
  const rh_operator *op = p->job.spec.operation.op;
  uint64_t most = device->about.max_alloc_bytes, largest = 1;
  uint64_t aligned = most > op->n_operands * 4096u ? most - op->n_operands * 4096u : 0;
  for (uint32_t k = 0; k < op->n_operands; k++)
    if (rh_type_size(op->operands[k].type) > largest) largest = rh_type_size(op->operands[k].type);
  uint64_t held = most ? aligned / rh_operator_element_bytes(op) : p->max_n;
  uint64_t few = redhost->context->most_whole_bytes / largest;
  return !device->shares_memory && rh_arrays_keep_bits(&p->job) && few < held ? few : held;
}

/* Buffers of all sizes may follow in the caller's queue; without it, only arrays, of which the job
 * then gets those that are not streamed.  Both have the strategy that was found for max_n. */
static rh_status make_ring(rh_prepared *p, rh_redhost *redhost, const rh_job_spec *spec,
                           rh_error *error) {
  rh_job_spec own = *spec;
  rh_job found = p->job;
  own.strategy = found.strategy->name;
  own.plugin = found.path;
  own.in_pieces = 0;
  p->most_whole = most_whole(p, redhost);
  RH_TRY(rh_arrays_open(&p->ring, &found, &own, NULL, RH_CHECK_NONE, error));
  /* The caller's pointers are valid during rh_prepare() only. */
  rh_job_spec *chunk = &p->ring->chunk.spec;
  *chunk = (rh_job_spec){.operation = {.op = chunk->operation.op, .n = chunk->operation.n}};
  if (redhost->context->options.queue) return RH_OK;
  own.operation.n = p->most_whole;
  rh_operand_layout(&own, own.offsets);
  rh_status status = rh_job_init(&p->job, redhost->context, &own, error);
  rh_job_finish(&found);
  return status;
}

/* Releases everything but *redhost. */
static void release(rh_prepared *p) {
  rh_arrays_close(&p->ring);
  if (p->segmented) rh_segmented_finish(p->segmented);
  free(p->segmented);
  rh_job_finish(&p->job);
  for (uint32_t k = 0; k < RH_MOST_OPERANDS; k++) rh_cl_input_finish(&p->inputs[k]);
  rh_custom_destroy(p->custom);
  free(p);
}

typedef struct preparation {
  rh_prepared *p;
  const rh_job_spec *spec;
} preparation;

static rh_status attempt(void *of_preparation, int *is_final, rh_error *error) {
  const preparation *t = of_preparation;
  rh_redhost *redhost = t->p->redhost;
  (void)is_final;
  RH_TRY(rh_locate_job(&t->p->job, redhost->context, t->spec, error));
  RH_TRY(rh_accuracy_check_own(&t->p->job, error));
  /* Chunks' values that are rounded once do not add up to one that is. */
  if (!t->p->data_on_device && !t->spec->operation.accuracy &&
      rh_arrays_ring(&t->p->job, redhost->context->most_whole_bytes))
    RH_TRY(make_ring(t->p, redhost, t->spec, error));
  return set_up(t->p, redhost, error);
}

static void undo(void *of_preparation) {
  const preparation *t = of_preparation;
  rh_arrays_close(&t->p->ring);
  rh_job_finish(&t->p->job);
}

static rh_status make_prepared(rh_prepared *p, const rh_job_spec *spec, rh_error *error) {
  preparation t = {p, spec};
  const rh_tries tries = {
      .context = p->redhost->context, .spec = spec, .attempt = attempt, .undo = undo, .user = &t};
  RH_TRY(rh_job_trust(p->redhost->context, spec, error));
  RH_TRY(rh_try_strategies(&tries, error));
  p->redhost->n_prepared++;
  return RH_OK;
}

static void take_wanted(rh_prepared *p, const rh_request *wanted) {
  p->result_on_device = wanted->result_on_device;
  p->data_on_device = wanted->data_on_device || wanted->result_on_device;
  p->max_n = wanted->n;
}

static rh_status prepare_segments(rh_prepared *p, const rh_request *wanted, rh_error *error) {
  RH_TRY(RH_NEW(&p->segmented, 1, "a prepared reduction", error));
  RH_TRY(rh_segmented_prepare(p->segmented, p->redhost, wanted, error));
  rh_call_begin(&p->call, &p->segmented->segments.job, p->inputs);
  p->call.fast_max_n = 0;
  take_wanted(p, wanted);
  p->custom = p->segmented->custom;
  p->segmented->custom = NULL;
  p->job.context = p->redhost->context;
  p->job.device = p->segmented->segments.job.device;
  p->redhost->n_prepared++;
  return RH_OK;
}

/* The operator, its operands, and where their data are. */
static rh_status name_operands(rh_redhost *redhost, rh_prepared *p, const rh_request *wanted,
                               rh_job_spec *spec, rh_error *error) {
  RH_TRY(rh_request_name(wanted, redhost->context, spec, &p->custom, error));
  if (wanted->accuracy) RH_TRY(rh_accuracy_ask(spec, p->custom, error));
  spec->on_device = rh_request_place(wanted, redhost->context);
  rh_operand_layout(spec, spec->offsets);
  take_wanted(p, wanted);
  if (p->data_on_device) return RH_OK;
  spec->in_pieces = !redhost->context->options.queue && !wanted->accuracy;
  if (p->custom && rh_kept_may_ring(redhost, spec)) rh_custom_take_base(p->custom);
  return RH_OK;
}

static rh_status prepare(rh_redhost *redhost, rh_prepared *p, const rh_request *wanted,
                         rh_error *error) {
  rh_job_spec spec;
  p->redhost = redhost;
  if (wanted->segments) return prepare_segments(p, wanted, error);
  RH_TRY(name_operands(redhost, p, wanted, &spec, error));
  return make_prepared(p, &spec, error);
}

rh_status rh_prepare(rh_redhost *redhost, const rh_request *request, rh_prepared **prepared,
                     rh_error *error) {
  RH_OWN_ENVIRONMENT;
  rh_request wanted;
  RH_TRY(check_call(redhost, request, prepared, &wanted, error));
  RH_TRY(rh_redhost_enter(redhost, error));
  rh_prepared *p;
  rh_status status = RH_NEW(&p, 1, "a prepared reduction", error);
  if (status == RH_OK) status = prepare(redhost, p, &wanted, error);
  if (status == RH_OK) *prepared = p;
  else if (p) release(p);
  rh_redhost_leave(redhost);
  return status;
}

void rh_prepared_destroy(rh_prepared *p) {
  RH_OWN_ENVIRONMENT;
  if (!p) return;
  rh_redhost *redhost = p->redhost;
  if (!*redhost->context->opened_here && !rh_prepared_take(p))
    return; /* by a thread that is not here */
  if (*redhost->context->opened_here) rh_prepared_await(p);
  /* called from its own callback, or in a forked process: nothing can be released */
  if (rh_redhost_enter(redhost, NULL) != RH_OK) {
    rh_prepared_leave(p);
    return;
  }
  release(p);
  redhost->n_prepared--;
  rh_redhost_leave(redhost);
}
