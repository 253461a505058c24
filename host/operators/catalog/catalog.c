#include "catalog.h"

/* ---- The traits of an operator ---- found by making it for operands of each type. */

/* Takes an operator that was made for operands of the type; 0: of several types. */
static void add_made(rh_traits *traits, rh_type type, const rh_custom *made) {
  static const char names[][RH_OPERATOR_NAME_BYTES] = {"value", "index"};
  uint32_t own = made->face.n_results;
  if (!traits->n_results) {
    traits->commutes = (made->op.flags & RH_OP_COMMUTATIVE) != 0;
    traits->n_results = own ? own : made->op.flags & RH_OP_INDEXED ? 2 : 1;
    memcpy(traits->results, own ? made->results : names, own ? sizeof made->results : sizeof names);
  }
  if (made->op.value_size > traits->value_bytes) traits->value_bytes = made->op.value_size;
  if (!type) return;
  const uint32_t floats = 1u << RH_TYPE_f16 | 1u << RH_TYPE_f32 | 1u << RH_TYPE_f64;
  int is_float = rh_type_is_float(type), is_exact = (made->op.flags & RH_OP_EXACT) != 0;
  int *of = is_float ? &traits->exact_floats : &traits->exact_integers;
  *of = is_exact && (*of || !(traits->types & (is_float ? floats : ~floats)));
  traits->types |= 1u << type;
}

/* types[k]: of operand k. */
static rh_status try_types(rh_custom **made, const rh_definition *definition, const rh_type *types,
                           rh_error *error) {
  rh_operand operands[RH_MOST_OPERANDS] = {0};
  for (uint32_t k = 0; k < definition->n_operands; k++) {
    snprintf(operands[k].name, RH_OPERATOR_NAME_BYTES, "%s", definition->operands[k]);
    operands[k].type = types[k];
  }
  return rh_custom_create(made, definition, operands, definition->n_operands, NULL, 0, error);
}

/* Some operators need integers and floats: a value and a mask. */
static rh_status try_mixed(rh_traits *traits, const rh_definition *definition) {
  rh_type types[RH_MOST_OPERANDS] = {0};
  rh_custom *made;
  for (uint32_t mask = 1; mask + 1 < 1u << definition->n_operands; mask++) {
    for (uint32_t k = 0; k < definition->n_operands; k++)
      types[k] = mask >> k & 1 ? RH_TYPE_i32 : RH_TYPE_f32;
    if (try_types(&made, definition, types, NULL) != RH_OK) continue;
    add_made(traits, 0, made);
    rh_custom_destroy(made);
    return RH_OK;
  }
  return RH_E_FILE;
}

/* RH_E_FILE, with the reason, if it can be made for no types of its operands. */
static rh_status find_traits(rh_traits *traits, const rh_definition *definition, rh_error *error) {
  /* The first ones are the likeliest, and their message is shown. */
  static const rh_type order[RH_N_TYPES] = {RH_TYPE_f32, RH_TYPE_f64, RH_TYPE_f16, RH_TYPE_i32,
                                            RH_TYPE_u32, RH_TYPE_i64, RH_TYPE_u64, RH_TYPE_i8,
                                            RH_TYPE_u8,  RH_TYPE_i16, RH_TYPE_u16};
  rh_error first = {0}, why = {0};
  *traits = (rh_traits){0};
  for (size_t j = 0; j < RH_N_TYPES; j++) {
    rh_type types[RH_MOST_OPERANDS];
    rh_custom *made;
    for (uint32_t k = 0; k < RH_MOST_OPERANDS; k++) types[k] = order[j];
    if (try_types(&made, definition, types, j ? &why : &first) == RH_E_NOMEM)
      return rh_fail(error, RH_E_NOMEM, "no memory for an operator");
    if (!made) continue;
    add_made(traits, order[j], made);
    rh_custom_destroy(made);
  }
  if (traits->types || try_mixed(traits, definition) == RH_OK) return RH_OK;
  return rh_fail(error, RH_E_FILE, "%s", first.message);
}

/* ---- The list ---- */

static rh_status refuse(rh_catalog *catalog, const rh_candidate *candidate, const char *name,
                        const char *message, rh_error *error) {
  rh_catalog_refusal *refusal = &catalog->refusals[catalog->n_refusals++];
  refusal->candidate = candidate;
  snprintf(refusal->name, sizeof refusal->name, "%s", name);
  return rh_copy(&refusal->message, message, "a list of operators", error);
}

static rh_catalog_entry *add_entry(rh_catalog *catalog, const char *name,
                                   rh_operator_origin origin) {
  rh_catalog_entry *entry = &catalog->entries[catalog->n_entries++];
  snprintf(entry->name, sizeof entry->name, "%s", name);
  entry->origin = origin;
  entry->place = UINT32_MAX; /* after all directories */
  return entry;
}

/* only: null, or the one name that is wanted. */
static rh_status add_file(rh_catalog *catalog, const rh_candidate *candidate, const char *only,
                          rh_error *error) {
  rh_definition definition = {0};
  rh_traits traits = {0};
  rh_error why = {0};
  rh_status status =
      candidate->refused
          ? rh_fail(&why, RH_E_FILE, "%.512s: %.500s", candidate->path, candidate->refused)
          : rh_definition_read_file(&definition, candidate->path, &why);
  int is_wanted = status == RH_OK && (!only || strcmp(only, definition.name) == 0);
  char name[RH_OPERATOR_NAME_BYTES] = "";
  if (definition.name) snprintf(name, sizeof name, "%s", definition.name);
  if (is_wanted) status = find_traits(&traits, &definition, &why);
  if (status == RH_OK && is_wanted) {
    rh_catalog_entry *entry = add_entry(catalog, name, RH_ORIGIN_FILE);
    entry->definition = definition;
    entry->traits = traits;
    entry->place = candidate->place;
    entry->path = candidate->path;
    return RH_OK;
  }
  rh_definition_finish(&definition);
  if (status == RH_OK) return RH_OK;
  return refuse(catalog, candidate, name, why.message, error);
}

static rh_status add_own(rh_catalog *catalog, const char *only, rh_error *error) {
  const char *text, *name;
  for (size_t k = 0; (text = rh_library_text(k, &name)); k++) {
    if (only && strcmp(only, name) != 0) continue;
    rh_catalog_entry *entry = add_entry(catalog, name, RH_ORIGIN_REDHOST);
    RH_TRY(rh_definition_read(&entry->definition, text, strlen(text), name, error));
    if (!only) RH_TRY(find_traits(&entry->traits, &entry->definition, error));
  }
  for (uint32_t op = 1; op <= RH_N_OPS && !only; op++) {
    rh_catalog_entry *entry = add_entry(catalog, rh_op_name(op), RH_ORIGIN_BUILT_IN);
    const rh_definition of = {.n_operands = 1, .operands = {"x"}, .ops = entry->name};
    entry->op = op;
    RH_TRY(find_traits(&entry->traits, &of, error));
  }
  return RH_OK;
}

static int compare_entries(const void *left, const void *right) {
  const rh_catalog_entry *a = left, *b = right;
  int order = strcmp(a->name, b->name);
  if (order) return order;
  if (a->place != b->place) return a->place < b->place ? -1 : 1;
  return a->path && b->path ? rh_rank_files(a->path, b->path, a->name) : 0;
}

/* Sorts, and marks all but the first of each name. */
static void shadow(rh_catalog *catalog) {
  const rh_catalog_entry *first = catalog->entries;
  qsort(catalog->entries, catalog->n_entries, sizeof *catalog->entries, compare_entries);
  for (uint32_t k = 1; k < catalog->n_entries; k++) {
    rh_catalog_entry *entry = &catalog->entries[k];
    if (strcmp(entry->name, first->name) != 0) first = entry;
    else entry->shadowed_by = first->path;
  }
}

rh_status rh_catalog_scan(rh_catalog *catalog, const rh_options *options, const char *only,
                          rh_error *error) {
  const rh_discovery *search = &catalog->search;
  size_t own = RH_N_OPS;
  for (size_t k = 0; rh_library_text(k, NULL); k++) own++;
  RH_TRY(rh_discover(&catalog->search, RH_OPERATORS, options, error));
  RH_TRY(RH_NEW(&catalog->entries, search->n + own, "a list of operators", error));
  RH_TRY(RH_NEW(&catalog->refusals, search->n, "a list of operators", error));
  for (uint32_t k = 0; k < search->n; k++)
    RH_TRY(add_file(catalog, &search->candidates[k], only, error));
  RH_TRY(add_own(catalog, only, error));
  shadow(catalog);
  return RH_OK;
}

void rh_catalog_finish(rh_catalog *catalog) {
  for (uint32_t k = 0; k < catalog->n_entries; k++)
    rh_definition_finish(&catalog->entries[k].definition);
  for (uint32_t k = 0; k < catalog->n_refusals; k++) free(catalog->refusals[k].message);
  free(catalog->entries);
  free(catalog->refusals);
  rh_discovery_finish(&catalog->search);
}

const rh_catalog_entry *rh_catalog_find(const rh_catalog *catalog, const char *name) {
  for (uint32_t k = 0; k < catalog->n_entries; k++)
    if (strcmp(catalog->entries[k].name, name) == 0) return &catalog->entries[k];
  return NULL;
}

/* ---- By name, file or text ---- */

/* The first file that should have had the operator and cannot be used: it has its name, or is the
 * file that the caller named. */
static const rh_catalog_refusal *find_refused(const rh_catalog *catalog, const rh_options *options,
                                              const char *name) {
  const char *file = options ? options->plugin_file : NULL;
  int names_one = file && rh_is_operator_file(file);
  for (uint32_t k = 0; k < catalog->n_refusals; k++) {
    const rh_catalog_refusal *refusal = &catalog->refusals[k];
    if (strcmp(refusal->name, name) == 0 || rh_bears_name(refusal->candidate->path, name) ||
        (names_one && refusal->candidate->place == 0 && !*refusal->name))
      return refusal;
  }
  return NULL;
}

/* Names every operator, so it reads all of them. */
static rh_status fail_unknown(const rh_options *options, const char *name, rh_error *error) {
  char hint[RH_SUGGESTION_BYTES];
  RH_FINISHED(rh_catalog) all = {0};
  RH_FINISHED(rh_text) known = {0};
  RH_FREED(const char *) names = NULL;
  const char *instead = rh_op_instead(name);
  RH_TRY(rh_catalog_scan(&all, options, NULL, error));
  RH_TRY(RH_NEW(&names, all.n_entries, "a suggestion", error));
  for (uint32_t k = 0; k < all.n_entries; k++) {
    names[k] = all.entries[k].name;
    if (!all.entries[k].shadowed_by) rh_text_add(&known, " %s", names[k]);
  }
  if (instead)
    return rh_fail(error, RH_E_USAGE, "unknown operator '%.64s': %s. Known:%s", name, instead,
                   rh_text_get(&known));
  return rh_fail(error, RH_E_USAGE, "unknown operator '%.64s'%s Known:%s", name,
                 rh_suggest(hint, name, names, all.n_entries, "."), rh_text_get(&known));
}

/* The definition of the operator of that name, which no built-in one has.  A file of that name that
 * comes before it and cannot be used is logged. */
static rh_status define(rh_definition *definition, const rh_options *options, const char *name,
                        rh_error *error) {
  RH_FINISHED(rh_catalog) catalog = {0};
  *definition = (rh_definition){0};
  RH_TRY(rh_catalog_scan(&catalog, options, name, error));
  rh_catalog_entry *entry = catalog.n_entries ? &catalog.entries[0] : NULL;
  const rh_catalog_refusal *refused = find_refused(&catalog, options, name);
  if (entry) {
    if (refused && refused->candidate->place <= entry->place)
      rh_log(options ? &options->reporter : NULL, RH_LOG_WARNING,
             "an operator file is not used: %s. Operator %s is that of %s", refused->message, name,
             entry->path ? entry->path : "redhost");
    *definition = entry->definition;
    entry->definition = (rh_definition){0};
    return RH_OK;
  }
  if (refused) return rh_fail(error, RH_E_FILE, "operator %s: %s", name, refused->message);
  return fail_unknown(options, name, error);
}

const char *rh_operand_usual_name(uint32_t k) {
  static const char *const names[RH_MOST_OPERANDS] = {"x", "y", "z", "w", "v", "u", "s", "r"};
  return names[k];
}

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
  else RH_TRY(define(definition, options, op, error));
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

rh_status rh_definition_compose(rh_definition *definition, const rh_operator_texts *texts,
                                const rh_options *options, rh_error *error) {
  if (texts->identity && !texts->reduce)
    return rh_fail(error, RH_E_USAGE, "identity goes with reduce");
  if (texts->commutes && !texts->reduce)
    return rh_fail(error, RH_E_USAGE, "commutes goes with reduce");
  if (texts->initial && texts->reduce)
    return rh_fail(error, RH_E_USAGE, "initial goes with a built-in operator, and not with reduce");
  if (!texts->reduce && is_whole(texts->op)) {
    RH_TRY(read_whole(definition, texts, options, error));
  } else {
    if (texts->finalize) RH_TRY(take_results(definition, texts->finalize, error));
    if (texts->reduce) RH_TRY(take_reduce(definition, texts, error));
    else definition->ops = texts->op ? texts->op : "sum";
    definition->map = texts->reduce ? NULL : texts->map;
    definition->where = texts->where;
    definition->initial = texts->initial;
  }
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
  if (find_traits(&traits, definition, &why) != RH_E_FILE) return status;
  if (error) *error = why;
  return RH_E_FILE;
}
