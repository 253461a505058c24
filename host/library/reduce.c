/* rh_reduce(), the library's main function. */
#include "library.h"

static rh_status judge_value(const rh_redhost *redhost, rh_kept_job *kept, const rh_job_spec *spec,
                             const rh_job_part *part, uint64_t depth, rh_reference *reference,
                             rh_result *result, rh_error *error) {
  rh_verdict verdict;
  const rh_job *job = &kept->job;
  const rh_reporter *reporter = &job->context->options.reporter;
  const rh_answered answered = {job->context, job->device, depth, result, NULL};
  RH_TRY(rh_job_judge_on(spec, part, &answered, reference, &verdict, error));
  result->bound = isnan(verdict.bound) ? INFINITY : verdict.bound;
  rh_job *working = rh_kept_working(kept);
  RH_TRY(rh_job_confirm(working, kept->ring ? &working->spec : spec, reporter, &verdict, error));
  rh_warn_unjudged(redhost, job->strategy->name, &verdict);
  if (verdict.verdict != RH_VERDICT_WRONG) return RH_OK;
  rh_context_blame(job->context, job->strategy->name, job->path, spec->operation.op,
                   spec->operation.n);
  return rh_fail(error, RH_E_WRONG, "strategy '%s': wrong result: %s", job->strategy->name,
                 verdict.text);
}

/* Reduces n elements of each operand to *value, on the way that the job takes.  *depth: that of the
 * answer; 0: unknown. */
static rh_status reduce_to(rh_redhost *redhost, rh_kept_job *kept, const void *const *operands,
                           uint64_t n, void *value, uint64_t *depth, rh_error *error) {
  rh_data data;
  if (kept->ring) return rh_arrays_reduce(kept->ring, operands, n, value, depth, error);
  *depth = kept->job.answer.depth;
  RH_TRY(rh_operands_bring(&kept->job, redhost->kept.inputs, operands, n, &data, error));
  return rh_instance_call(kept->job.instance, &data, n, value, error);
}

/* Computes the exact answer before the strategy runs: one that writes to its input must not
 * change its own reference. */
static rh_status reduce_checked(rh_redhost *redhost, const rh_request *request, rh_kept_job *kept,
                                const void *const *operands, rh_result *result, rh_error *error) {
  _Alignas(16) unsigned char value[RH_MOST_VALUE_BYTES];
  const rh_job_part all = {operands, 0, request->n, request->n, 0, 1};
  rh_job_spec spec = kept->job.spec;
  rh_reference reference;
  rh_result own;
  uint64_t depth;
  spec.operation.n = request->n;
  rh_operand_layout(&spec, spec.offsets);
  if (request->accuracy) RH_TRY(rh_accuracy_ask(&spec, kept->custom, error));
  if (!request->unchecked)
    RH_TRY(
        rh_job_reference_of(&spec, &all, &redhost->context->options.reporter, &reference, error));
  RH_TRY(reduce_to(redhost, kept, operands, request->n, value, &depth, error));
  rh_job_result(&spec, kept->job.strategy->name, value, &own);
  rh_status status = RH_OK;
  if (!request->unchecked)
    status = judge_value(redhost, kept, &spec, &all, depth, &reference, &own, error);
  if (!request->unchecked && status == RH_OK) rh_accuracy_take(&spec, &reference, &own);
  if (status == RH_OK || status == RH_E_WRONG)
    rh_sized_write(result, &own, RH_SIZED(rh_result, strategy));
  return status;
}

typedef struct request_of {
  rh_redhost *redhost;
  const rh_request *request;
  rh_result *result;
} request_of;

static rh_status reduce(void *of_request, rh_kept_job *kept, rh_error *error) {
  const request_of *r = of_request;
  const rh_request *request = r->request;
  const void *operands[RH_MOST_OPERANDS];
  rh_request_data(request, operands);
  if (kept->segmented)
    return rh_segmented_reduce(kept->segmented, operands, !request->unchecked, request->outputs,
                               request->n_outputs, r->result, error);
  if (request->unchecked && !kept->ring)
    return rh_call_arrays(&kept->call, operands, request->n, r->result, error);
  return reduce_checked(r->redhost, request, kept, operands, r->result, error);
}

static rh_status run_again(const rh_call *call, const void *const *operands, uint64_t n,
                           rh_result *result) {
  RH_OWN_ENVIRONMENT;
  return rh_call_arrays(call, operands, n, result, NULL);
}

/* Does what a prepared call does, where the request is one that was made before and a strategy of
 * the host serves it; not RH_OK: it is none, or failed, and takes the long way. */
static rh_status reduce_again(rh_redhost *redhost, const rh_request *request, rh_result *result) {
  const void *operands[RH_MOST_OPERANDS], *from;
  int is_plain = /* as far as rh_request_asks_same() does not look */
      request->unchecked && !request->accuracy && !request->data_on_device &&
      !request->result_on_device && !(request->inputs && request->data) && !request->outputs &&
      !request->segments;
  rh_kept_job *kept = is_plain ? rh_kept_same(redhost, request) : NULL;
  if (!kept || !kept->call.instance || kept->job.device || request->n == 0) return RH_DECLINED;
  rh_request_data(request, operands);
  if (!(from = rh_call_host_input(&kept->call, operands))) return RH_DECLINED;
  if (rh_call_is_fast(&kept->call, request->n, result))
    return rh_call_fast(&kept->call, from, request->n, result, NULL);
  /* Such an operator counts from a number that differs from call to call. */
  if (kept->job.spec.operation.op->has_base) return RH_DECLINED;
  return run_again(&kept->call, operands, request->n, result);
}

static rh_status reduce_by_any(rh_redhost *redhost, const rh_request *request, rh_result *result,
                               rh_error *error) {
  RH_OWN_ENVIRONMENT;
  request_of r = {redhost, request, result};
  return rh_kept_call(redhost, request, request->n, 0, reduce, &r, error);
}

/* Also returns a wrong answer in *result. */
rh_status rh_reduce(rh_redhost *redhost, const rh_request *request, rh_result *result,
                    rh_error *error) {
  RH_OWN_ENVIRONMENT_QUICK;
  rh_request given;
  if (!redhost || !request || !result)
    return rh_say_null("rh_reduce", redhost, request, "place for the result", error);
  if (request->struct_size != sizeof given) {
    RH_TRY(rh_sized_read(&given, request, RH_SIZED(rh_request, n_settings), error));
    request = &given;
  }
  RH_TRY(rh_sized_check(result, RH_SIZED(rh_result, strategy), error));
  RH_TRY(rh_redhost_enter(redhost, error));
  rh_status status = reduce_again(redhost, request, result);
  if (status != RH_OK) status = reduce_by_any(redhost, request, result, error);
  rh_redhost_leave(redhost);
  return status;
}

double rh_result_number(const rh_result *result) {
  return result ? rh_word_number(result->type, &result->value) : 0;
}
