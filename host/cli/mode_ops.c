/* redhost --ops, and --info of an operator. */
#include "app.h"

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

/* Built-in operators are associative, and so are maps that they reduce. */
static json_t *claims_of(const rh_catalog_entry *entry) {
  json_t *list = json_array();
  if (!entry->definition.n_fields || entry->definition.claims_associative)
    json_array_append_new(list, json_string("associative"));
  if (entry->traits.commutes) json_array_append_new(list, json_string("commutative"));
  return list;
}

/* Under the keys of an operator file, whose own text has most of them. */
static void add_texts(json_t *object, const rh_definition *definition) {
  static const char *const keys[] = {"constants", "op",       "map",    "where", "initial",
                                     "value",     "code",     "load",   "let",   "identity",
                                     "combine",   "finalize", "by_type"};
  const json_t *file = definition->file;
  json_object_set_new(object, "finalize", json_object());
  if (json_object_get(file, "load")) json_object_set_new(object, "let", json_object());
  for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
    json_object_set(object, keys[k], json_object_get(file, keys[k]));
  if (definition->about) json_object_set_new(object, "about", json_string(definition->about));
  if (definition->code) json_object_set_new(object, "source", rh_json_bytes(definition->code));
}

/* Everything that --ops says of it; whole: its texts, too. */
static json_t *operator_json(const rh_catalog_entry *entry, int whole) {
  static const char *const origins[] = {"file", "redhost", "built-in"};
  const rh_definition *definition = &entry->definition;
  const rh_traits *traits = &entry->traits;
  json_t *operands = json_incref(json_object_get(definition->file, "operands"));
  if (!operands) operands = json_pack("[s]", "x");
  json_t *exact = rh_json("integers:b floats:b", traits->exact_integers, traits->exact_floats);
  json_t *object =
      rh_json("name:s summary:s origin:s file:s form:s operands:o types:o results:o "
              "commutes:b exact:o claims:o shadowed_by:s",
              entry->name, summary_of(entry), origins[entry->origin], entry->path, form_of(entry),
              operands, types_of(traits->types), names_of(traits->results, traits->n_results),
              (int)traits->commutes, exact, claims_of(entry), entry->shadowed_by);
  if (whole && !entry->op) add_texts(object, definition);
  return object;
}

/* ---- Text, of the same ---- */

/* The strings of an array, or `none`. */
static const char *list_in(const json_t *object, const char *key, const char *between,
                           const char *none) {
  size_t k;
  const json_t *word;
  const char *text = "";
  json_array_foreach(json_object_get(object, key), k, word) text =
      rh_show("%s%s%s", text, k ? between : "", json_string_value(word));
  return *text ? text : none;
}

static void print_line(const char *heading, const char *text) {
  if (text) printf("%-11s %s\n", heading, rh_plain(text));
}

/* "map         x*y", or "NAME = TEXT" of each member, or of each of a list by the names of the
 * value's fields. */
static void print_text(const char *heading, const json_t *file, const char *key) {
  const json_t *text = json_object_get(file, key);
  json_t *names = json_is_array(text) ? json_object_get(file, "value") : (json_t *)(uintptr_t)text;
  const char *name;
  json_t *member;
  size_t k = 0;
  print_line(heading, json_string_value(text));
  json_object_foreach(names, name, member) {
    const json_t *of = json_is_array(text) ? json_array_get(text, k++) : member;
    RH_FREED(char) number = json_dumps(of, JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));
    printf("%-11s %s = %s\n", heading, name,
           rh_plain(json_is_string(of) ? json_string_value(of) : number));
    heading = "";
  }
}

/* Of an operator file, or of a part of it for some types. */
static void print_texts(const json_t *file, const char *code) {
  static const char *const keys[] = {"constants", "op",  "map",     "where",   "load",
                                     "identity",  "let", "combine", "finalize"};
  const char *types;
  const json_t *body;
  print_line("OpenCL C", code);
  for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) print_text(keys[k], file, keys[k]);
  json_object_foreach(json_object_get(file, "by_type"), types, body) {
    printf("\nof %s:\n", types);
    print_texts(body, NULL);
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

static void print_about(const char *about) {
  if (!about) return;
  for (const char *line = about; line;) {
    size_t length = strcspn(line, "\n");
    if (length) rh_print_wrapped(rh_plain(rh_show("%.*s", (int)length, line)), "", "", 78);
    else putchar('\n');
    line = line[length] ? line + length + 1 : NULL;
  }
  putchar('\n');
}

static void print_page(const rh_catalog_entry *entry) {
  json_auto_t *object = operator_json(entry, 0);
  const char *origin = entry->op ? "built in" : "comes with redhost";
  printf("%s - %s\n\n", rh_styled(RH_BOLD, entry->name), rh_plain(summary_of(entry)));
  print_about(entry->definition.about);
  print_line("operator", entry->path ? entry->path : origin);
  print_line("operands", list_in(object, "operands", ", ", ""));
  print_line("types", list_in(object, "types", " ", "integers with floats"));
  print_value(&entry->definition, entry->traits.value_bytes);
  print_line("results", list_in(object, "results", ", ", ""));
  print_line("claims", list_in(object, "claims", ", ", "none"));
  print_line("exact", exactness_of(entry));
  if (entry->op) return;
  const char *code = entry->definition.code ? "in the operator's file" : NULL;
  if (entry->definition.code_file) code = entry->definition.code_file;
  putchar('\n');
  print_texts(entry->definition.file, code);
}

rh_status rh_operator_page(const rh_app *app, const rh_catalog_entry *entry, rh_error *error) {
  if (app->typed->json)
    return rh_json_print(rh_json("operators:o", rh_json_one(operator_json(entry, 1))), error);
  if (!app->typed->quiet) print_page(entry);
  else if (entry->path) rh_print_path(entry->path);
  else printf("%s\n", entry->name);
  return RH_OK;
}

/* ---- All of them ---- */

static void add_row(rh_table *table, const rh_catalog_entry *entry) {
  static const char *const origins[] = {"file", "redhost", "built in"};
  json_auto_t *object = operator_json(entry, 0);
  rh_table_row(table, "*      ", entry->name, list_in(object, "operands", ", ", ""),
               list_in(object, "results", ", ", ""), list_in(object, "claims", ", ", "none"),
               exactness_of(entry), origins[entry->origin], summary_of(entry));
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
  for (uint32_t k = 0; k < catalog->search.n_notes; k++)
    printf("note: %s\n", rh_plain(catalog->search.notes[k]));
}

static void print_operators(const rh_catalog *catalog) {
  rh_table table = {0};
  uint32_t n = 0;
  rh_table_begin(&table, "NAME|OPERANDS|RESULTS|CLAIMS|EXACT|FROM|NOTE");
  for (uint32_t k = 0; k < catalog->n_entries; k++) {
    if (catalog->entries[k].shadowed_by) continue;
    add_row(&table, &catalog->entries[k]);
    n++;
  }
  printf("Operators, for --op\n\n");
  rh_table_print(&table, "  ");
  printf("\n%u operators.\n", n);
  print_rest(catalog);
  printf("redhost --info NAME describes one.\n");
}

static rh_status print_operators_json(const rh_catalog *catalog, rh_error *error) {
  json_t *list = json_array(), *refused = json_array();
  for (uint32_t k = 0; k < catalog->n_entries; k++)
    json_array_append_new(list, operator_json(&catalog->entries[k], 0));
  for (uint32_t k = 0; k < catalog->n_refusals; k++)
    json_array_append_new(refused, rh_json("path:s reason:s", catalog->refusals[k].candidate->path,
                                           catalog->refusals[k].message));
  return rh_json_print(rh_json("operators:o not_loaded:o notes:o", list, refused,
                               rh_json_strings(catalog->search.notes, catalog->search.n_notes)),
                       error);
}

rh_status rh_mode_ops(const rh_app *app, rh_error *error) {
  RH_FINISHED(rh_catalog) catalog = {0};
  RH_TRY(rh_catalog_scan(&catalog, &app->context->options, NULL, error));
  if (app->typed->json) return print_operators_json(&catalog, error);
  if (!app->typed->quiet) print_operators(&catalog);
  for (uint32_t k = 0; app->typed->quiet && k < catalog.n_entries; k++)
    if (!catalog.entries[k].shadowed_by) printf("%s\n", catalog.entries[k].name);
  return RH_OK;
}
