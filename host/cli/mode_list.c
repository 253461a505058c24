/* redhost --list */
#include "app.h"

static void add_row(rh_table *table, const rh_entry *entry, const rh_offer *offer) {
  const rh_strategy *is = &entry->says;
  const char *bits = is->promises & RH_CANONICAL_ORDER ? "canonical"
                     : is->promises & RH_ROUNDS_ONCE   ? "rounded once"
                                                       : rh_determinism_name(is->determinism);
  if (offer->status == RH_OK)
    rh_table_row(table, "*    + ", is->name, rh_offer_passes(&offer->answer),
                 rh_offer_words(entry, 0), rh_offer_words(entry, 1), bits, "yes", is->summary);
  else rh_table_row(table, "*    -.", is->name, "-", "-", "-", bits, "no", offer->answer.reason);
}

/* Nothing is skipped silently: plugins that were not loaded, shadowed or ignored are listed
 * below the table with the reason. */
static void print_rest(const rh_registry *registry) {
  for (uint32_t k = 0; k < registry->search.n; k++)
    if (registry->search.candidates[k].refused)
      printf("not loaded: %s: %s\n", rh_plain(registry->search.candidates[k].path),
             rh_plain(registry->search.candidates[k].refused));
  for (uint32_t k = 0; k < registry->n_entries; k++)
    if (registry->entries[k].shadowed_by)
      printf("shadowed: %s in %s, by %s\n", rh_plain(registry->entries[k].says.name),
             rh_plain(registry->entries[k].file->path), rh_plain(registry->entries[k].shadowed_by));
  for (uint32_t k = 0; k < registry->search.n_notes; k++)
    printf("note: %s\n", rh_plain(registry->search.notes[k]));
}

static void print_table(const rh_app *app, const rh_registry *registry, const rh_cl_device *device,
                        const rh_error *no_device) {
  rh_table table = {0};
  uint32_t n = 0, runnable = 0;
  rh_table_begin(&table, "NAME|PASSES|TYPES|OPS|REPRODUCIBLE|HERE|NOTE");
  for (uint32_t k = 0; k < registry->n_entries; k++) {
    const rh_entry *entry = &registry->entries[k];
    if (entry->shadowed_by) continue;
    n++;
    const rh_offer *offer = rh_offer_for(app, entry);
    runnable += offer->status == RH_OK;
    add_row(&table, entry, offer);
  }
  if (device) printf("Strategies on %s %s", device->label, rh_plain(device->name));
  else printf("Strategies (%s)", rh_plain(no_device->message));
  if (app->own)
    printf(", %s of %s", rh_plain(app->own->name), rh_type_name(app->own->operands[0].type));
  else if (app->type) printf(", %s of %s", rh_op_name(app->op), rh_type_name(app->type));
  else if (app->typed->texts.op) printf(", %s", rh_op_name(app->op));
  printf("\n\n");
  rh_table_print(&table, "  ");
  printf("\n%u of %u can run.\n", runnable, n);
  print_rest(registry);
  if (n == 0) printf("No strategies in %s.\n", rh_plain(registry->search.searched));
  else printf("redhost --info NAME for parameters; redhost --list -d SPEC for another device.\n");
}

static rh_status print_json(const rh_app *app, const rh_registry *registry,
                            const rh_cl_device *device, rh_error *error) {
  json_t *strategies = json_array(), *refused = json_array();
  for (uint32_t k = 0; k < registry->n_entries; k++)
    json_array_append_new(strategies, rh_json_strategy(app, &registry->entries[k]));
  for (uint32_t k = 0; k < registry->search.n; k++)
    if (registry->search.candidates[k].refused)
      json_array_append_new(refused, rh_json("path:s reason:s", registry->search.candidates[k].path,
                                             registry->search.candidates[k].refused));
  return rh_json_print(rh_json("devices:o strategies:o not_loaded:o notes:o",
                               rh_json_one(rh_json_device(device)), strategies, refused,
                               rh_json_strings(registry->search.notes, registry->search.n_notes)),
                       error);
}

/* -q: the names; of those that serve an operator that is not built in, if it is about one. */
static void print_names(const rh_app *app, const rh_registry *registry) {
  rh_context_report_missing_plugins(app->context);
  for (uint32_t k = 0; k < registry->n_entries; k++) {
    const rh_entry *entry = &registry->entries[k];
    if (entry->shadowed_by) continue;
    if (!app->own || rh_offer_for(app, entry)->status == RH_OK) printf("%s\n", entry->says.name);
    else if (!entry->file->installed) /* a plugin that somebody works on */
      rh_terminal_say("%s is left out: %s", entry->says.name,
                      rh_offer_for(app, entry)->answer.reason);
  }
}

/* The strategies that are to be listed come first, and the others are left out. */
static rh_status select_entries(rh_registry *registry, const char *list, rh_error *error) {
  uint32_t n = 0;
  RH_FREED(unsigned char) selected = NULL;
  RH_TRY(RH_NEW(&selected, registry->n_entries + 1, "the strategies' names", error));
  RH_TRY(rh_registry_select(registry, list, selected, error));
  for (uint32_t k = 0; k < registry->n_entries; k++) {
    rh_entry *to = &registry->entries[n], one = registry->entries[k];
    if (!selected[k]) continue;
    memmove(to + 1, to, (k - n++) * sizeof one);
    *to = one;
  }
  registry->n_entries = n;
  return RH_OK;
}

/* ---- Transports ---- */

static int can_work(const rh_transport_entry *entry) {
  return entry->transport && entry->answer != RH_TRANSPORT_CANNOT;
}

static int is_started(const rh_transport_entry *entry) {
  return entry->transport && entry->answer == RH_TRANSPORT_STARTED;
}

static void print_transports(const rh_transport_list *list) {
  rh_table table = {0};
  rh_table_begin(&table, "NAME|HERE|WHAT|FILE|NOTE");
  for (uint32_t k = 0; k < list->n; k++) {
    const rh_transport_entry *entry = &list->entries[k];
    const rh_transport *t = entry->transport;
    const char *works = can_work(entry) ? "yes" : "no";
    if (is_started(entry)) works = "yes, of this job";
    rh_table_row(&table, can_work(entry) ? "*+   " : "*-  .", t ? t->name : "-", works,
                 t ? t->description : "-", entry->path ? entry->path : "built in", entry->text);
  }
  printf("Transports between the ranks of a job\n\n");
  rh_table_print(&table, "  ");
  printf("\nSearched: %s\n", rh_plain(list->searched));
}

static rh_status print_transports_json(const rh_transport_list *list, rh_error *error) {
  json_t *transports = json_array();
  for (uint32_t k = 0; k < list->n; k++) {
    const rh_transport_entry *entry = &list->entries[k];
    const rh_transport *t = entry->transport;
    json_array_append_new(transports,
                          rh_json("name:s description:s path:s works:b started:b note:s",
                                  t ? t->name : NULL, t ? t->description : NULL, entry->path,
                                  can_work(entry), is_started(entry), entry->text));
  }
  return rh_json_print(rh_json("transports:o searched:s", transports, list->searched), error);
}

static rh_status list_transports(const rh_app *app, rh_error *error) {
  RH_FINISHED(rh_transport_list) list = {0};
  RH_TRY(rh_transports_list(&list, error));
  if (app->typed->json) return print_transports_json(&list, error);
  if (!app->typed->quiet) print_transports(&list);
  for (uint32_t k = 0; k < list.n && app->typed->quiet; k++)
    if (list.entries[k].transport) printf("%s\n", list.entries[k].transport->name);
  return RH_OK;
}

rh_status rh_mode_list(const rh_app *app, rh_error *error) {
  const rh_registry *registry;
  rh_error no_device = {0};
  if (app->typed->transports) return list_transports(app, error);
  if (app->type && !rh_op_is_defined(app->op, app->type))
    return rh_fail(error, RH_E_USAGE, "--op %s is not defined for %s, only for %s",
                   rh_op_name(app->op), rh_type_name(app->type), rh_op_domain(app->op));
  RH_TRY(rh_context_registry(app->context, (uint64_t)1 << RH_DEFAULT_LOG2_SIZE, &registry,
                             &no_device, error));
  RH_FINISHED(rh_app) with = *app;
  RH_TRY(rh_own_offers_ask(&with, error));
  if (app->typed->strategy)
    RH_TRY(select_entries(&app->context->registry, app->typed->strategy, error));
  if (app->typed->json) return print_json(&with, registry, app->context->device, error);
  if (app->typed->quiet) print_names(&with, registry);
  else print_table(&with, registry, app->context->device, &no_device);
  return RH_OK;
}
