
#include "../operators/algebra/algebra.h"
#include "app.h"

/* What was typed; with --result f64 one of the operators that are known to be asked for it. */
static rh_operator_texts texts_of(const rh_typed *typed) {
  rh_operator_texts texts = typed->texts;
  const char *op = texts.op ? texts.op : "sum";
  if (!typed->result) return texts;
  texts.map = strcmp(op, "dot") == 0 ? "(f64)x*(f64)y" : "(f64)x";
  if (strcmp(op, "mean") == 0) texts.finalize = "mean = a/n";
  if (strcmp(op, "asum") != 0) texts.op = "sum";
  return texts;
}

int rh_user_operator_is_wanted(const rh_typed *typed) {
  const rh_operator_texts texts = texts_of(typed);
  int has_files = typed->input && strchr(typed->input, ',') && access(typed->input, F_OK) != 0;
  return typed->lets.n || has_files || rh_operator_texts_are_own(&texts);
}

int rh_user_operator_is_one(const rh_typed *typed) {
  rh_operator_texts texts = texts_of(typed);
  if (texts.op && strchr(texts.op, ',') && !texts.map) texts.op = NULL;
  return typed->lets.n || rh_operator_texts_are_own(&texts);
}

/* ---- What was typed ---- */

/* An integer is decimal, also with zeros before it, or hexadecimal.  0: the text is none. */
static int take_integer(const char *text, rh_expr_value *value) {
  int is_negative = *text == '-';
  const char *digits = text + (*text == '-' || *text == '+');
  int is_hexadecimal = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
  char *end;
  if (!isdigit((unsigned char)*digits)) return 0;
  errno = 0;
  uint64_t size = strtoull(digits, &end, is_hexadecimal ? 16 : 10);
  if (errno || *end || (is_negative && size > (uint64_t)INT64_MAX + 1)) return 0;
  value->x = is_negative ? 0 - (long double)size : (long double)size;
  return 1;
}

/* A number that no type of 64 bits holds is refused, as it is in an expression. */
static rh_status take_let(const char *text, rh_let *let, rh_error *error) {
  const char *equals = strchr(text, '='), *number = equals ? equals + 1 : "";
  char *end;
  if (!equals || !rh_operator_is_name(text, (size_t)(equals - text)))
    return rh_fail(error, RH_E_USAGE, "--let '%s': expected NAME=NUMBER, as in t=0.5", text);
  memset(let, 0, sizeof *let);
  memcpy(let->name, text, (size_t)(equals - text));
  if (take_integer(number, &let->value)) return RH_OK;
  double value;
  if (rh_read_decimal(number, &end, &value) != 0)
    return rh_fail(error, RH_E_NOMEM, "no memory for a number");
  if (*number == 0 || isspace((unsigned char)*number) || *end)
    return rh_fail(error, RH_E_USAGE, "--let '%s': '%s' is not a number", text, number);
  let->value = (rh_expr_value){1, (long double)value};
  int is_integer = number[strcspn(number, ".eEpPiInN")] == 0;
  if (!is_integer && (isfinite(value) || strpbrk(number, "iInN"))) return RH_OK;
  return rh_fail(error, RH_E_USAGE, "--let '%s': the %s does not fit in %s", text,
                 is_integer ? "integer" : "number", is_integer ? "64 bits" : "f64");
}

/* ---- Names of operands ---- */

/* "w" of "data/w.npy"; 0: it is not a name. */
static int take_stem(const char *path, char name[RH_OPERATOR_NAME_BYTES]) {
  const char *stem = rh_path_name(path);
  size_t length = strcspn(stem, ".");
  if (!rh_operator_is_name(stem, length)) return 0;
  memcpy(name, stem, length);
  name[length] = '\0';
  return 1;
}

/* A file names its operand if the map or the condition uses that name, and no other file has
 * it. */
static void name_by_file(const rh_inputs *inputs, uint32_t k, const rh_typed *typed,
                         rh_operand *operand) {
  char name[RH_OPERATOR_NAME_BYTES] = "", other[RH_OPERATOR_NAME_BYTES];
  if (!take_stem(inputs->names[k], name)) return;
  for (uint32_t j = 0; j < inputs->n; j++)
    if (j != k && take_stem(inputs->names[j], other) && strcmp(name, other) == 0) return;
  if (rh_definition_mentions(typed->texts.map, name) ||
      rh_definition_mentions(typed->texts.where, name))
    memcpy(operand->name, name, sizeof name);
}

static rh_status check_different(const rh_operand *operands, uint32_t n, rh_error *error) {
  for (uint32_t k = 1; k < n; k++)
    for (uint32_t j = 0; j < k; j++)
      if (strcmp(operands[j].name, operands[k].name) == 0)
        return rh_fail(error, RH_E_USAGE,
                       "--input: operands %u and %u are both called %s, one by its place and one "
                       "by its file: use both files' names in the map, or list the files in the "
                       "order x, y, z, w",
                       j + 1, k + 1, operands[k].name);
  return RH_OK;
}

/* ---- The operator ---- */

rh_status rh_user_operator_trust(const rh_app *app, const rh_custom *self, rh_error *error) {
  if (app->typed->unchecked_op) return RH_OK;
  rh_error why = {0};
  rh_status status = rh_algebra_trust(self, &app->context->cache, &why);
  if (status == RH_OK) return RH_OK;
  return rh_fail(error, status, "%.800s%s", why.message,
                 status == RH_E_PLUGIN ? "; --unchecked-op uses it all the same" : "");
}

/* Operands of one type, as many as the map names. */
static uint32_t name_operands(const rh_typed *typed, const rh_definition *definition, rh_type type,
                              rh_operand operands[RH_MOST_OPERANDS]) {
  const char *map =
      definition->map ? definition->map : typed->texts.map; /* reduce has it as load */
  uint32_t n = 1;
  for (uint32_t k = 0; k < RH_MOST_OPERANDS; k++) {
    operands[k].type = type;
    if (rh_definition_mentions(map, rh_operand_usual_name(k)) ||
        rh_definition_mentions(typed->texts.where, rh_operand_usual_name(k)))
      n = k + 1;
  }
  return definition->n_operands ? definition->n_operands : n;
}

/* Several files are not one after the other. */
static rh_status check_used(const rh_definition *definition, const rh_inputs *inputs,
                            rh_error *error) {
  if (inputs->n < 2 || !definition->ops || definition->map || definition->where) return RH_OK;
  return rh_fail(error, RH_E_USAGE,
                 "operand %s is not used: files are the operands of a map, as in --map 'x*y', or "
                 "of an operator such as --op dot; several reductions are several commands",
                 rh_operand_usual_name(1));
}

rh_status rh_user_operator_define(const rh_app *app, const rh_typed *typed, const rh_inputs *inputs,
                                  rh_type type, rh_custom **made, rh_error *error) {
  const rh_operator_texts texts = texts_of(typed);
  RH_FINISHED(rh_definition) definition = {0};
  rh_let lets[RH_MAX_WORDS];
  rh_operand operands[RH_MOST_OPERANDS] = {0};
  RH_TRY(rh_definition_compose(&definition, &texts, &app->context->options, error));
  uint32_t n = inputs ? inputs->n : name_operands(typed, &definition, type, operands);
  if (inputs) RH_TRY(check_used(&definition, inputs, error));
  for (uint32_t k = 0; k < n; k++)
    snprintf(operands[k].name, sizeof operands[k].name, "%s", rh_operand_usual_name(k));
  for (uint32_t k = 0; inputs && k < n; k++) {
    operands[k].type = inputs->feeds[k].type;
    name_by_file(inputs, k, typed, &operands[k]);
  }
  for (uint32_t k = 0; k < typed->lets.n; k++)
    RH_TRY(take_let(typed->lets.list[k], &lets[k], error));
  RH_TRY(check_different(operands, n, error));
  return rh_catalog_make(made, &definition, operands, n, lets, typed->lets.n, error);
}
