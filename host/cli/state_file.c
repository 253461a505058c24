#include "state_file.h"
#include "../core/base/error.h"
#include "../core/base/vocabulary.h"
#include "partial_output.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The elements are in no place of a whole, so two states, or one and a partial that has places, do
 * not go together by chance. */
static rh_status describe(rh_state_file *self, rh_error *error) {
  const rh_partial_strategy any = {.is_auto = 1, .name = ""};
  json_t *more = json_pack("{s:{}, s:s}", "source", "state", "redhost.exact-state/1");
  return rh_partial_describe(&self->text, &self->job, &any, more, error);
}

static rh_status read_file(rh_state_file *self, const char *path, const rh_text *bytes,
                           rh_error *error) {
  rh_partial_about about;
  rh_error why = {0};
  rh_status status = rh_partial_look(&about, rh_text_get(bytes), bytes->length, &why);
  if (status == RH_OK) RH_TRY(rh_partial_compare(path, about.text, "this run", self->text, error));
  if (status == RH_OK)
    status = rh_partial_read(&self->sum, rh_text_get(bytes), bytes->length, 0, &why);
  if (status == RH_OK) return RH_OK;
  return rh_fail(error, status, "--state %.200s: %.800s", path, why.message);
}

rh_status rh_state_file_open(rh_state_file *self, const rh_app *app, const rh_job_spec *asked,
                             rh_error *error) {
  const char *path = app->typed->state;
  const rh_operator *op = asked->operation.op;
  rh_text bytes = {0};
  if (!path) return RH_OK;
  if (!op->divides && !rh_op_rounds(op->base, op->type))
    return rh_fail(
        error, RH_DECLINED,
        "--state keeps exact sums, and '%s' of %s is none; --partial and --merge are for "
        "any operator",
        op->name, rh_type_name(op->operands[0].type));
  self->job = *asked;
  RH_TRY(describe(self, error));
  rh_partial_init(&self->sum, &self->job, UINT64_MAX, RH_CHECK_FULL);
  if (*path && access(path, F_OK) != 0) return RH_OK; /* it begins here */
  rh_status status = rh_partial_load(path, &bytes, error);
  if (status == RH_OK) status = read_file(self, path, &bytes, error);
  rh_text_finish(&bytes);
  return status;
}

rh_status rh_state_file_add(rh_state_file *self, rh_run_report *report, const rh_typed *typed,
                            rh_error *error) {
  rh_partial *sum = &self->sum;
  rh_verdict verdict;
  void *bytes;
  uint64_t size;
  if (!typed->state || report->verdict.verdict == RH_VERDICT_WRONG) return RH_OK;
  rh_reference_add(&sum->facts, &report->reference);
  sum->chunks++;
  sum->checked++;
  memcpy(sum->strategy, report->result.strategy, sizeof sum->strategy);
  RH_TRY(rh_partial_write(sum, self->text, &bytes, &size, error));
  rh_status status = rh_partial_conclude(sum, &report->result, &report->reference, &verdict, error);
  if (status == RH_OK) status = rh_partial_save(typed->state, bytes, size, error);
  free(bytes);
  report->has_state = status == RH_OK;
  report->state_n = sum->facts.n;
  return status;
}

void rh_state_file_finish(rh_state_file *self) {
  rh_partial_finish(&self->sum);
  free(self->text);
}
