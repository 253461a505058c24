#include "library.h"

static rh_status check(rh_part_request *asked, rh_error *error) {
  rh_request_data(&asked->request, asked->data);
  return rh_request_check(&asked->request, &asked->job, asked->data, error);
}

rh_status rh_part_request_read(rh_part_request *asked, rh_redhost *redhost,
                               const rh_request *request, rh_error *error) {
  RH_TRY(rh_sized_read(&asked->request, request, RH_SIZED(rh_request, n_settings), error));
  RH_TRY(rh_redhost_enter(redhost, error));
  rh_status status =
      rh_request_name(&asked->request, redhost->context, &asked->job, &asked->own, error);
  rh_redhost_leave(redhost);
  RH_TRY(status);
  if (asked->own) rh_custom_take_base(asked->own);
  RH_TRY(check(asked, error));
  if (asked->request.accuracy) RH_TRY(rh_accuracy_ask(&asked->job, asked->own, error));
  RH_TRY(rh_redhost_enter(redhost, error));
  status = rh_by_code_prepare(asked->job.operation.op, redhost->context, error);
  rh_redhost_leave(redhost);
  return status;
}

rh_status rh_part_request_call(const rh_part_request *asked, rh_redhost *redhost, uint64_t most,
                               rh_kept_use *use, void *user, rh_error *error) {
  rh_job_spec spec = asked->job;
  spec.operation.n = asked->request.n;
  uint64_t n = rh_kept_may_ring(redhost, &spec) ? asked->request.n : most;
  RH_TRY(rh_redhost_enter(redhost, error));
  rh_status status = rh_kept_call(redhost, &asked->request, n, 1, use, user, error);
  rh_redhost_leave(redhost);
  return status;
}
