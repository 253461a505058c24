/* redhost --ops, and --info of an operator. */
#include "offers.h"

/* ---- Words ---- */

static const char *names(const char list[][RH_OPERATOR_NAME_BYTES], uint32_t n) {
  const char *text = "";
  for (uint32_t k = 0; k < n; k++) text = rh_show("%s%s%s", text, k ? ", " : "", list[k]);
  return text;
}

/* "x, y": names with commas between. */
static const char *operands_of(const rh_catalog_entry *entry) {
  const rh_definition *definition = &entry->definition;
  return definition->n_operands ? names(definition->operands, definition->n_operands) : "x";
}

static const char *results_of(const rh_catalog_entry *entry) {
  return names(entry->traits.results, entry->traits.n_results);
}

/* Built-in operators are associative, and so are maps that they reduce. */
static int is_associative(const rh_catalog_entry *entry) {
  return !entry->definition.n_fields || entry->definition.claims_associative;
}

/* "associative, commutative"; "none" */
static const char *claims_text(const rh_catalog_entry *entry) {
  if (!is_associative(entry)) return entry->traits.commutes ? "commutative" : "none";
  return entry->traits.commutes ? "associative, commutative" : "associative";
}

/* "yes", "integers", "no" */
static const char *exactness_of(const rh_catalog_entry *entry) {
  const rh_traits *traits = &entry->traits;
  uint32_t floats = 1u << RH_TYPE_f16 | 1u << RH_TYPE_f32 | 1u << RH_TYPE_f64;
  if (!(traits->types & floats)) return traits->exact_integers ? "yes" : "no";
  if (!(traits->types & ~floats)) return traits->exact_floats ? "yes" : "no";
  if (traits->exact_integers) return traits->exact_floats ? "yes" : "integers";
  return traits->exact_floats ? "floats" : "no";
}

/* One line; never null. */
static const char *summary_of(const rh_catalog_entry *entry) {
  static const char *const built_in[] = {
      [RH_OP_sum] = "the sum",
      [RH_OP_prod] = "the product",
      [RH_OP_min] = "the least element",
      [RH_OP_max] = "the largest element",
      [RH_OP_argmin] = "the first of the least elements, and its index",
      [RH_OP_argmax] = "the first of the largest elements, and its index",
      [RH_OP_and] = "the bits that all elements have",
      [RH_OP_or] = "the bits that any element has",
      [RH_OP_xor] = "the parity of each bit",
      [RH_OP_affine] = "the composition of affine maps, in index order",
      [RH_OP_asum] = "the sum of magnitudes",
      [RH_OP_amax] = "the largest magnitude",
      [RH_OP_argamax] = "the first of the largest magnitudes, and its index"};
  if (entry->op) return built_in[entry->op];
  return entry->definition.summary ? entry->definition.summary : "";
}

static const char *form_of(const rh_catalog_entry *entry) {
  if (entry->op) return "built-in";
  if (entry->definition.code) return "code";
  return entry->definition.n_fields ? "expressions" : "map";
}

/* ---- JSON ---- */

static json_t *names_of(const char names[][RH_OPERATOR_NAME_BYTES], uint32_t n) {
  json_t *list = json_array();
  for (uint32_t k = 0; k < n; k++) json_array_append_new(list, json_string(names[k]));
  return list;
}

static json_t *types_of(uint32_t types) {
  json_t *list = json_array();
  for (rh_type type = 1; type <= RH_N_TYPES; type++)
    if (types >> type & 1) json_array_append_new(list, json_string(rh_type_name(type)));
  return list;
}

static json_t *claims_of(const rh_catalog_entry *entry) {
  json_t *list = json_array();
  if (is_associative(entry)) json_array_append_new(list, json_string("associative"));
  if (entry->traits.commutes) json_array_append_new(list, json_string("commutative"));
  return list;
}

/* Under the keys of an operator file, whose own text has most of them. */
static void add_texts(json_t *object, const rh_definition *definition) {
  static const char *const keys[] = {"constants", "op",       "map",    "where", "initial",
                                     "value",     "code",     "load",   "let",   "identity",
                                     "combine",   "finalize", "by_type"};
  json_t *file = json_loadb(definition->json, definition->json_length, 0, NULL);
  json_object_set_new(object, "finalize", json_object());
  if (json_object_get(file, "load")) json_object_set_new(object, "let", json_object());
  for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
    json_object_set(object, keys[k], json_object_get(file, keys[k]));
  json_decref(file);
  if (definition->about) json_object_set_new(object, "about", json_string(definition->about));
  if (definition->code) json_object_set_new(object, "source", rh_json_bytes(definition->code));
}

/* Everything that --ops says of it; whole: its texts, too. */
static json_t *operator_json(const rh_catalog_entry *entry, int whole) {
  static const char *const origins[] = {"file", "redhost", "built-in"};
  static const char only[1][RH_OPERATOR_NAME_BYTES] = {"x"};
  const rh_definition *definition = &entry->definition;
  const rh_traits *traits = &entry->traits;
  json_t *operands = definition->n_operands ? names_of(definition->operands, definition->n_operands)
                                            : names_of(only, 1);
  json_t *object = json_pack(
      "{s:s, s:o, s:s, s:o, s:s, s:o, s:o, s:o, s:b, s:{s:b, s:b}, s:o, s:o}", "name", entry->name,
      "summary", rh_json_bytes(summary_of(entry)), "origin", origins[entry->origin], "file",
      rh_json_bytes(entry->path), "form", form_of(entry), "operands", operands, "types",
      types_of(traits->types), "results", names_of(traits->results, traits->n_results), "commutes",
      (int)traits->commutes, "exact", "integers", (int)traits->exact_integers, "floats",
      (int)traits->exact_floats, "claims", claims_of(entry), "shadowed_by",
      rh_json_bytes(entry->shadowed_by));
  if (whole && !entry->op) add_texts(object, definition);
  return object;
}

/* ---- Text ---- */

static void print_texts(const char *heading, const rh_named_text *texts, uint32_t n) {
  for (uint32_t k = 0; k < n; k++)
    printf("%-11s %s = %s\n", k ? "" : heading, texts[k].name, rh_plain(texts[k].text));
}

static void print_field_texts(const char *heading, const rh_definition *definition, size_t offset) {
  if (definition->code) return;
  for (uint32_t k = 0; k < definition->n_fields; k++) {
    const rh_field_text *field = &definition->fields[k];
    const char *text = *(char *const *)(const void *)((const char *)field + offset);
    printf("%-11s %s = %s\n", k ? "" : heading, field->name, rh_plain(text));
  }
}

/* bytes: of a value; 0: unknown. */
static void print_value(const rh_definition *definition, uint32_t bytes) {
  if (!definition->n_fields) return;
  printf("value       ");
  for (uint32_t k = 0; k < definition->n_fields; k++)
    printf("%s%s %s", k ? ", " : "", definition->fields[k].name,
           rh_type_name(definition->fields[k].type));
  if (bytes) printf("; %u bytes", bytes);
  putchar('\n');
}

/* "i64 u64", or "exact i64 u64" */
static const char *list_types(uint32_t types) {
  const char *list = types >> RH_BY_EXACT ? "exact" : "";
  types |= types >> RH_BY_EXACT;
  for (rh_type type = 1; type <= RH_N_TYPES; type++)
    if (types >> type & 1) list = rh_show("%s%s%s", list, *list ? " " : "", rh_type_name(type));
  return list;
}

static void print_line(const char *heading, const char *text) {
  if (text) printf("%-11s %s\n", heading, rh_plain(text));
}

/* The texts, below a line that is not ended. */
static void print_definition(const rh_definition *definition) {
  putchar('\n');
  for (uint32_t k = 0; k < definition->n_constants; k++) {
    const rh_expr_value *value = &definition->constants[k].value;
    printf("%-11s %s = ", k ? "" : "constants", definition->constants[k].name);
    if (value->is_float) printf("%.17g\n", value->as.f);
    else printf("%lld\n", (long long)value->as.i);
  }
  const char *file = definition->code_file ? definition->code_file : "in the operator's file";
  print_line("op", definition->ops);
  print_line("map", definition->map);
  print_line("where", definition->where);
  print_line("OpenCL C", definition->code ? file : NULL);
  print_field_texts("load", definition, offsetof(rh_field_text, load));
  print_field_texts("identity", definition, offsetof(rh_field_text, identity));
  print_texts("let", definition->lets, definition->n_lets);
  print_field_texts("combine", definition, offsetof(rh_field_text, combine));
  print_texts("finalize", definition->results, definition->n_results);
  for (uint32_t k = 0; k < definition->n_by_type; k++) {
    const rh_definition *body = definition->by_type[k].body;
    printf("\nof %s:", list_types(definition->by_type[k].types));
    print_definition(body);
  }
}

static void print_about(const char *about) {
  if (!about) return;
  for (const char *line = about; line;) {
    size_t length = strcspn(line, "\n");
    char *copy = strndup(line, length);
    if (copy && *copy) rh_print_wrapped(stdout, rh_plain(copy), "", 78);
    else putchar('\n');
    free(copy);
    line = line[length] ? line + length + 1 : NULL;
  }
  putchar('\n');
}

static void print_page(const rh_app *app, const rh_catalog_entry *entry) {
  printf("%s - %s\n\n", rh_styled(app->terminal, RH_BOLD, entry->name),
         rh_plain(summary_of(entry)));
  print_about(entry->definition.about);
  print_line("operator", entry->path                           ? entry->path
                         : entry->origin == RH_ORIGIN_BUILT_IN ? "built in"
                                                               : "comes with redhost");
  print_line("operands", operands_of(entry));
  print_line("types",
             entry->traits.types ? list_types(entry->traits.types) : "integers with floats");
  print_value(&entry->definition, entry->traits.value_bytes);
  print_line("results", results_of(entry));
  print_line("claims", claims_text(entry));
  print_line("exact", exactness_of(entry));
  if (!entry->op) print_definition(&entry->definition);
}

rh_status rh_operator_page(const rh_app *app, const rh_catalog_entry *entry, rh_error *error) {
  if (app->typed->json)
    return rh_json_print(json_pack("{s:[o]}", "operators", operator_json(entry, 1)), error);
  if (!app->typed->quiet) print_page(app, entry);
  else if (entry->path) rh_print_path(entry->path);
  else printf("%s\n", entry->name);
  return RH_OK;
}

/* ---- All of them ---- */

static void add_row(rh_table *table, const rh_catalog_entry *entry) {
  static const char *const origins[] = {"file", "redhost", "built in"};
  rh_table_row(table, "*      ", entry->name, operands_of(entry), results_of(entry),
               claims_text(entry), exactness_of(entry), origins[entry->origin], summary_of(entry));
}

/* Nothing is skipped silently. */
static void print_rest(const rh_catalog *catalog) {
  for (uint32_t k = 0; k < catalog->n_entries; k++)
    if (catalog->entries[k].path && !catalog->entries[k].shadowed_by)
      printf("found: %s in %s\n", catalog->entries[k].name, rh_plain(catalog->entries[k].path));
  for (uint32_t k = 0; k < catalog->n_refusals; k++)
    printf("not loaded: %s\n", rh_plain(catalog->refusals[k].message));
  for (uint32_t k = 0; k < catalog->n_entries; k++) {
    const rh_catalog_entry *entry = &catalog->entries[k];
    if (entry->shadowed_by)
      printf("shadowed: %s %s%s, by %s\n", entry->name, entry->path ? "in " : "that comes with ",
             entry->path ? rh_plain(entry->path) : "redhost", rh_plain(entry->shadowed_by));
  }
  for (uint32_t k = 0; k < catalog->n_notes; k++) printf("note: %s\n", rh_plain(catalog->notes[k]));
}

static void print_operators(const rh_app *app, const rh_catalog *catalog) {
  rh_table table = {0};
  uint32_t n = 0;
  rh_table_begin(&table, "NAME|OPERANDS|RESULTS|CLAIMS|EXACT|FROM|NOTE");
  for (uint32_t k = 0; k < catalog->n_entries; k++) {
    if (catalog->entries[k].shadowed_by) continue;
    add_row(&table, &catalog->entries[k]);
    n++;
  }
  printf("Operators, for --op\n\n");
  rh_table_print(&table, app->terminal, "  ");
  printf("\n%u operators.\n", n);
  print_rest(catalog);
  printf("redhost --info NAME describes one.\n");
}

static rh_status print_operators_json(const rh_catalog *catalog, rh_error *error) {
  json_t *list = json_array(), *refused = json_array();
  for (uint32_t k = 0; k < catalog->n_entries; k++)
    json_array_append_new(list, operator_json(&catalog->entries[k], 0));
  for (uint32_t k = 0; k < catalog->n_refusals; k++)
    json_array_append_new(refused,
                          json_pack("{s:o, s:o}", "path", rh_json_bytes(catalog->refusals[k].path),
                                    "reason", rh_json_bytes(catalog->refusals[k].message)));
  return rh_json_print(json_pack("{s:o, s:o, s:o}", "operators", list, "not_loaded", refused,
                                 "notes", rh_json_strings(catalog->notes, catalog->n_notes)),
                       error);
}

rh_status rh_mode_ops(const rh_app *app, rh_error *error) {
  rh_catalog catalog;
  rh_status status = rh_catalog_scan(&catalog, &app->context->options, error);
  if (status != RH_OK) return status;
  if (app->typed->json) status = print_operators_json(&catalog, error);
  else if (!app->typed->quiet) print_operators(app, &catalog);
  else
    for (uint32_t k = 0; k < catalog.n_entries; k++)
      if (!catalog.entries[k].shadowed_by) printf("%s\n", catalog.entries[k].name);
  rh_catalog_finish(&catalog);
  return status;
}
