/* Querying a strategy, with the host's own checks. */
#include "plug.h"

const rh_device *rh_host_device(void) {
  static const rh_device host = {
      .struct_size = sizeof host,
      .kind = RH_DEVICE_HOST,
      .compute_units = 1,
      .max_group = 1,
      .features = RH_FP64,
      .name = "host",
      .driver = "",
      .extensions = "",
  };
  return &host;
}

/* Makes the reason printable: terminated, not empty, without control characters, valid UTF-8. */
static void tidy_reason(rh_answer *answer) {
  char *reason = answer->reason;
  reason[sizeof answer->reason - 1] = 0;
  size_t length = strlen(reason);
  if (length == 0) snprintf(reason, sizeof answer->reason, "declined without a reason");
  /* A truncated reason may end within a character. */
  for (size_t k = 0; k < 3 && length && !rh_is_plain_utf8(reason, length); k++)
    if ((unsigned char)reason[length - 1] >= 0x80) reason[--length] = 0;
  if (rh_is_plain_utf8(reason, length)) return;
  rh_make_plain(reason);
}

__attribute__((format(printf, 3, 4))) static rh_status decline(rh_answer *answer, uint32_t why,
                                                               const char *format, ...) {
  va_list args;
  va_start(args, format);
  answer->why = why;
  vsnprintf(answer->reason, sizeof answer->reason, format, args);
  va_end(args);
  tidy_reason(answer); /* it may quote a driver or a plugin */
  return RH_DECLINED;
}

/* "CPU and GPU devices" */
static void name_kinds(uint32_t kinds, char *to, size_t bytes) {
  static const struct {
    uint32_t kind;
    const char *name;
  } known[] = {
      {RH_DEVICE_CPU, "CPU"}, {RH_DEVICE_GPU, "GPU"}, {RH_DEVICE_ACCELERATOR, "accelerator"}};
  size_t used = 0;
  to[0] = 0;
  for (size_t k = 0; k < 3 && used < bytes; k++)
    if (kinds & known[k].kind)
      used += (size_t)snprintf(to + used, bytes - used, "%s%s", used ? " and " : "", known[k].name);
}

static rh_status check_kind(const rh_strategy *strategy, const rh_device *device,
                            rh_answer *answer) {
  char kinds[64];
  const char *is = "a device of unknown kind";
  if (strategy->device_kinds & (device->kind | RH_DEVICE_HOST)) return RH_OK;
  if (device->kind == RH_DEVICE_CPU) is = "a CPU";
  if (device->kind == RH_DEVICE_GPU) is = "a GPU";
  if (device->kind == RH_DEVICE_ACCELERATOR) is = "an accelerator";
  name_kinds(strategy->device_kinds, kinds, sizeof kinds);
  if (device->kind == RH_DEVICE_HOST)
    return decline(answer, RH_WHY_DEVICE, "runs on %s devices; there is no OpenCL device here",
                   kinds);
  return decline(answer, RH_WHY_DEVICE, "runs on %s devices; %.60s is %s", kinds,
                 device->name ? device->name : "the device", is);
}

/* Needs apply to OpenCL code only, not to a strategy that runs as host code on this device. */
static rh_status check_needs(const rh_strategy *strategy, const rh_device *device,
                             rh_answer *answer) {
  static const struct {
    uint64_t bit;
    const char *reason;
  } known[] = {
      {RH_FP64, "device has no fp64"},
      {RH_INT64_ATOMICS, "device has no 64-bit atomics (cl_khr_int64_base_atomics)"},
      {RH_SUBGROUPS, "device has no sub-groups (cl_khr_subgroups)"},
      {RH_WORK_GROUP_COLLECTIVES, "device has no work-group collective functions"},
      {RH_INTEL_SUBGROUP_BLOCKS, "device has no cl_intel_subgroups block reads"},
      {RH_DEVICE_SCOPE_ATOMICS, "device has no acquire-release atomics across work-groups"},
  };
  uint64_t missing = strategy->needs & ~device->features;
  if (!missing || !(strategy->device_kinds & device->kind & RH_DEVICE_ANY_CL)) return RH_OK;
  for (size_t k = 0; k < sizeof known / sizeof *known; k++)
    if (missing & known[k].bit) return decline(answer, RH_WHY_DEVICE, "%s", known[k].reason);
  return decline(answer, RH_WHY_DEVICE, "needs a feature that this redhost does not know");
}

/* Checked by the host, so that no author can forget it. */
static rh_status check_order(const rh_strategy *strategy, const rh_op *op, rh_answer *answer) {
  if (op->flags & RH_OP_COMMUTATIVE || strategy->promises & RH_KEEPS_ORDER) return RH_OK;
  return decline(answer, RH_WHY_OP, "%.40s %s commute, and %.63s reorders elements", op->name,
                 op->id < RH_FIRST_USER_OP ? "does not" : "does not claim to", strategy->name);
}

static int has_extension(const rh_strategy *strategy, const char *id) {
  return strategy->extension && strategy->extension(id) != NULL;
}

/* A strategy of an earlier minor version does not see what it does not know, and would say yes. */
static rh_status check_operator(const rh_strategy *strategy, const rh_op *op, rh_answer *answer) {
  int is_usual = op->value_size == 4 || op->value_size == 8 || op->value_size == 16;
  if (!is_usual && !has_extension(strategy, RH_EXTENSION_ANY_VALUE))
    return decline(answer, RH_WHY_OP, "%.40s has values of %u B, and %.63s takes 4, 8 or 16",
                   op->name, op->value_size, strategy->name);
  if (op->n_operands > 0 && !has_extension(strategy, RH_EXTENSION_OPERANDS))
    return decline(answer, RH_WHY_OP,
                   "%.40s reads several operands, constants or the index, and %.63s one operand",
                   op->name, strategy->name);
  return RH_OK;
}

/* One that does not know that functions may have `user` calls those without, where the host calls
 * none: all of them in a strategy of the host, combine in one that finishes on the host. */
static rh_status check_functions(const rh_strategy *strategy, const rh_problem *problem,
                                 rh_answer *answer) {
  const rh_op *op = problem->op;
  int is_host_code = !(strategy->device_kinds & problem->device->kind & RH_DEVICE_ANY_CL);
  int calls_missing = is_host_code ? op->load_with || op->combine_with || op->fold_with
                                   : answer->finishes_on_host && op->combine_with;
  if (!calls_missing || has_extension(strategy, RH_EXTENSION_OPERANDS)) return RH_OK;
  return decline(answer, RH_WHY_OP,
                 "%.40s is an operator of a user's, and %.63s calls the functions of built-in ones",
                 op->name, strategy->name);
}

static rh_status check_values(const rh_strategy *strategy, const int64_t *params,
                              rh_answer *answer) {
  for (uint32_t k = 0; k < strategy->n_params; k++) {
    const rh_param *param = rh_strategy_param(strategy, k);
    char range[100];
    if (rh_param_allows(param, params[k])) continue;
    rh_param_range(param, range, sizeof range);
    return decline(answer, RH_WHY_PARAM, "%s=%lld: expected %s", param->key, (long long)params[k],
                   range);
  }
  return RH_OK;
}

static rh_status judge_answer(rh_status said, rh_answer *answer, rh_error *error) {
  answer->struct_size = sizeof *answer;
  if (said == RH_DECLINED) {
    tidy_reason(answer);
    return RH_DECLINED;
  }
  answer->reason[0] = 0;
  if (said != RH_OK)
    return rh_fail(error, RH_E_PLUGIN, "query returned %d (%s), expected RH_OK or RH_DECLINED",
                   said, rh_status_name(said));
  if (answer->score < 0 || answer->score > 1000)
    return rh_fail(error, RH_E_PLUGIN, "query returned a score of %d, expected 0 to 1000",
                   answer->score);
  if (answer->finishes_on_host > 1)
    return rh_fail(error, RH_E_PLUGIN, "query returned finishes_on_host = %u, expected 0 or 1",
                   answer->finishes_on_host);
  return RH_OK;
}

rh_status rh_strategy_query(const rh_strategy *strategy, const rh_problem *problem,
                            const int64_t *params, rh_answer *answer, rh_error *error) {
  memset(answer, 0, sizeof *answer);
  answer->struct_size = sizeof *answer;
  if (!problem || !problem->op || !problem->device || (strategy->n_params && !params))
    return rh_fail(error, RH_E_INVALID, "query without an operator, a device or parameters");
  RH_TRY(check_kind(strategy, problem->device, answer));
  RH_TRY(check_needs(strategy, problem->device, answer));
  RH_TRY(check_order(strategy, problem->op, answer));
  RH_TRY(check_operator(strategy, problem->op, answer));
  RH_TRY(check_values(strategy, params, answer));
  rh_fpstate before = rh_fpstate_save();
  rh_status said = strategy->query(problem, params, answer);
  if (rh_fpstate_restore(&before))
    return rh_fail(error, RH_E_PLUGIN,
                   "strategy '%s': query changes the floating-point control word", strategy->name);
  rh_status status = judge_answer(said, answer, error);
  if (status == RH_OK) status = check_functions(strategy, problem, answer);
  const rh_op *op = problem->op;
  if (rh_op_rounds_once(strategy->promises, op->form == RH_FORM_ELEMENT ? op->mapped_op : op->id,
                        problem->type))
    answer->depth = RH_DEPTH_ONE_ROUNDING;
  if (status != RH_E_PLUGIN) return status;
  return rh_error_prefix(error, status, "strategy '%s'", strategy->name);
}
