#include "request.h"
#include "../base/error.h"
#include "../base/vocabulary.h"
#include "asked.h"
#include "operand_data.h"

#include <stdlib.h>
#include <string.h>

rh_status rh_request_name(const rh_request *request, rh_context *context, rh_job_spec *spec,
                          rh_custom **made, rh_error *error) {
  *spec = (rh_job_spec){
      .strategy = request->strategy,
      .n = request->n,
      .settings = request->settings,
      .n_settings = request->n_settings,
      .unchecked_op = request->unchecked_op,
      .what = "the data",
  };
  return rh_asked_name(request, context, spec, made, error);
}

void rh_request_data(const rh_request *request, const void *data[RH_MOST_OPERANDS]) {
  data[0] = request->data;
  for (uint64_t k = 0; request->inputs && k < request->n_inputs; k++)
    data[k] = request->inputs[k].data;
}

static rh_status check_operand(const rh_job_spec *spec, uint32_t k, const void *data, uint64_t n,
                               rh_error *error) {
  uint32_t size = rh_type_size(spec->op->operands[k].type);
  if (n > UINT64_MAX / size) return rh_operand_check_extent(data, size, n, error);
  if (n == 0) return RH_OK;
  RH_TRY(rh_operand_check_address(data, size, k, spec->op->n_operands, error));
  return rh_operand_check_extent(data, size, n, error);
}

rh_status rh_request_check(const rh_request *request, const rh_job_spec *spec,
                           const void *const *data, rh_error *error) {
  RH_TRY(rh_settings_check(request->settings, request->n_settings, error));
  if (request->data_on_device || request->result_on_device)
    return rh_fail(error, RH_E_USAGE,
                   "rh_request.%s: only rh_prepare() takes it; data of other calls are arrays",
                   request->data_on_device ? "data_on_device" : "result_on_device");
  if (request->accuracy > RH_ACCURACY_EXACT)
    return rh_fail(error, RH_E_USAGE, "rh_request.accuracy is %u: expected 0 or RH_ACCURACY_EXACT",
                   request->accuracy);
  if (request->accuracy && request->unchecked)
    return rh_fail(error, RH_E_USAGE,
                   "rh_request.accuracy and rh_request.unchecked are mutually exclusive: the exact "
                   "answer is computed for the check");
  if (request->inputs && request->data)
    return rh_fail(error, RH_E_USAGE,
                   "rh_request.data and rh_request.inputs are mutually exclusive");
  for (uint32_t k = 0; k < spec->op->n_operands; k++)
    RH_TRY(check_operand(spec, k, data[k], request->n, error));
  return RH_OK;
}

/* ---- The same again ---- */

static rh_status copy_text(const char **to, const char *from, rh_error *error) {
  *to = from ? strdup(from) : NULL;
  return *to || !from ? RH_OK : rh_fail(error, RH_E_NOMEM, "no memory for a request");
}

static rh_status copy_lists(rh_request *to, const rh_request *from, rh_error *error) {
  rh_setting *settings = calloc(from->n_settings + 1, sizeof *settings);
  rh_input *inputs = from->inputs ? calloc(from->n_inputs + 1, sizeof *inputs) : NULL;
  rh_constant *constants = calloc(from->n_constants + 1, sizeof *constants);
  to->settings = settings;
  to->inputs = inputs;
  to->constants = constants;
  if (!settings || !constants || (from->inputs && !inputs))
    return rh_fail(error, RH_E_NOMEM, "no memory for a request");
  for (; to->n_settings < from->n_settings; to->n_settings++) {
    rh_setting *own = &settings[to->n_settings];
    RH_TRY(copy_text(&own->key, from->settings[to->n_settings].key, error));
    rh_status status = copy_text(&own->value, from->settings[to->n_settings].value, error);
    if (status != RH_OK) free((char *)own->key);
    RH_TRY(status);
  }
  for (; inputs && to->n_inputs < from->n_inputs; to->n_inputs++) {
    inputs[to->n_inputs].type = from->inputs[to->n_inputs].type;
    RH_TRY(copy_text(&inputs[to->n_inputs].name, from->inputs[to->n_inputs].name, error));
  }
  if (!inputs) to->n_inputs = from->n_inputs;
  for (; to->n_constants < from->n_constants; to->n_constants++) {
    constants[to->n_constants] = from->constants[to->n_constants];
    RH_TRY(
        copy_text(&constants[to->n_constants].name, from->constants[to->n_constants].name, error));
  }
  return RH_OK;
}

rh_status rh_request_copy(rh_request *to, const rh_request *from, rh_error *error) {
  *to = (rh_request){.struct_size = sizeof *to,
                     .type = from->type,
                     .commutes = from->commutes,
                     .unchecked_op = from->unchecked_op};
  RH_TRY(copy_text(&to->strategy, from->strategy ? from->strategy : "auto", error));
  RH_TRY(copy_text(&to->op, from->op, error));
  RH_TRY(copy_text(&to->map, from->map, error));
  RH_TRY(copy_text(&to->where, from->where, error));
  RH_TRY(copy_text(&to->reduce, from->reduce, error));
  RH_TRY(copy_text(&to->identity, from->identity, error));
  RH_TRY(copy_text(&to->finalize, from->finalize, error));
  return copy_lists(to, from, error);
}

void rh_request_release(rh_request *copy) {
  const char *texts[] = {copy->strategy, copy->op,       copy->map,     copy->where,
                         copy->reduce,   copy->identity, copy->finalize};
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) free((char *)texts[k]);
  for (uint64_t k = 0; k < copy->n_settings; k++) {
    free((char *)copy->settings[k].key);
    free((char *)copy->settings[k].value);
  }
  for (uint64_t k = 0; copy->inputs && k < copy->n_inputs; k++) free((char *)copy->inputs[k].name);
  for (uint64_t k = 0; k < copy->n_constants; k++) free((char *)copy->constants[k].name);
  free((rh_setting *)copy->settings);
  free((rh_input *)copy->inputs);
  free((rh_constant *)copy->constants);
  *copy = (rh_request){0};
}

static inline int is_same(const char *a, const char *b) {
  return a && b ? strcmp(a, b) == 0 : a == b;
}

static int has_same_lists(const rh_request *a, const rh_request *b) {
  if ((a->n_settings && !b->settings) || (a->n_constants && !b->constants)) return 0;
  for (uint64_t k = 0; k < a->n_settings; k++)
    if (!is_same(a->settings[k].key, b->settings[k].key) ||
        !is_same(a->settings[k].value, b->settings[k].value))
      return 0;
  for (uint64_t k = 0; a->inputs && k < a->n_inputs; k++)
    if (a->inputs[k].type != b->inputs[k].type || !is_same(a->inputs[k].name, b->inputs[k].name))
      return 0;
  for (uint64_t k = 0; k < a->n_constants; k++)
    if (a->constants[k].is_float != b->constants[k].is_float ||
        !is_same(a->constants[k].name, b->constants[k].name))
      return 0;
  return 1;
}

int rh_request_asks_same(const rh_request *a, const rh_request *b) {
  return a->type == b->type && a->n_inputs == b->n_inputs && !a->inputs == !b->inputs &&
         a->n_settings == b->n_settings && a->n_constants == b->n_constants &&
         a->commutes == b->commutes && a->unchecked_op == b->unchecked_op &&
         is_same(a->op, b->op) && strcmp(a->strategy, b->strategy ? b->strategy : "auto") == 0 &&
         is_same(a->map, b->map) && is_same(a->where, b->where) && is_same(a->reduce, b->reduce) &&
         is_same(a->identity, b->identity) && is_same(a->finalize, b->finalize) &&
         has_same_lists(a, b);
}
