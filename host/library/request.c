#include "library.h"

#include "../choose/choose.h"

/* ---- The operator ---- */

static rh_status find_builtin(const rh_operator **op, const char *name, rh_type type,
                              rh_error *error) {
  uint32_t number = name ? rh_op_from_name(name) : 0;
  if (!number) {
    const char *instead = name ? rh_op_instead(name) : NULL;
    return rh_fail(error, RH_E_USAGE, "unknown operator '%s'%s%s", name ? name : "(null)",
                   instead ? ": " : "", instead ? instead : "");
  }
  if (!rh_type_name(type)) return rh_fail(error, RH_E_USAGE, "unknown type %u", type);
  return rh_operator_find(op, number, type, error);
}

static rh_status check_name(const char *name, const char *what, rh_error *error) {
  if (name && rh_operator_is_name(name, strlen(name))) return RH_OK;
  return rh_fail(error, RH_E_USAGE,
                 "%s '%.64s': a name has letters, digits and underscores, and begins with no digit",
                 what, name ? name : "(null)");
}

static rh_expr_value value_of(const rh_constant *constant) {
  if (constant->is_float) return (rh_expr_value){1, (long double)constant->value.f};
  return (rh_expr_value){.x = constant->value.i};
}

static rh_status take_inputs(const rh_request *request, rh_operand *operands, uint32_t *n,
                             rh_error *error) {
  const rh_input only = {.type = request->type};
  const rh_input *inputs = request->inputs ? request->inputs : &only;
  uint64_t given = request->inputs ? request->n_inputs : 1;
  if (given == 0 || given > RH_MOST_OPERANDS)
    return rh_fail(error, RH_E_USAGE, "%llu inputs; an operator has 1 to %d",
                   (unsigned long long)given, RH_MOST_OPERANDS);
  *n = (uint32_t)given;
  for (uint32_t k = 0; k < *n; k++) {
    const char *name = inputs[k].name ? inputs[k].name : rh_operand_usual_name(k);
    RH_TRY(check_name(name, "input", error));
    if (!rh_type_name(inputs[k].type))
      return rh_fail(error, RH_E_USAGE, "input %s: unknown type %u", name, inputs[k].type);
    snprintf(operands[k].name, sizeof operands[k].name, "%s", name);
    operands[k].type = inputs[k].type;
  }
  return RH_OK;
}

static rh_status take_constants(const rh_request *request, rh_let *lets, rh_error *error) {
  if (request->n_constants > RH_MOST_LETS || (request->n_constants && !request->constants))
    return rh_fail(error, RH_E_USAGE, "%llu constants, or none where some are counted; at most %d",
                   (unsigned long long)request->n_constants, RH_MOST_LETS);
  for (uint64_t k = 0; k < request->n_constants; k++) {
    RH_TRY(check_name(request->constants[k].name, "constant", error));
    snprintf(lets[k].name, sizeof lets[k].name, "%s", request->constants[k].name);
    lets[k].value = value_of(&request->constants[k]);
  }
  return RH_OK;
}

static rh_status make_own(const rh_request *request, const rh_context *context,
                          const rh_operator_texts *texts, rh_custom **made, rh_error *error) {
  rh_operand operands[RH_MOST_OPERANDS] = {0};
  rh_let lets[RH_MOST_LETS] = {0};
  RH_FINISHED(rh_definition) definition = {0};
  uint32_t n = 0;
  RH_TRY(take_inputs(request, operands, &n, error));
  RH_TRY(take_constants(request, lets, error));
  RH_TRY(rh_definition_compose(&definition, texts, &context->options, error));
  return rh_catalog_make(made, &definition, operands, n, lets, (uint32_t)request->n_constants,
                         error);
}

static rh_status name_operator(const rh_request *request, rh_context *context, rh_job_spec *spec,
                               rh_custom **made, rh_error *error) {
  rh_known *known;
  *made = NULL;
  if (request->accuracy > RH_ACCURACY_EXACT)
    return rh_fail(error, RH_E_USAGE, "rh_request.accuracy is %u: expected 0 or RH_ACCURACY_EXACT",
                   request->accuracy);
  RH_TRY(rh_known_of(context, &known, error));
  const rh_operator_texts texts = {.op = request->op,
                                   .map = request->map,
                                   .where = request->where,
                                   .reduce = request->reduce,
                                   .identity = request->identity,
                                   .finalize = request->finalize,
                                   .initial = request->initial,
                                   .commutes = (int)request->commutes,
                                   .accuracy = request->accuracy,
                                   .known = &known->definitions};
  if (!request->inputs && !request->n_inputs && !request->n_constants &&
      !rh_operator_texts_are_own(&texts))
    return find_builtin(&spec->operation.op, request->op, request->type, error);
  RH_TRY(make_own(request, context, &texts, made, error));
  spec->operation.op = &(*made)->face;
  return RH_OK;
}

rh_status rh_request_name(const rh_request *request, rh_context *context, rh_job_spec *spec,
                          rh_custom **made, rh_error *error) {
  *spec = (rh_job_spec){
      .strategy = request->strategy,
      .operation.n = request->n,
      .operation.check = request->unchecked ? RH_CHECK_NONE : RH_CHECK_FULL,
      .settings = request->settings,
      .n_settings = request->n_settings,
      .unchecked_op = request->unchecked_op,
      .operation.what = "the data",
  };
  return name_operator(request, context, spec, made, error);
}

/* ---- Its constants ---- */

/* An integer stays one: its type decided those of the expressions that have it. */
static rh_status convert(const rh_constant *constant, rh_expr_value *value, rh_error *error) {
  rh_expr_value given = value_of(constant);
  int is_integer = !given.is_float || (fabsl(given.x) < 0x1p63L && given.x == truncl(given.x));
  if (!value->is_float && !is_integer)
    return rh_fail(error, RH_E_USAGE, "constant %s was an integer at first and cannot become %Lg",
                   constant->name, given.x);
  value->x = value->is_float ? (long double)(double)given.x : given.x + 0; /* no -0 */
  return RH_OK;
}

rh_status rh_request_constants(const rh_custom *self, const rh_constant *constants, uint64_t n,
                               rh_expr_value values[RH_MOST_CONSTANTS], rh_error *error) {
  for (uint32_t k = 0; k < self->n_lets; k++) values[k] = self->lets[k].value;
  for (uint64_t k = 0; k < n; k++) {
    const char *name = constants[k].name ? constants[k].name : "(null)";
    uint32_t which = 0;
    while (which < self->n_lets && strcmp(self->lets[which].name, name) != 0) which++;
    if (which == self->n_lets)
      return rh_fail(error, RH_E_USAGE, "there is no constant '%.64s'", name);
    RH_TRY(convert(&constants[k], &values[which], error));
  }
  return rh_custom_check_constants(self, values, error);
}

/* ---- The data ---- */

void rh_request_data(const rh_request *request, const void *data[RH_MOST_OPERANDS]) {
  data[0] = request->data;
  for (uint64_t k = 0; request->inputs && k < request->n_inputs; k++)
    data[k] = request->inputs[k].data;
}

rh_status rh_request_check(const rh_request *request, const rh_job_spec *spec,
                           const void *const *data, rh_error *error) {
  RH_TRY(rh_settings_check(request->settings, request->n_settings, error));
  if (request->data_on_device || request->result_on_device)
    return rh_fail(error, RH_E_USAGE,
                   "rh_request.%s: only rh_prepare() takes it; data of other calls are arrays",
                   request->data_on_device ? "data_on_device" : "result_on_device");
  if (!request->segments && (request->outputs || request->n_outputs))
    return rh_fail(
        error, RH_E_USAGE,
        "rh_request.outputs: only results of segments go there; one result is rh_result");
  if (request->accuracy && request->unchecked)
    return rh_fail(error, RH_E_USAGE,
                   "rh_request.accuracy and rh_request.unchecked are mutually exclusive: the exact "
                   "answer is computed for the check");
  if (request->inputs && request->data)
    return rh_fail(error, RH_E_USAGE,
                   "rh_request.data and rh_request.inputs are mutually exclusive");
  return rh_operands_check(spec->operation.op, data, request->n, error);
}

/* ---- The same again ---- */

/* The texts of a request; the first is where a copy begins. */
static const size_t texts[] = {offsetof(rh_request, strategy), offsetof(rh_request, op),
                               offsetof(rh_request, map),      offsetof(rh_request, where),
                               offsetof(rh_request, reduce),   offsetof(rh_request, identity),
                               offsetof(rh_request, finalize), offsetof(rh_request, initial)};
enum { N_TEXTS = sizeof texts / sizeof *texts };

static const char **text_of(const rh_request *request, int k) {
  return (const char **)((uintptr_t)request + texts[k]);
}

/* A request and all that it points to, in one block of memory; without one, its size is counted. */
typedef struct block {
  char *at;
  uint64_t used;
} block;

static void *put(block *b, const void *from, uint64_t bytes) {
  void *to = b->at ? b->at + b->used : NULL;
  if (to && bytes) memcpy(to, from, bytes);
  b->used += (bytes + 7) / 8 * 8;
  return to;
}

static const char *put_text(block *b, const char *text) {
  return text ? put(b, text, strlen(text) + 1) : NULL;
}

static void put_request(block *b, rh_request *to, const rh_request *from) {
  *to = *from;
  to->data = NULL;
  to->segments = NULL;
  to->outputs = NULL;
  if (!to->strategy) to->strategy = "auto";
  for (int k = 0; k < N_TEXTS; k++) *text_of(to, k) = put_text(b, *text_of(to, k));
  rh_setting *settings = put(b, from->settings, from->n_settings * sizeof *settings);
  rh_input *inputs = from->inputs ? put(b, from->inputs, from->n_inputs * sizeof *inputs) : NULL;
  rh_constant *constants = put(b, from->constants, from->n_constants * sizeof *constants);
  for (uint64_t k = 0; k < from->n_settings; k++) {
    const rh_setting own = {put_text(b, from->settings[k].key),
                            put_text(b, from->settings[k].value)};
    if (settings) settings[k] = own;
  }
  for (uint64_t k = 0; from->inputs && k < from->n_inputs; k++) {
    const rh_input own = {.name = put_text(b, from->inputs[k].name), .type = from->inputs[k].type};
    if (inputs) inputs[k] = own;
  }
  for (uint64_t k = 0; k < from->n_constants; k++) {
    const char *name = put_text(b, from->constants[k].name);
    if (constants) constants[k].name = name;
  }
  to->settings = settings;
  to->inputs = inputs;
  to->constants = constants;
}

rh_status rh_request_copy(rh_request *to, const rh_request *from, rh_error *error) {
  block b = {NULL, 0};
  put_request(&b, to, from);
  *to = (rh_request){0};
  RH_TRY(rh_alloc(&b.at, b.used, 1, "a request", error));
  b.used = 0;
  put_request(&b, to, from);
  return RH_OK;
}

void rh_request_release(rh_request *copy) {
  free((char *)copy->strategy);
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
  if (a->type != b->type || a->n_inputs != b->n_inputs || !a->inputs != !b->inputs ||
      a->n_settings != b->n_settings || a->n_constants != b->n_constants ||
      a->accuracy != b->accuracy || a->commutes != b->commutes ||
      a->unchecked_op != b->unchecked_op || strcmp(a->strategy, b->strategy ? b->strategy : "auto"))
    return 0;
  for (int k = 1; k < N_TEXTS; k++)
    if (!is_same(*text_of(a, k), *text_of(b, k))) return 0;
  return has_same_lists(a, b);
}
