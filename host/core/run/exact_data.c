#include "run.h"

static rh_status fill(rh_exact_data *exact, const rh_operator *op, const char *kind,
                      const rh_reporter *reporter, rh_error *error) {
  rh_array *array = &exact->array;
  if (!kind) kind = op->base == RH_OP_prod ? "units" : "hash";
  RH_TRY(rh_array_fill(array, kind, 1, reporter, error));
  return rh_reference_of_array(&exact->reference, op, rh_array_data(array), array->n, 0, reporter,
                               error);
}

rh_status rh_exact_data_make(rh_exact_data *exact, const rh_operator *op, uint64_t n,
                             const char *kind, int shared, const rh_reporter *reporter,
                             rh_error *error) {
  *exact = (rh_exact_data){0};
  rh_status status = rh_array_reserve(&exact->array, op->type, n, shared, error);
  if (status == RH_OK) status = fill(exact, op, kind, reporter, error);
  if (status != RH_OK) rh_exact_data_finish(exact);
  return status;
}

rh_status rh_exact_data_overwrite(rh_exact_data *exact, const rh_array *array,
                                  const rh_operator *op, const rh_reporter *reporter,
                                  rh_error *error) {
  *exact = (rh_exact_data){.array = *array};
  return fill(exact, op, NULL, reporter, error);
}

void rh_exact_data_finish(rh_exact_data *exact) { rh_array_finish(&exact->array); }

int rh_exact_data_agrees(const rh_exact_data *exact, const rh_result *result) {
  rh_verdict verdict;
  if (!rh_type_is_float(result->type) || exact->reference.exact) {
    rh_reference_judge(&exact->reference, result, 0, 0, &verdict);
    return verdict.verdict == RH_VERDICT_OK;
  }
  return result->type == exact->reference.result.type &&
         result->value.f == exact->reference.result.value.f;
}

void rh_exact_data_add(const rh_exact_data *exact, const rh_result *result, rh_verdict *verdict) {
  if (rh_exact_data_agrees(exact, result)) {
    verdict->exact_data = RH_EXACT_DATA_OK;
    snprintf(verdict->exact_text, sizeof verdict->exact_text, "exact data at this n: ok");
    return;
  }
  verdict->exact_data = RH_EXACT_DATA_WRONG;
  verdict->verdict = RH_VERDICT_WRONG;
  snprintf(verdict->text, sizeof verdict->text, "exact data at this n: %.17g instead of %.17g",
           result->value.f, exact->reference.result.value.f);
}

void rh_exact_data_settle(rh_verdict *verdict, const char *why) {
  if (!rh_exact_data_is_needed(verdict)) return;
  verdict->exact_data = RH_EXACT_DATA_NOT_TRIED;
  if (verdict->verdict == RH_VERDICT_OK) verdict->verdict = RH_VERDICT_UNJUDGED;
  snprintf(verdict->exact_text, sizeof verdict->exact_text,
           "exact data at this n: not tried: %.200s", why);
}

const char *rh_verdict_why(const rh_verdict *verdict, char text[512]) {
  int is_open = verdict->exact_data == RH_EXACT_DATA_NOT_TRIED;
  snprintf(text, 512, "%s%s", is_open ? "its bound allows much; " : "",
           is_open ? verdict->exact_text : verdict->text);
  return text;
}

int rh_exact_data_is_too_much(rh_status status) {
  return status == RH_E_NOMEM || status == RH_E_DEVICE;
}

rh_status rh_job_confirm(rh_job *job, const rh_job_spec *spec, const rh_reporter *reporter,
                         rh_verdict *verdict, rh_error *error) {
  RH_FINISHED(rh_exact_data) exact = {0};
  rh_result result;
  rh_error why = {0};
  if (spec->operation.op->is_custom)
    rh_exact_data_settle(verdict, "none are known for operators of one's own");
  if (!rh_exact_data_is_needed(verdict)) return RH_OK;
  rh_status status =
      rh_exact_data_make(&exact, spec->operation.op, spec->operation.n, NULL, 0, reporter, &why);
  /* The user's data stay on the device; if it has no room for both, these are not tried. */
  if (status == RH_OK) status = rh_job_reduce(job, spec, &exact.array, &result, &why);
  if (status == RH_OK) rh_exact_data_add(&exact, &result, verdict);
  if (!rh_exact_data_is_too_much(status)) return rh_error_pass(error, status, &why);
  rh_exact_data_settle(verdict, why.message);
  return RH_OK;
}
