#include "ranks.h"

#include "../../core/plug/plug.h"

int rh_transport_name_is_valid(const char *name) {
  size_t length = name ? strlen(name) : 0;
  for (size_t k = 0; k < length; k++)
    if (!islower((unsigned char)name[k]) && !isdigit((unsigned char)name[k]) && name[k] != '-' &&
        name[k] != '_')
      return 0;
  return length > 0 && length < 32;
}

static rh_status check(const rh_transport *t, rh_error *error) {
  if (t->magic != RH_TRANSPORT_MAGIC)
    return rh_fail(error, RH_E_PLUGIN, "its descriptor's magic is 0x%08x instead of 0x%08x",
                   t->magic, RH_TRANSPORT_MAGIC);
  if (t->struct_size < sizeof *t)
    return rh_fail(error, RH_E_PLUGIN, "its descriptor has %u bytes instead of %zu", t->struct_size,
                   sizeof *t);
  if (t->version < 1)
    return rh_fail(error, RH_E_PLUGIN, "its version is 0; build it with redhost/transport.h");
  if (!rh_transport_name_is_valid(t->name))
    return rh_fail(error, RH_E_PLUGIN,
                   "its name is not one: 1 to 31 characters of a-z, 0-9, - and _");
  if (!t->description || !t->probe || !t->open || !t->gather || !t->abort || !t->close)
    return rh_fail(error, RH_E_PLUGIN,
                   "its descriptor has a null pointer: description and all functions are needed");
  return RH_OK;
}

rh_status rh_transport_open(const char *path, const rh_transport **transport, rh_error *error) {
  static const char symbol[] = "redhost_transport_v1";
  const void *found;
  rh_dl dl;
  *transport = NULL;
  if (rh_is_privileged())
    return rh_fail(error, RH_E_PLUGIN,
                   "is not loaded, because redhost runs with raised privileges: a library of a "
                   "job's loads what the environment names");
  RH_TRY(rh_dl_open(&dl, path, error));
  rh_status status = rh_dl_symbol(&dl, path, symbol, &found, error);
  if (status == RH_OK) status = check(found, error);
  if (status == RH_OK) *transport = found;
  else rh_dl_close(&dl);
  return status;
}

static void ask_entry(rh_transport_entry *entry) {
  entry->text[0] = 0;
  entry->answer = entry->transport->probe(entry->text, sizeof entry->text);
  entry->text[sizeof entry->text - 1] = 0;
}

void rh_transport_list_finish(rh_transport_list *list) {
  for (uint32_t k = 0; k < list->n; k++) free(list->entries[k].path);
  free(list->entries);
  free(list->searched);
  *list = (rh_transport_list){0};
}

/* Opens them, and asks none. */
static rh_status open_all(rh_transport_list *list, const char *file, rh_error *error) {
  const rh_options options = {.struct_size = sizeof options, .plugin_file = file};
  RH_FINISHED(rh_discovery) search = {0};
  RH_TRY(rh_discover(&search, RH_TRANSPORTS, &options, error));
  RH_TRY(RH_NEW(&list->entries, search.n + 1, "a list of transports", error));
  RH_TRY(rh_copy(&list->searched, search.searched, "a list of transports", error));
  list->entries[list->n++].transport = &rh_local_transport;
  for (uint32_t k = 0; k < search.n; k++) {
    const rh_candidate *candidate = &search.candidates[k];
    rh_transport_entry *entry = &list->entries[list->n++];
    rh_error why = {0};
    RH_TRY(rh_copy(&entry->path, candidate->path, "a path", error));
    if (candidate->refused) snprintf(entry->text, sizeof entry->text, "%s", candidate->refused);
    else if (rh_transport_open(candidate->path, &entry->transport, &why) != RH_OK)
      snprintf(entry->text, sizeof entry->text, "%.*s", RH_TRANSPORT_TEXT_BYTES - 1, why.message);
  }
  return RH_OK;
}

rh_status rh_transports_list(rh_transport_list *list, rh_error *error) {
  RH_TRY(open_all(list, NULL, error));
  for (uint32_t k = 0; k < list->n; k++)
    if (list->entries[k].transport) ask_entry(&list->entries[k]);
  return RH_OK;
}

static int is_first_of_name(const rh_transport_list *list, uint32_t k) {
  for (uint32_t j = 0; j < k; j++)
    if (list->entries[j].transport &&
        strcmp(list->entries[j].transport->name, list->entries[k].transport->name) == 0)
      return 0;
  return 1;
}

static rh_status unknown(const rh_transport_list *list, const char *name, rh_error *error) {
  RH_FINISHED(rh_text) known = {0};
  for (uint32_t k = 0; k < list->n; k++) {
    const rh_transport_entry *entry = &list->entries[k];
    if (entry->transport && is_first_of_name(list, k))
      rh_text_add(&known, "%s%s", k ? ", " : "", entry->transport->name);
    if (!entry->transport)
      rh_text_add(&known, "%s%s (not loaded: %s)", k ? ", " : "", entry->path, entry->text);
  }
  return rh_fail(error, RH_E_USAGE,
                 "no transport is called '%.40s'; there are %s, and %s was searched", name,
                 rh_text_get(&known), list->searched);
}

static rh_status find_file(const char *path, const rh_transport **transport, rh_error *error) {
  RH_FINISHED(rh_transport_list) list = {0};
  RH_TRY(open_all(&list, path, error));
  /* After the built-in one, the file that was named is the first. */
  rh_transport_entry *entry = &list.entries[1];
  if (list.n < 2 || !entry->transport)
    return rh_fail(error, RH_E_PLUGIN, "transport %s: %s", path, entry->text);
  ask_entry(entry);
  if (entry->answer == RH_TRANSPORT_CANNOT)
    return rh_fail(error, RH_E_PLUGIN, "transport %s cannot work here: %s", path, entry->text);
  *transport = entry->transport;
  return RH_OK;
}

/* Asks no further once one knows the job. */
rh_status rh_transport_find(const char *name, const rh_transport **transport, rh_error *error) {
  RH_FINISHED(rh_transport_list) list = {0};
  RH_FINISHED(rh_text) tried = {0};
  const rh_transport_entry *best = NULL;
  *transport = NULL;
  if (strchr(name, '/')) return find_file(name, transport, error);
  RH_TRY(open_all(&list, NULL, error));
  for (uint32_t k = 0; k < list.n && (!best || best->answer != RH_TRANSPORT_STARTED); k++) {
    rh_transport_entry *entry = &list.entries[k];
    if (!entry->transport || strcmp(entry->transport->name, name) != 0) continue;
    ask_entry(entry);
    rh_text_add(&tried, "%s%s", best ? "; " : "", entry->text);
    if (!best || entry->answer > best->answer) best = entry;
  }
  if (!best) return unknown(&list, name, error);
  if (best->answer == RH_TRANSPORT_CANNOT)
    return rh_fail(error, RH_E_PLUGIN, "transport '%s' cannot work here: %s", name,
                   rh_text_get(&tried));
  *transport = best->transport;
  return RH_OK;
}
