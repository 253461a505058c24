/* Parts of a reduction, as bytes of the caller's. */
#include "library.h"

/* ---- What is asked for ---- */

rh_status rh_part_request_read(rh_part_request *asked, rh_redhost *redhost,
                               const rh_request *request, rh_error *error) {
  RH_TRY(rh_sized_read(&asked->request, request, RH_SIZED(rh_request, n_settings), error));
  RH_TRY(rh_redhost_enter(redhost, error));
  rh_status status =
      rh_request_name(&asked->request, redhost->context, &asked->job, &asked->own, error);
  rh_redhost_leave(redhost);
  RH_TRY(status);
  if (asked->own) rh_custom_take_base(asked->own);
  rh_request_data(&asked->request, asked->data);
  RH_TRY(rh_request_check(&asked->request, &asked->job, asked->data, error));
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

void rh_part_free(void *part) { free(part); }

/* ---- One part ---- */

typedef struct part {
  rh_redhost *redhost;
  rh_part_request asked;
  uint64_t first, whole_n;
  rh_partial partial;
  char *text;
} part;

static rh_status describe(part *p, const rh_strategy *strategy, rh_error *error) {
  const rh_request *request = &p->asked.request;
  const rh_partial_strategy by = {.is_auto =
                                      !request->strategy || strcmp(request->strategy, "auto") == 0,
                                  .name = strategy->name,
                                  .promises = strategy->promises,
                                  .settings = request->settings,
                                  .n_settings = request->n_settings};
  return rh_partial_describe(&p->text, &p->asked.job, &by, NULL, error);
}

static rh_status reduce_part(void *of_part, rh_kept_job *kept, rh_error *error) {
  part *p = of_part;
  rh_source source;
  rh_source_of_arrays(&source, p->asked.job.operation.op, p->asked.data, p->first, p->whole_n);
  free(p->text);
  p->text = NULL;
  rh_partial_finish(&p->partial);
  rh_partial_init(&p->partial, &p->asked.job, p->whole_n, p->asked.job.operation.check);
  RH_TRY(describe(p, rh_kept_working(kept)->strategy, error));
  return rh_kept_reduce_part(p->redhost, kept, &source, p->first, p->asked.request.n, &p->partial,
                             error);
}

static rh_status reduce(part *p, const rh_request *request, rh_error *error) {
  RH_TRY(rh_part_request_read(&p->asked, p->redhost, request, error));
  if (p->asked.request.segments)
    return rh_fail(error, RH_E_USAGE, "rh_request.segments: parts of segments are not written");
  uint64_t n = p->asked.request.n;
  RH_TRY(rh_partial_check_part(&p->asked.job, p->first, n, &p->whole_n, error));
  return rh_part_request_call(&p->asked, p->redhost, n ? rh_kept_chunk(&p->asked.job, n) : 1,
                              reduce_part, p, error);
}

rh_status rh_reduce_part(rh_redhost *redhost, const rh_request *request, uint64_t first,
                         uint64_t whole_n, void **part_of, uint64_t *bytes, rh_error *error) {
  RH_OWN_ENVIRONMENT;
  part p = {.redhost = redhost, .first = first, .whole_n = whole_n ? whole_n : UINT64_MAX};
  if (!redhost || !request || !part_of || !bytes)
    return rh_say_null("rh_reduce_part", redhost, request, "place for the part", error);
  rh_status status = reduce(&p, request, error);
  if (status == RH_OK) status = rh_partial_write(&p.partial, p.text, part_of, bytes, error);
  rh_partial_finish(&p.partial);
  free(p.text);
  rh_custom_destroy(p.asked.own);
  return status;
}

/* ---- Several ---- */

/* Locked, because an operator in OpenCL C combines and judges values on the device. */
static rh_status merge(const rh_redhost *redhost, rh_merger *merger, const void *const *parts,
                       const uint64_t *bytes, uint64_t n_parts, rh_error *error) {
  if (n_parts == 0) return rh_fail(error, RH_E_USAGE, "there are no parts to merge");
  for (uint64_t k = 0; k < n_parts; k++) {
    char name[40];
    snprintf(name, sizeof name, "part %llu", (unsigned long long)k);
    if (!parts[k]) return rh_fail(error, RH_E_USAGE, "%s is null", name);
    RH_TRY(rh_merger_add(merger, redhost->context, name, parts[k], bytes[k], error));
  }
  return RH_OK;
}

rh_status rh_merge_parts(rh_redhost *redhost, const void *const *parts, const uint64_t *bytes,
                         uint64_t n_parts, void **merged, uint64_t *merged_bytes, rh_error *error) {
  RH_OWN_ENVIRONMENT;
  if (!redhost || !parts || !bytes || !merged || !merged_bytes)
    return rh_fail(error, RH_E_USAGE, "rh_merge_parts: an argument is null");
  RH_FINISHED(rh_merger) merger = {0};
  RH_TRY(rh_redhost_enter(redhost, error));
  rh_status status = merge(redhost, &merger, parts, bytes, n_parts, error);
  rh_redhost_leave(redhost);
  RH_TRY(status);
  return rh_partial_write(&merger.all, merger.text, merged, merged_bytes, error);
}

/* ---- The answer ---- */

rh_status rh_part_result(rh_redhost *redhost, const void *part_of, uint64_t bytes,
                         rh_result *result, rh_error *error) {
  RH_OWN_ENVIRONMENT;
  if (!redhost || !part_of || !result)
    return rh_fail(error, RH_E_USAGE, "rh_part_result: an argument is null");
  RH_TRY(rh_sized_check(result, RH_SIZED(rh_result, strategy), error));
  RH_FINISHED(rh_merger) merger = {0};
  rh_result own = {0};
  rh_reference reference;
  rh_verdict verdict;
  RH_TRY(rh_redhost_enter(redhost, error));
  rh_status status = merge(redhost, &merger, &part_of, &bytes, 1, error);
  if (status == RH_OK) status = rh_merger_conclude(&merger, &own, &reference, &verdict, error);
  rh_redhost_leave(redhost);
  RH_TRY(status);
  rh_warn_unjudged(redhost, merger.all.strategy, &verdict);
  rh_sized_write(result, &own, RH_SIZED(rh_result, strategy));
  return RH_OK;
}
