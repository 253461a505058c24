#include "partial.h"

/* Any strategy's, if the order does not decide the bits, or is the canonical one. */
static void name_order(rh_text *to, const rh_partial_strategy *by, const rh_job_spec *job) {
  const rh_operator *op = job->operation.op;
  int order_decides =
      !job->operation.accuracy &&
      (op->is_struct ? !(op->abi->flags & RH_OP_EXACT) : rh_op_rounds(op->base, op->type));
  int is_own = !by->is_auto && order_decides && !(by->promises & RH_CANONICAL_ORDER);
  rh_text_add(to, "%s", is_own ? by->name : "of the canonical order");
  for (uint64_t k = 0; is_own && k < by->n_settings; k++)
    rh_text_add(to, " %s=%s", by->settings[k].key, by->settings[k].value);
}

rh_status rh_partial_describe(char **text, const rh_job_spec *job, const rh_partial_strategy *by,
                              json_t *more, rh_error *error) {
  RH_FINISHED(rh_text) order = {0};
  name_order(&order, by, job);
  if (!more) more = json_pack("{s:{}}", "source"); /* arrays */
  int failed = json_object_set_new(more, "strategy", rh_json_bytes(rh_text_get(&order)));
  *text = failed || order.failed ? NULL : rh_operation_text(&job->operation, json_incref(more));
  json_decref(more);
  return *text ? RH_OK : rh_fail(error, RH_E_NOMEM, "no memory for the description of a part");
}

/* Then nobody but the part's device can reduce a tile of it. */
static int differs_by_device(const rh_operator *op) {
  const rh_custom *custom = rh_custom_of(op);
  int has_float = 0;
  if (!op->is_struct) return op->map_error != 0;
  if (!op->is_code) return (rh_exprs_facts(custom->load, RH_EXPRS_ALL) & RH_EXPR_ERRS) != 0;
  for (uint32_t k = 0; k < custom->n_fields; k++)
    has_float |= rh_type_is_float(custom->fields[k].type);
  return has_float;
}

rh_status rh_partial_check_part(const rh_job_spec *job, uint64_t first, uint64_t n,
                                uint64_t *whole_n, rh_error *error) {
  uint64_t tile = rh_partial_tile(job);
  const char *who = job->operation.op->is_code ? "OpenCL C has" : "functions of the map have";
  if (n > UINT64_MAX / 2 || first > UINT64_MAX / 2)
    return rh_fail(error, RH_E_USAGE, "the part ends behind element 2^63");
  if (first + n > *whole_n)
    return rh_fail(error, RH_E_USAGE,
                   "the part ends before element %llu, and the whole has %llu elements",
                   (unsigned long long)(first + n), (unsigned long long)*whole_n);
  if (*whole_n == UINT64_MAX && job->operation.op->count_slot >= 0)
    return rh_fail(error, RH_E_USAGE,
                   "the map uses n, the number of elements of the whole, which is not known");
  if (job->operation.accuracy || !differs_by_device(job->operation.op)) return RH_OK;
  if (first % tile)
    return rh_fail(error, RH_E_USAGE,
                   "%s other bits on other devices, so a part has to begin at a multiple of %llu "
                   "elements, and element %llu is none",
                   who, (unsigned long long)tile, (unsigned long long)first);
  if ((first + n) % tile == 0) return RH_OK;
  if (*whole_n != UINT64_MAX && *whole_n != first + n)
    return rh_fail(error, RH_E_USAGE,
                   "%s other bits on other devices, so a part has to end at a multiple of %llu "
                   "elements, or with the whole, and element %llu is neither",
                   who, (unsigned long long)tile, (unsigned long long)(first + n));
  *whole_n = first + n;
  return RH_OK;
}
