#include "catalog.h"

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
  if (is_wanted) status = rh_traits_find(&traits, &definition, &why);
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
    if (!only) RH_TRY(rh_traits_find(&entry->traits, &entry->definition, error));
  }
  for (uint32_t op = 1; op <= RH_N_OPS && !only; op++) {
    rh_catalog_entry *entry = add_entry(catalog, rh_op_name(op), RH_ORIGIN_BUILT_IN);
    const rh_definition of = {.n_operands = 1, .operands = {"x"}, .ops = entry->name};
    entry->op = op;
    RH_TRY(rh_traits_find(&entry->traits, &of, error));
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

rh_status rh_catalog_define(rh_definition *definition, const rh_options *options, const char *name,
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
