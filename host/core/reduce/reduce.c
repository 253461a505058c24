/* rh_reduce(), the library's main function. */
#include "../base/error.h"
#include "../base/log.h"
#include "../base/vocabulary.h"
#include "exact_data.h"
#include "kept.h"

static rh_status check_request(const rh_request *request, uint32_t op, rh_error *error) {
  uint32_t size = rh_type_size(request->type);
  RH_TRY(rh_settings_check(request->settings, request->n_settings, error));
  if (request->reserved)
    return rh_fail(error, RH_E_USAGE, "rh_request.reserved is %u and must be 0", request->reserved);
  if (request->n > UINT64_MAX / size)
    return rh_fail(error, RH_E_USAGE, "%llu elements of %s exceed 2^64 bytes",
                   (unsigned long long)request->n, rh_type_name(request->type));
  if (request->n > 0 && (!request->data || (uintptr_t)request->data % size != 0))
    return rh_fail(error, RH_E_USAGE, "the data is null or not aligned to its elements");
  if (request->n == 0 && rh_op_needs_an_element(op))
    return rh_fail(error, RH_E_USAGE, "%s of an empty array is undefined", request->op);
  return RH_OK;
}

static rh_status judge_value(rh_job *job, const rh_job_spec *spec, const rh_reference *reference,
                             const rh_result *result, rh_error *error) {
  rh_verdict verdict;
  const rh_reporter *reporter = &job->redhost->options.reporter;
  rh_job_judge(spec, job->device, job->answer.depth, reference, result, &verdict);
  RH_TRY(rh_job_confirm(job, spec, reporter, &verdict, error));
  if (verdict.verdict == RH_VERDICT_UNJUDGED)
    rh_log(reporter, RH_LOG_WARNING, "strategy '%s': the result is not judged: %s",
           job->strategy->name, verdict.text);
  if (verdict.verdict != RH_VERDICT_WRONG) return RH_OK;
  rh_redhost_blame(job->redhost, job->strategy->name, job->path, spec->op, spec->type, spec->n);
  return rh_fail(error, RH_E_WRONG, "strategy '%s': wrong result: %s", job->strategy->name,
                 verdict.text);
}

/* Computes the exact answer before the strategy runs: one that writes to its input must not
 * change its own reference. */
static rh_status run(rh_redhost *redhost, rh_kept_job *kept, const rh_job_spec *spec,
                     const rh_request *request, rh_result *result, rh_error *error) {
  _Alignas(16) unsigned char value[RH_MOST_VALUE_BYTES];
  rh_reference reference;
  rh_data data;
  if (!request->unchecked)
    RH_TRY(rh_job_reference(spec, request->data, &redhost->options.reporter, &reference, error));
  RH_TRY(rh_kept_place(redhost, kept, request->data, spec->n, &data, error));
  RH_TRY(rh_instance_call(kept->job.instance, &data, spec->n, value, error));
  rh_job_result(spec, kept->job.strategy->name, value, result);
  return request->unchecked ? RH_OK : judge_value(&kept->job, spec, &reference, result, error);
}

static rh_status reduce(rh_redhost *redhost, const rh_request *request, rh_result *result,
                        rh_error *error) {
  rh_job_spec spec = {
      .strategy = request->strategy,
      .n = request->n,
      .settings = request->settings,
      .n_settings = request->n_settings,
      .what = "the data",
  };
  rh_kept_job *kept;
  RH_TRY(rh_job_name(&spec, request->op, request->type, error));
  RH_TRY(check_request(request, spec.op, error));
  RH_TRY(rh_redhost_enter(redhost, error));
  rh_status status = rh_kept_get(redhost, &spec, &kept, error);
  if (status == RH_OK) {
    status = run(redhost, kept, &spec, request, result, error);
    rh_kept_release(redhost, kept, status);
  }
  rh_redhost_leave(redhost);
  return status;
}

/* Also returns a wrong answer in *result. */
rh_status rh_reduce(rh_redhost *redhost, const rh_request *request, rh_result *result,
                    rh_error *error) {
  rh_request given;
  rh_result own;
  if (!redhost || !request || !result)
    return rh_fail(error, RH_E_USAGE, "rh_reduce: the %s is null",
                   !redhost   ? "rh_redhost"
                   : !request ? "request"
                              : "place for the result");
  RH_TRY(rh_sized_read(&given, request, RH_SIZED(rh_request, n_settings), error));
  RH_TRY(rh_sized_check(result, RH_SIZED(rh_result, strategy), error));
  rh_status status = reduce(redhost, &given, &own, error);
  if (status == RH_OK || status == RH_E_WRONG)
    rh_sized_write(result, &own, RH_SIZED(rh_result, strategy));
  return status;
}
