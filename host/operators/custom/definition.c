#include "custom.h"

/* Does the same to all texts, but not to those of `by_type`; 1: each time it returned 1. */
static int each_text(rh_definition *of, int (*visit)(char **text)) {
  char **texts[] = {&of->summary, &of->about, &of->origin,  &of->json,      &of->ops,
                    &of->map,     &of->where, &of->initial, &of->code_file, &of->code};
  int all = 1;
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) all &= visit(texts[k]);
  for (uint32_t k = 0; k < of->n_fields; k++)
    all &=
        visit(&of->fields[k].load) & visit(&of->fields[k].identity) & visit(&of->fields[k].combine);
  for (uint32_t k = 0; k < of->n_lets; k++) all &= visit(&of->lets[k].text);
  for (uint32_t k = 0; k < of->n_results; k++) all &= visit(&of->results[k].text);
  return all;
}

static int release(char **text) {
  free(*text);
  return 1;
}

void rh_definition_finish(rh_definition *definition) {
  each_text(definition, release);
  for (uint32_t k = 0; k < definition->n_by_type; k++) {
    if (definition->by_type[k].body) rh_definition_finish(definition->by_type[k].body);
    free(definition->by_type[k].body);
  }
  *definition = (rh_definition){0};
}

/* What is said of the exact answer goes before what is said of any. */
static const rh_definition *body_for(const rh_definition *of, rh_type type) {
  const rh_definition *body = NULL;
  for (uint32_t k = 0; k < of->n_by_type; k++) {
    int is_exact = of->accuracy && of->by_type[k].types >> (RH_BY_EXACT + type) & 1;
    if (is_exact || (!body && of->by_type[k].types >> type & 1)) body = of->by_type[k].body;
    if (is_exact) break;
  }
  return body;
}

rh_definition rh_definition_for(const rh_definition *of, rh_type type) {
  const rh_definition *body = body_for(of, type);
  rh_definition made = *of;
  made.n_by_type = 0;
  if (!body) return made;
  made.ops = body->ops;
  made.map = body->map;
  made.ops_at = body->ops_at;
  made.map_at = body->map_at;
  made.n_fields = body->n_fields;
  memcpy(made.fields, body->fields, sizeof made.fields);
  made.n_lets = body->n_lets;
  memcpy(made.lets, body->lets, sizeof made.lets);
  made.n_results = body->n_results;
  memcpy(made.results, body->results, sizeof made.results);
  made.flags = body->flags;
  made.claims_associative = body->claims_associative;
  return made;
}

static int copy(char **text) { return !*text || (*text = strdup(*text)); }

rh_status rh_definition_copy(rh_definition *to, const rh_definition *from, rh_error *error) {
  *to = *from;
  int copied = each_text(to, copy);
  for (uint32_t k = 0; k < to->n_by_type; k++) {
    rh_definition **body = &to->by_type[k].body;
    const rh_definition *other = *body;
    if ((*body = calloc(1, sizeof **body)))
      copied &= rh_definition_copy(*body, other, NULL) == RH_OK;
    copied &= *body != NULL;
  }
  return copied ? RH_OK : rh_fail(error, RH_E_NOMEM, "no memory for an operator");
}

const char *rh_definition_what(char what[RH_WHAT_BYTES], const rh_definition *definition,
                               const char *key, rh_json_place at) {
  if (definition->origin && at.line)
    snprintf(what, RH_WHAT_BYTES, "%.500s:%u:%u: \"%s\"", definition->origin, at.line, at.column,
             key);
  else snprintf(what, RH_WHAT_BYTES, "%s", key);
  return what;
}

rh_status rh_definition_blame(const rh_definition *definition, const char *key, rh_json_place at,
                              rh_error *error) {
  if (definition->origin && at.line) rh_error_prefix(error, "%s", RH_WHAT(definition, key, at));
  return error ? error->status : RH_E_USAGE;
}

int rh_operator_is_name(const char *text, size_t length) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  return length > 0 && length < RH_OPERATOR_NAME_BYTES && strspn(text, letters) >= length &&
         !strchr("0123456789", *text);
}

int rh_definition_name_is_valid(const char *name) {
  static const char *const taken[] = {"i", "n", "inf", "nan"};
  for (size_t k = 0; k < sizeof taken / sizeof *taken; k++)
    if (strcmp(name, taken[k]) == 0) return 0;
  return rh_operator_is_name(name, strlen(name));
}

void rh_definition_add_line(rh_text *to, const char *file, uint32_t line) {
  rh_text_add(to, "#line %u \"", line);
  for (; *file; file++) /* what a string of C cannot have as it is */
    rh_text_append(to, (unsigned char)*file < ' ' || strchr("\"\\", *file) ? "?" : file, 1);
  rh_text_add(to, "\"\n");
}
