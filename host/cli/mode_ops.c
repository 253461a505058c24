/* redhost --ops */
#include "offers.h"

static void add_row(rh_table *table, const rh_catalog_entry *entry) {
  static const char *const origins[] = {"file", "redhost", "built in"};
  rh_table_row(table, "*      ", entry->name, rh_operator_operands(entry),
               rh_operator_results_list(entry), rh_operator_claims(entry),
               rh_operator_exactness(entry), origins[entry->origin], rh_operator_summary(entry));
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

static void print_table(const rh_app *app, const rh_catalog *catalog) {
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

static rh_status print_json(const rh_catalog *catalog, rh_error *error) {
  json_t *list = json_array(), *refused = json_array();
  for (uint32_t k = 0; k < catalog->n_entries; k++)
    json_array_append_new(list, rh_operator_json(&catalog->entries[k], 0));
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
  if (app->typed->json)
    status = print_json(&catalog, error);
  else if (!app->typed->quiet)
    print_table(app, &catalog);
  else
    for (uint32_t k = 0; k < catalog.n_entries; k++)
      if (!catalog.entries[k].shadowed_by) printf("%s\n", catalog.entries[k].name);
  rh_catalog_finish(&catalog);
  return status;
}
