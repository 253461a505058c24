/* V66 to V69: operators of users.  A strategy that says an extension is asked for what it covers,
 * through the host's own way of preparing and running such an operator. */
#include "internal.h"

#include "../../operators/custom/custom.h"

/* Integers wrap, so every order gives the same bits. */
typedef struct own {
  const char *text; /* of an operator file, with ' for quotation marks */
  rh_type types[RH_MOST_OPERANDS];
} own;

static const own operands[] = {
    {"{'redhost': 'operator/1', 'name': 'operands', 'operands': ['x', 'y', 'z'], 'op': 'sum', "
     "'map': 'y*((i64)x + 1) - 3*z + k*(i64)i', 'constants': {'k': 5}}",
     {RH_TYPE_u8, RH_TYPE_i64, RH_TYPE_i16}},
    {"{'redhost': 'operator/1', 'name': 'farthest', 'operands': ['x', 'y'], 'op': 'argmax', "
     "'map': 'x ^ y ^ k', 'constants': {'k': 77}}",
     {RH_TYPE_i32, RH_TYPE_i32}},
    {"{'redhost': 'operator/1', 'name': 'weighted_by_index', 'operands': ['x'], 'op': 'xor', "
     "'map': '(u64)x*(i + 1)'}",
     {RH_TYPE_u16}},
    {"{'redhost': 'operator/1', 'name': 'eight', "
     "'operands': ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'], 'op': 'min', "
     "'map': '(a ^ b) + (c ^ d)*3 + (e & f) - (g | h)'}",
     {RH_TYPE_i32, RH_TYPE_i32, RH_TYPE_i32, RH_TYPE_i32, RH_TYPE_i32, RH_TYPE_i32, RH_TYPE_i32,
      RH_TYPE_i32}},
};

static const own values[] = {
    {"{'redhost': 'operator/1', 'name': 'value_of_24', 'operands': ['x'], 'op': 'sum,sum,xor', "
     "'map': '1, x*3, (u64)x*x'}",
     {RH_TYPE_u32}},
    {"{'redhost': 'operator/1', 'name': 'value_of_128', 'operands': ['x'], "
     "'op': 'sum,xor,sum,xor,sum,xor,sum,xor,sum,xor,sum,xor,sum,xor,sum,xor', "
     "'map': 'x*1, x*3, x*5, x*7, x*9, x*11, x*13, x*15, x*17, x*19, x*21, x*23, x*25, x*27, "
     "x*29, x*31'}",
     {RH_TYPE_u64}},
    {"{'redhost': 'operator/1', 'name': 'value_of_12', 'operands': ['x'], "
     "'value': {'least': 'i32', 'sum': 'i32', 'count': 'u32'}, "
     "'load': ['x', 'x', '1'], 'identity': ['0x7fffffff', '0', '0'], "
     "'combine': ['min(a.least, b.least)', 'a.sum + b.sum', 'a.count + b.count'], "
     "'claims': ['associative', 'commutative']}",
     {RH_TYPE_i32}},
};

/* Products of matrices, and a count. */
static const own ordered[] = {
    {"{'redhost': 'operator/1', 'name': 'matrices', 'operands': ['x'], "
     "'value': {'p': 'u32', 'q': 'u32', 'r': 'u32', 's': 'u32', 'count': 'u64'}, "
     "'load': ['x | 1', 'x >> 3', 'x*5', '1', '1'], 'identity': ['1', '0', '0', '1', '0'], "
     "'combine': ['a.p*b.p + a.q*b.r', 'a.p*b.q + a.q*b.s', 'a.r*b.p + a.s*b.r', "
     "'a.r*b.q + a.s*b.s', 'a.count + b.count'], 'claims': ['associative']}",
     {RH_TYPE_u32}},
};

static rh_status make_own(const own *of, rh_custom **made, rh_error *error) {
  RH_FINISHED(rh_definition) definition = {0};
  rh_operand list[RH_MOST_OPERANDS] = {0};
  RH_FINISHED(rh_text) text = {0};
  rh_text_add(&text, "%s", of->text);
  if (text.failed) return rh_fail(error, RH_E_NOMEM, "no memory for an operator");
  for (char *at = text.s; (at = strchr(at, '\'')); at++) *at = '"';
  RH_TRY(rh_definition_read(&definition, text.s, text.length, "the test", error));
  for (uint32_t k = 0; k < definition.n_operands; k++) list[k].type = of->types[k];
  return rh_custom_create(made, &definition, list, definition.n_operands, NULL, 0, error);
}

/* ---- One operator ---- */

static const uint64_t sizes[] = {1, 2, 3, 33, 257, 1003, 4099, 65537, 1000003};

/* RH_DECLINED: the strategy, or the host for it, does. */
static rh_status try_operator(rh_trial *trial, const rh_custom *custom, const char *kind) {
  uint32_t n = RH_COUNT(sizes) - (trial->quick ? 2 : 0);
  const rh_job_spec spec = {.strategy = trial->strategy->name,
                            .plugin = trial->path,
                            .operation.op = &custom->face,
                            .operation.n = sizes[n - 1],
                            .untuned = 1,
                            .operation.what = "the test"};
  rh_job job = {0};
  rh_trial_phase(trial, "query");
  rh_status status = rh_job_init(&job, trial->context, &spec, &trial->error);
  if (status == RH_OK) rh_trial_phase(trial, "setup");
  if (status == RH_OK) status = rh_job_instantiate(&job, &trial->error);
  if (status == RH_OK) rh_trial_phase(trial, "run");
  for (uint32_t k = 0; k < n && status == RH_OK; k++)
    status = rh_job_try(&job, sizes[k], kind, &trial->error);
  rh_trial_phase(trial, "teardown");
  rh_job_finish(&job);
  return status;
}

/* ---- Those that an extension covers ---- */

/* A strategy may decline some, but then it should not say that it serves them. */
static rh_status try_list(rh_trial *trial, const own *list, uint32_t n, const char *what) {
  const rh_strategy *strategy = trial->strategy;
  uint32_t served = 0;
  if (!strategy->extension || !strategy->extension(what))
    return rh_trial_skip(trial, "does not say %s", what);
  for (uint32_t k = 0; k < n; k++) {
    rh_custom *custom = NULL;
    rh_status status = make_own(&list[k], &custom, &trial->error);
    if (status == RH_OK) status = try_operator(trial, custom, "hash");
    rh_custom_destroy(custom);
    served += status == RH_OK;
    RH_TRY(rh_unless_declined(status));
  }
  if (served) return RH_OK;
  return rh_trial_warn(trial, "says %s, and serves none of %u operators that need it: %s", what, n,
                       trial->error.message);
}

#define TRY_LIST(trial, list, few, what)                                                           \
  try_list(trial, list, (trial)->quick ? (few) : (uint32_t)RH_COUNT(list), what)

RH_TEST_IS(66, "several operands, constants and the index, as it says",
           TRY_LIST(trial, operands, 2, RH_EXTENSION_OPERANDS), RH_RUN_TEST(4, 1.5))
RH_TEST_IS(67, "values of 12, 24 and 128 bytes, as it says",
           TRY_LIST(trial, values, 2, RH_EXTENSION_ANY_VALUE), RH_RUN_TEST(4, 1.5))

RH_TEST(68, "large values in order, as promised", RH_RUN_TEST(2, 0.8)) {
  if (!(trial->strategy->promises & RH_KEEPS_ORDER))
    return rh_trial_skip(trial, "does not promise to keep the order");
  return TRY_LIST(trial, ordered, 1, RH_EXTENSION_ANY_VALUE);
}

/* ---- The one that is named ---- */

RH_TEST(69, "the operator that is named", RH_RUN_TEST(2, 1)) {
  rh_custom *custom = NULL;
  rh_operation operation;
  if (!trial->own) return rh_trial_skip(trial, "no operator of one's own is named");
  rh_status status = rh_operation_read(&operation, &custom, trial->own, &trial->error);
  if (status == RH_OK) status = rh_by_code_prepare(&custom->face, trial->context, &trial->error);
  if (status == RH_OK)
    status = try_operator(trial, custom,
                          rh_type_is_float(custom->operands[0].type) ? "uniform" : "hash");
  rh_custom_destroy(custom);
  return status;
}
