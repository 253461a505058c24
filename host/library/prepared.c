/* rh_prepare() and rh_prepared_destroy(): a persistent instance, and what brings data to it. */
#include "library.h"

#include "../choose/choose.h"

/* Where the data of calls on the host go that are not streamed. */
static rh_status reserve(rh_prepared *p, rh_error *error) {
  uint64_t most = p->ring ? p->call.most_whole : p->max_n;
  if (!p->job.device || p->job.device->shares_memory || p->data_on_device) return RH_OK;
  rh_status status = RH_OK;
  for (uint32_t k = 0; k < p->call.n_operands && status == RH_OK; k++)
    status = rh_cl_input_reserve(&p->inputs[k], p->job.instance_spec.session, most,
                                 p->call.sizes[k], error);
  p->redhost->context->device_failed |= status != RH_OK;
  return status;
}

static rh_status set_up(rh_prepared *p, rh_error *error) {
  RH_TRY(rh_job_check_place(&p->job, error));
  RH_TRY(rh_job_instantiate(&p->job, error));
  RH_TRY(rh_job_check_place(&p->job, error)); /* tuned parameters may have been dropped */
  RH_TRY(rh_job_self_test(&p->job, error));
  RH_TRY(rh_job_check_order(&p->job, error));
  uint64_t most_whole = rh_arrays_most_whole(&p->job, p->redhost->context->most_whole_bytes);
  /* The caller's pointers are valid during rh_prepare() only. */
  p->job.spec = (rh_job_spec){.operation = {.op = p->asked.operation.op, .n = p->max_n}};
  rh_call_begin(&p->call, &p->job, p->inputs);
  p->call.ring = p->ring;
  p->call.stream = rh_arrays_reduce;
  p->call.most_whole = most_whole;
  if (p->data_on_device) p->call.fast_max_n = 0;
  return reserve(p, error);
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

/* Buffers of all sizes may follow in the caller's queue; without it, only arrays, of which the job
 * then gets those that are not streamed.  Both have the strategy that was found for max_n. */
static rh_status make_ring(rh_prepared *p, rh_error *error) {
  rh_context *context = p->redhost->context;
  rh_job_spec own = p->asked;
  rh_job found = p->job;
  own.strategy = found.strategy->name;
  own.plugin = found.path;
  own.in_pieces = 0;
  RH_TRY(rh_arrays_open(&p->ring, &found, &own, NULL, RH_CHECK_NONE, error));
  /* The caller's pointers are valid during rh_prepare() only. */
  rh_job_spec *chunk = &p->ring->chunk.spec;
  *chunk = (rh_job_spec){.operation = {.op = chunk->operation.op, .n = chunk->operation.n}};
  if (context->options.queue) return RH_OK;
  own.operation.n = rh_arrays_most_whole(&found, context->most_whole_bytes);
  rh_operand_layout(&own, own.offsets);
  rh_status status = rh_job_init(&p->job, context, &own, error);
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

static rh_status set_up_segments(rh_prepared *p, int *is_final, rh_error *error) {
  rh_segments *segments = &p->segmented->segments;
  RH_TRY(rh_segmented_set_up(p->segmented, p->redhost->context, is_final, error));
  RH_TRY(rh_accuracy_check_own(&segments->job, error));
  RH_TRY(rh_segments_self_test(segments, error));
  /* The caller's lists are valid during rh_prepare() only. */
  p->asked.n_settings = segments->spec.n_settings = segments->job.spec.n_settings = 0;
  rh_call_begin(&p->call, &segments->job, p->inputs);
  p->call.fast_max_n = 0;
  p->job.context = p->redhost->context;
  p->job.device = segments->job.device;
  return RH_OK;
}

static rh_status attempt(void *of_prepared, int *is_final, rh_error *error) {
  rh_prepared *p = of_prepared;
  rh_context *context = p->redhost->context;
  if (p->segmented) return set_up_segments(p, is_final, error);
  RH_TRY(rh_locate_job(&p->job, context, &p->asked, error));
  RH_TRY(rh_accuracy_check_own(&p->job, error));
  /* Chunks' values that are rounded once do not add up to one that is. */
  if (!p->data_on_device && !p->asked.operation.accuracy &&
      rh_arrays_ring(&p->job, context->most_whole_bytes))
    RH_TRY(make_ring(p, error));
  return set_up(p, error);
}

static void undo(void *of_prepared) {
  rh_prepared *p = of_prepared;
  if (p->segmented) rh_segmented_undo(p->segmented);
  rh_arrays_close(&p->ring);
  rh_job_finish(&p->job);
}

/* The operator, its operands, and where their data are. */
static rh_status name(rh_redhost *redhost, rh_prepared *p, const rh_request *wanted,
                      rh_error *error) {
  rh_job_spec *spec = &p->asked;
  p->result_on_device = wanted->result_on_device;
  p->data_on_device = wanted->data_on_device || wanted->result_on_device;
  p->max_n = wanted->n;
  RH_TRY(rh_request_name(wanted, redhost->context, spec, &p->custom, error));
  rh_operand_layout(spec, spec->offsets);
  /* With the caller's queue, its buffers may follow as well as arrays. */
  spec->on_device = p->result_on_device               ? RH_JOB_RESULT_ON_DEVICE
                    : p->data_on_device               ? RH_JOB_DATA_ON_DEVICE
                    : redhost->context->options.queue ? RH_JOB_IN_PLACE
                                                      : RH_JOB_ON_HOST;
  if (wanted->segments) {
    if (wanted->outputs || wanted->n_outputs)
      return rh_fail(error, RH_E_USAGE,
                     "rh_request.outputs: each prepared call brings its own, in rh_call_spec");
    RH_TRY(RH_NEW(&p->segmented, 1, "a prepared reduction", error));
    return rh_segmented_name(p->segmented, spec, wanted, p->custom, UINT64_MAX, error);
  }
  if (wanted->accuracy) RH_TRY(rh_accuracy_ask(spec, p->custom, error));
  if (p->data_on_device) return RH_OK;
  spec->in_pieces = !redhost->context->options.queue && !wanted->accuracy;
  if (p->custom && rh_kept_may_ring(redhost, spec)) rh_custom_take_base(p->custom);
  return RH_OK;
}

static rh_status prepare(rh_redhost *redhost, rh_prepared *p, const rh_request *wanted,
                         rh_error *error) {
  const rh_tries tries = {
      .context = redhost->context, .spec = &p->asked, .attempt = attempt, .undo = undo, .user = p};
  p->redhost = redhost;
  RH_TRY(name(redhost, p, wanted, error));
  RH_TRY(rh_job_trust(redhost->context, &p->asked, error));
  RH_TRY(rh_try_strategies(&tries, error));
  redhost->n_prepared++;
  return RH_OK;
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
