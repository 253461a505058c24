/* redhost --list --transports */
#include "list_transports.h"
#include "../engine/ranks/transports.h"
#include "json.h"
#include "plain.h"
#include "table.h"

static const char *const words[] = {"no", "yes", "yes, of this job"};

static const char *here(const rh_transport_entry *entry) {
  int32_t answer = entry->transport ? entry->answer : RH_TRANSPORT_CANNOT;
  return words[answer < 0 || answer > RH_TRANSPORT_STARTED ? 0 : answer];
}

static void print_table(const rh_app *app, const rh_transport_list *list) {
  static const char *const headings[] = {"NAME", "HERE", "WHAT", "FILE", "NOTE"};
  rh_table table = {.columns = 5};
  for (int k = 0; k < 5; k++) rh_table_cell(&table, RH_BOLD, "%s", headings[k]);
  for (uint32_t k = 0; k < list->n; k++) {
    const rh_transport_entry *entry = &list->entries[k];
    const rh_transport *t = entry->transport;
    int can = t && entry->answer != RH_TRANSPORT_CANNOT;
    rh_table_cell(&table, RH_BOLD, "%s", t ? t->name : "-");
    rh_table_cell(&table, can ? RH_GOOD : RH_BAD, "%s", here(entry));
    rh_table_cell(&table, RH_PLAIN, "%s", t ? rh_plain(t->description) : "-");
    rh_table_cell(&table, RH_PLAIN, "%s", entry->path ? rh_plain(entry->path) : "built in");
    rh_table_cell(&table, can ? RH_PLAIN : RH_DIM, "%s", rh_plain(entry->text));
  }
  printf("Transports between the ranks of a job\n\n");
  rh_table_print(&table, app->terminal, "  ");
  rh_table_finish(&table);
  printf("\nSearched: %s\n", rh_plain(list->searched));
}

static rh_status print_json(const rh_transport_list *list, rh_error *error) {
  json_t *transports = json_array();
  for (uint32_t k = 0; k < list->n; k++) {
    const rh_transport_entry *entry = &list->entries[k];
    const rh_transport *t = entry->transport;
    json_array_append_new(
        transports,
        json_pack("{s:o, s:o, s:o, s:b, s:b, s:o}", "name", rh_json_bytes(t ? t->name : NULL),
                  "description", rh_json_bytes(t ? t->description : NULL), "path",
                  rh_json_bytes(entry->path), "works", t && entry->answer != RH_TRANSPORT_CANNOT,
                  "started", t && entry->answer == RH_TRANSPORT_STARTED, "note",
                  rh_json_bytes(entry->text)));
  }
  return rh_json_print(
      json_pack("{s:o, s:o}", "transports", transports, "searched", rh_json_bytes(list->searched)),
      error);
}

rh_status rh_list_transports(const rh_app *app, rh_error *error) {
  rh_transport_list list;
  rh_status status = rh_transports_list(&list, error);
  if (status != RH_OK) return status;
  if (app->typed->json)
    status = print_json(&list, error);
  else if (!app->typed->quiet)
    print_table(app, &list);
  for (uint32_t k = 0; k < list.n && app->typed->quiet && !app->typed->json; k++)
    if (list.entries[k].transport) printf("%s\n", list.entries[k].transport->name);
  rh_transports_finish(&list);
  return status;
}
