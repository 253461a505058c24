/* rh_reduce(): the library's one verb. */
#include "../base/error.h"
#include "../base/vocabulary.h"
#include "job.h"

#include <unistd.h>

static rh_status check_request(const rh_request *request, uint32_t op, rh_error *error) {
  uint32_t size = rh_type_size(request->type);
  if (request->n > UINT64_MAX / size)
    return rh_fail(error, RH_E_USAGE, "%llu elements of %s are past 2^64 bytes",
                   (unsigned long long)request->n, rh_type_name(request->type));
  if (request->n > 0 && (!request->data || (uintptr_t)request->data % size != 0))
    return rh_fail(error, RH_E_USAGE, "the data is null or not aligned to its elements");
  if (request->n == 0 && rh_op_needs_an_element(op))
    return rh_fail(error, RH_E_USAGE, "%s of 0 elements does not exist", request->op);
  return RH_OK;
}

static rh_status judge(const rh_job *job, const rh_reference *reference, const rh_result *result,
                       rh_error *error) {
  rh_verdict verdict;
  rh_job_judge(&job->spec, job->device, job->answer.depth, reference, result, &verdict);
  if (verdict.verdict != RH_VERDICT_WRONG) return RH_OK;
  rh_redhost_blame(job->redhost, job->strategy->name, job->path, job->spec.op, job->spec.type,
                   job->spec.n);
  return rh_fail(error, RH_E_WRONG, "strategy '%s': wrong result: %s", job->strategy->name,
                 verdict.text);
}

rh_status rh_reduce(rh_redhost *redhost, const rh_request *request, rh_result *result,
                    rh_error *error) {
  rh_job job = {0};
  rh_reference reference;
  rh_job_spec spec = {
      .strategy = request->strategy,
      .n = request->n,
      .settings = request->settings,
      .n_settings = request->n_settings,
      .what = "the data",
  };
  RH_TRY(rh_job_name(&spec, request->op, request->type, error));
  RH_TRY(check_request(request, spec.op, error));
  /* The page that the data starts on is mapped too, so a buffer may begin there. */
  uint64_t offset = (uintptr_t)request->data % (uintptr_t)sysconf(_SC_PAGESIZE);
  rh_status status = rh_job_init(&job, redhost, &spec, error);
  if (status == RH_OK) status = rh_job_setup(&job, (char *)request->data - offset, offset, error);
  if (status == RH_OK && !request->unchecked)
    status = rh_job_refer(&spec, request->data, &redhost->options.reporter, &reference, error);
  if (status == RH_OK) status = rh_job_run(&job, result, error);
  if (status == RH_OK && !request->unchecked) status = judge(&job, &reference, result, error);
  rh_job_finish(&job);
  return status;
}
