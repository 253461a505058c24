#include "partial.h"

/* The operator again. */
static rh_status read_job(rh_job_spec *job, rh_custom **own, const char *text, rh_error *error) {
  rh_error why = {0};
  *job = (rh_job_spec){.strategy = "auto"};
  rh_status status = rh_operation_read(&job->operation, own, text, &why);
  if (*own) rh_custom_take_base(*own);
  if (status == RH_OK && job->operation.accuracy) status = rh_accuracy_ask(job, *own, &why);
  if (status == RH_OK) return RH_OK;
  return rh_fail(error, status == RH_E_NOMEM ? status : RH_E_FILE,
                 "the partial is not one of this redhost: %.800s", why.message);
}

/* The first one says what all are of. */
static rh_status begin(rh_merger *merger, rh_context *context, const char *name,
                       const rh_partial_about *about, rh_error *error) {
  RH_TRY(read_job(&merger->job, &merger->own, about->text, error));
  RH_TRY(rh_by_code_prepare(merger->job.operation.op, context, error));
  snprintf(merger->first, sizeof merger->first, "%s", name);
  RH_TRY(rh_copy(&merger->text, about->text, "the description of a part", error));
  rh_partial_init(&merger->all, &merger->job, UINT64_MAX, merger->job.operation.check);
  return RH_OK;
}

rh_status rh_merger_add(rh_merger *merger, rh_context *context, const char *name, const void *bytes,
                        uint64_t size, rh_error *error) {
  rh_partial_about about;
  rh_error why = {0};
  rh_status status = rh_partial_look(&about, bytes, size, &why);
  if (status == RH_OK && !merger->text) status = begin(merger, context, name, &about, &why);
  else if (status == RH_OK)
    RH_TRY(rh_partial_compare(merger->first, merger->text, name, about.text, error));
  if (status == RH_OK) status = rh_partial_read(&merger->all, bytes, size, &why);
  if (status == RH_OK) return RH_OK;
  return rh_fail(error, status == RH_E_INVALID ? RH_E_FILE : status, "%.200s: %.800s", name,
                 why.message);
}

rh_status rh_merger_conclude(rh_merger *merger, rh_result *result, rh_reference *reference,
                             rh_verdict *verdict, rh_error *error) {
  rh_partial *all = &merger->all;
  rh_error why = {0};
  if (rh_partial_count(all) == 0 && merger->job.operation.op->needs_an_element)
    return rh_fail(error, RH_E_FILE, "%s of no elements is undefined, and no part has any",
                   merger->job.operation.op->name);
  rh_status status = rh_partial_conclude(all, result, reference, verdict, &why);
  merger->job.operation.n = all->whole_n;
  merger->job.strategy = all->strategy;
  if (status == RH_OK && all->check != RH_CHECK_NONE)
    rh_exact_data_settle(verdict, "the data are in parts");
  if (status == RH_OK) return RH_OK;
  return rh_fail(error, status == RH_E_INVALID ? RH_E_FILE : status, "%s", why.message);
}

void rh_merger_finish(rh_merger *merger) {
  rh_partial_finish(&merger->all);
  free(merger->text);
  rh_custom_destroy(merger->own);
  *merger = (rh_merger){0};
}

/* ---- Of ranks ---- */

static rh_status take_partial(void *all, uint32_t rank, const void *bytes, uint64_t n,
                              rh_error *error) {
  rh_error why = {0};
  rh_status status = rh_partial_read(all, bytes, n, &why);
  if (status == RH_OK) return RH_OK;
  return rh_fail(error, RH_E_INVALID, "the values of rank %u: %.800s", rank, why.message);
}

rh_status rh_partial_gather(rh_partial *all, const rh_partial *mine, rh_ranks *ranks,
                            rh_error *error) {
  RH_FREED(void) bytes = NULL;
  uint64_t n;
  RH_TRY(rh_partial_write(mine, NULL, &bytes, &n, error));
  return rh_ranks_gather_any(ranks, bytes, n, take_partial, all, error);
}
