#include "catalog.h"

const char *rh_operand_usual_name(uint32_t k) {
  static const char *const names[RH_MOST_OPERANDS] = {"x", "y", "z", "w", "v", "u", "s", "r"};
  return names[k];
}

/* ---- By name, file or text ---- */

static int is_file(const char *op) { return strchr(op, '/') || rh_has_suffix(op, ".json"); }

static int is_json(const char *op) { return op[strspn(op, " \t\r\n")] == '{'; }

/* 1: it is neither one nor a list of the built-in operators. */
static int is_whole(const char *op) {
  return op && (is_json(op) || is_file(op) || (!strchr(op, ',') && !rh_op_from_name(op)));
}

void rh_definitions_finish(rh_definitions *known) {
  for (uint32_t k = 0; k < known->n; k++) rh_definition_finish(&known->list[k]);
  free(known->list);
  *known = (rh_definitions){0};
}

static const char asked[] = "asked"; /* by what it was read, kept with it */

static const rh_definition *recall(const rh_definitions *known, const char *op) {
  for (uint32_t k = 0; known && k < known->n; k++)
    if (strcmp(json_string_value(json_object_get(known->list[k].own, asked)), op) == 0)
      return &known->list[k];
  return NULL;
}

static rh_status remember(rh_definitions *known, const char *op, const rh_definition *definition,
                          rh_error *error) {
  RH_TRY(RH_ROOM(&known->list, known->n, "an operator", error));
  if (json_object_set_new(definition->own, asked, json_stringn_nocheck(op, strlen(op))) != 0)
    return rh_fail(error, RH_E_NOMEM, "no memory for an operator");
  known->list[known->n++] = *definition;
  json_incref(definition->own);
  return RH_OK;
}

static rh_status find_or_read(rh_definition *definition, const rh_operator_texts *texts,
                              const rh_options *options, rh_error *error) {
  const char *op = texts->op;
  const rh_definition *known = recall(texts->known, op);
  if (known) {
    *definition = *known;
    json_incref(definition->own);
    return RH_OK;
  }
  if (is_file(op)) RH_TRY(rh_definition_read_file(definition, op, error));
  else RH_TRY(rh_catalog_define(definition, options, op, error));
  return texts->known ? remember(texts->known, op, definition, error) : RH_OK;
}

static rh_status read_whole(rh_definition *definition, const rh_operator_texts *texts,
                            const rh_options *options, rh_error *error) {
  const char *op = texts->op;
  if (is_json(op)) RH_TRY(rh_definition_read(definition, op, strlen(op), "the operator", error));
  else RH_TRY(find_or_read(definition, texts, options, error));
  if (texts->where && definition->where)
    return rh_fail(error, RH_E_USAGE, "where: operator %s has its own", definition->name);
  if (texts->where) definition->where = texts->where;
  if (!texts->map && !texts->finalize && !texts->initial) return RH_OK;
  if (texts->initial && !texts->map && !texts->finalize)
    return rh_fail(error, RH_E_USAGE, "initial: operator %s takes none", definition->name);
  return rh_fail(error, RH_E_USAGE, "%s: operator %s has its own", texts->map ? "map" : "finalize",
                 definition->name);
}

static const char *keep(rh_definition *definition, const char *text, size_t length) {
  json_t *kept = json_stringn_nocheck(text, length);
  return json_array_append_new(definition->own, kept) == 0 ? json_string_value(kept) : NULL;
}

/* "mean=a.0/n, a.1": results with and without names. */
static rh_status take_results(rh_definition *definition, const char *list, rh_error *error) {
  int depth = 0;
  definition->own = json_array();
  for (const char *from = list, *at = list;; at++) {
    depth += (*at == '(') - (*at == ')');
    if (*at && (*at != ',' || depth > 0)) continue;
    uint32_t k = definition->n_results;
    if (k == RH_MOST_FIELDS)
      return rh_fail(error, RH_E_USAGE, "finalize: at most %d results", RH_MOST_FIELDS);
    while (isspace((unsigned char)*from)) from++;
    size_t word = strcspn(from, " =,"), equals = word + strspn(from + word, " ");
    rh_named_text *result = &definition->results[k];
    if (from[equals] == '=' && from[equals + 1] != '=' && rh_operator_is_name(from, word)) {
      result->name = keep(definition, from, word);
      from += equals + 1;
    } else {
      char name[16];
      result->name = keep(definition, name, (size_t)snprintf(name, sizeof name, "result%u", k));
    }
    result->text = keep(definition, from, (size_t)(at - from));
    if (!result->name || !result->text)
      return rh_fail(error, RH_E_NOMEM, "no memory for an operator");
    for (uint32_t j = 0; j < k; j++)
      if (strcmp(result->name, definition->results[j].name) == 0)
        return rh_fail(error, RH_E_USAGE, "finalize: two results are called %s", result->name);
    definition->n_results++;
    if (!*at) return RH_OK;
    from = at + 1;
  }
}

/* An operator of one field, "a > b ? a : b". */
static rh_status take_reduce(rh_definition *definition, const rh_operator_texts *texts,
                             rh_error *error) {
  if (texts->op) return rh_fail(error, RH_E_USAGE, "reduce and op are mutually exclusive");
  if (!texts->identity)
    return rh_fail(error, RH_E_USAGE,
                   "reduce needs an identity, the value that changes nothing, such as 0");
  rh_field_text *field = &definition->fields[0];
  definition->n_fields = 1;
  *field =
      (rh_field_text){.load = texts->map, .identity = texts->identity, .combine = texts->reduce};
  definition->flags = texts->commutes ? RH_OP_COMMUTATIVE : 0;
  return RH_OK;
}

int rh_operator_texts_are_own(const rh_operator_texts *texts) {
  return texts->map || texts->where || texts->reduce || texts->identity || texts->commutes ||
         texts->finalize || texts->initial || (texts->op && strchr(texts->op, ',')) ||
         is_whole(texts->op);
}

static rh_status compose(rh_definition *definition, const rh_operator_texts *texts,
                         const rh_options *options, rh_error *error) {
  if (texts->identity && !texts->reduce)
    return rh_fail(error, RH_E_USAGE, "identity goes with reduce");
  if (texts->commutes && !texts->reduce)
    return rh_fail(error, RH_E_USAGE, "commutes goes with reduce");
  if (texts->initial && texts->reduce)
    return rh_fail(error, RH_E_USAGE, "initial goes with a built-in operator, and not with reduce");
  if (!texts->reduce && is_whole(texts->op)) return read_whole(definition, texts, options, error);
  if (texts->finalize) RH_TRY(take_results(definition, texts->finalize, error));
  definition->where = texts->where;
  if (texts->reduce) return take_reduce(definition, texts, error);
  definition->ops = texts->op ? texts->op : "sum";
  definition->map = texts->map;
  definition->initial = texts->initial;
  return RH_OK;
}

rh_status rh_definition_compose(rh_definition *definition, const rh_operator_texts *texts,
                                const rh_options *options, rh_error *error) {
  RH_TRY(compose(definition, texts, options, error));
  definition->accuracy = texts->accuracy;
  return RH_OK;
}

rh_status rh_catalog_make(rh_custom **made, const rh_definition *definition,
                          const rh_operand *operands, uint32_t n_operands, const rh_let *lets,
                          uint32_t n_lets, rh_error *error) {
  rh_traits traits;
  rh_error why;
  rh_status status = rh_custom_create(made, definition, operands, n_operands, lets, n_lets, error);
  if (status != RH_E_USAGE || !definition->origin) return status;
  if (rh_traits_find(&traits, definition, &why) != RH_E_FILE) return status;
  if (error) *error = why;
  return RH_E_FILE;
}
