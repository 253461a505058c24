#include "internal.h"

/* ---- What is wanted ---- */

rh_status rh_registry_begin(rh_registry *registry, const rh_options *options, rh_find_op *find_op,
                            rh_describe *describe, rh_error *error) {
  *registry = (rh_registry){.options = options,
                            .by = {.find_op = find_op},
                            .describe = describe,
                            .limit_s = 5,
                            .limit_bytes = (uint64_t)16 << 20};
  rh_status status = rh_discover(&registry->search, RH_PLUGINS, options, error);
  if (status != RH_OK) *registry = (rh_registry){0};
  return status;
}

static int bears_one_of(const char *path, const char *const *names, uint32_t n) {
  for (uint32_t k = 0; k < n; k++)
    if (rh_bears_name(path, names[k])) return 1;
  return 0;
}

static int is_borne(const rh_registry *registry, const char *name) {
  for (uint32_t k = 0; k < registry->search.n; k++)
    if (rh_bears_name(registry->search.candidates[k].path, name)) return 1;
  return 0;
}

/* May this process ask it about other sizes, though nobody chose it?  Only a child asks others, and
 * only once. */
static int may_ask_here(const rh_entry *entry) {
  return entry->file->installed && !rh_is_foreign(entry->file->path);
}

static int must_ask_again(const rh_registry *registry, const rh_candidate *candidate, int exactly) {
  int again = 0;
  for (uint32_t k = 0; k < registry->n_known; k++) {
    const rh_entry *entry = &registry->entries[k];
    int is_of = entry->asked_of == registry->by.device,
        is_known = is_of && entry->asked_n == registry->by.max_n;
    if (entry->file != candidate) continue;
    again |= exactly ? !is_known || entry->asked_here
                     : !is_known && !may_ask_here(entry) && (!is_of || entry->asked_n == 0);
  }
  return again;
}

rh_status rh_registry_examine(rh_registry *registry, const rh_device *device, uint64_t max_n,
                              const char *const *names, uint32_t n, int exactly, rh_error *error) {
  int all = n == 0, due = !registry->entries;
  registry->by.device = device;
  registry->by.max_n = max_n;
  for (uint32_t k = 0; k < n; k++) all |= !is_borne(registry, names[k]);
  for (uint32_t k = 0; k < registry->search.n; k++) {
    rh_candidate *candidate = &registry->search.candidates[k];
    int again = must_ask_again(registry, candidate, exactly), was_wanted = candidate->wanted;
    candidate->wanted |= all || !candidate->installed || bears_one_of(candidate->path, names, n);
    due |= again || candidate->wanted != was_wanted;
    if (again) rh_registry_forget(registry, k);
  }
  return due ? rh_registry_look(registry, error) : RH_OK;
}

rh_status rh_registry_scan(rh_registry *registry, const rh_options *options,
                           const rh_device *device, uint64_t max_n, rh_error *error) {
  RH_TRY(rh_registry_begin(registry, options, NULL, NULL, error));
  rh_status status = rh_registry_examine(registry, device, max_n, NULL, 0, 1, error);
  if (status != RH_OK) rh_registry_finish(registry);
  return status;
}

void rh_registry_finish(rh_registry *registry) {
  for (uint32_t k = 0; k < registry->n_known; k++) rh_entry_finish(&registry->entries[k]);
  free(registry->entries);
  free(registry->program);
  rh_discovery_finish(&registry->search);
  *registry = (rh_registry){0};
}

const rh_entry *rh_registry_find(const rh_registry *registry, const char *name) {
  for (uint32_t k = 0; k < registry->n_entries; k++)
    if (!registry->entries[k].shadowed_by && strcmp(registry->entries[k].says.name, name) == 0)
      return &registry->entries[k];
  return NULL;
}

/* ---- One strategy by its name, for which as few files as possible are opened ---- */

rh_status rh_registry_open(const char *from, rh_describe *describe, const char *name,
                           const rh_strategy **strategy, rh_error *error) {
  const rh_plugin *plugin;
  rh_status status = rh_plugin_open(from, describe, &plugin, error);
  if (status == RH_OK) {
    for (uint32_t j = 0; j < plugin->n_strategies; j++) {
      *strategy = plugin->strategies[j];
      if (strcmp((*strategy)->name, name) == 0) return RH_OK;
    }
    status = rh_fail(error, RH_E_PLUGIN, "changed while it was examined");
  }
  *strategy = NULL;
  return rh_error_prefix(error, status, "strategy '%s': %s", name, from);
}

/* The refused file that should have provided the strategy: one that has it, one of its name, or
 * the requested file.  Null: no such file. */
static const rh_candidate *find_refused_provider(const rh_registry *registry, const char *name) {
  const rh_candidate *files = registry->search.candidates;
  for (uint32_t k = registry->n_entries; k < registry->n_known; k++)
    if (strcmp(registry->entries[k].says.name, name) == 0) return registry->entries[k].file;
  for (uint32_t k = 0; k < registry->search.n; k++)
    if (files[k].refused && rh_bears_name(files[k].path, name)) return &files[k];
  int asked = rh_discovery_names_plugin(registry->options) && registry->search.n;
  return asked && files[0].refused ? &files[0] : NULL;
}

/* The first of n candidates that could not be examined: a plugin, or a directory that is not
 * trusted.  `text` says so; "": there is none. */
static void say_missed(const rh_registry *registry, uint32_t n, char text[1024]) {
  text[0] = 0;
  for (uint32_t k = 0; k < n && !*text; k++) {
    const rh_candidate *one = &registry->search.candidates[k];
    if (!one->refused) continue;
    if (one->kind == RH_REFUSED_UNSEARCHED)
      snprintf(text, 1024, "%.600s is not searched, as it %.300s", one->path, one->refused);
    if (one->kind == RH_REFUSED_UNREAD)
      snprintf(text, 1024, "plugin %.600s is not loaded: %.300s", one->path, one->refused);
  }
}

static rh_status unknown(const rh_registry *registry, const char *name, rh_error *error) {
  char why[1024], hint[RH_SUGGESTION_BYTES];
  uint32_t n = registry->n_entries;
  say_missed(registry, registry->search.n, why);
  if (*why) return rh_fail(error, RH_E_PLUGIN, "strategy '%.64s' was not found, but %s", name, why);
  if (n == 0)
    return rh_fail(error, RH_E_USAGE, "unknown strategy '%.64s': there is no plugin in %s", name,
                   registry->search.searched);
  RH_FREED(const char *) names = NULL;
  RH_TRY(RH_NEW(&names, n + 1, "a suggestion", error));
  names[n] = "auto";
  for (uint32_t k = 0; k < n; k++) names[k] = registry->entries[k].says.name;
  return rh_fail(error, RH_E_USAGE, "unknown strategy '%.64s'%s", name,
                 rh_suggest(hint, name, names, n + 1, ""));
}

/* Examines all files of earlier directories than the first file of that name is in, and those of
 * that name; all, if that is not enough. */
static rh_status look_for(rh_registry *registry, const char *name, const rh_entry **entry,
                          rh_error *error) {
  rh_candidate *files = registry->search.candidates;
  uint32_t n = registry->search.n, first = 0;
  registry->by.device = NULL;
  registry->by.max_n = 0;
  while (first < n && !rh_bears_name(files[first].path, name)) first++;
  for (uint32_t k = 0; k < n; k++)
    files[k].wanted |=
        first == n || files[k].place < files[first].place || rh_bears_name(files[k].path, name);
  RH_TRY(rh_registry_look(registry, error));
  *entry = rh_registry_find(registry, name);
  if (*entry && (first == n || (*entry)->file->place <= files[first].place)) return RH_OK;
  for (uint32_t k = 0; k < n; k++) files[k].wanted = 1;
  RH_TRY(rh_registry_look(registry, error));
  *entry = rh_registry_find(registry, name);
  return RH_OK;
}

rh_status rh_registry_locate(rh_registry *registry, const char *name, rh_found *found,
                             rh_error *error) {
  const rh_entry *entry;
  *found = (rh_found){0};
  RH_TRY(look_for(registry, name, &entry, error));
  if (!entry) {
    const rh_candidate *provider = find_refused_provider(registry, name);
    if (!provider) return unknown(registry, name, error);
    return rh_fail(error, RH_E_PLUGIN, "strategy '%.64s': %s: %s", name, provider->path,
                   provider->refused);
  }
  RH_TRY(rh_found_from_entry(found, entry, error));
  say_missed(registry, (uint32_t)(entry->file - registry->search.candidates), found->missed);
  return RH_OK;
}

void rh_registry_ask(rh_registry *registry, const rh_device *device, uint64_t max_n, uint32_t op,
                     rh_type type) {
  const rh_examiner by = {.device = device, .max_n = max_n, .find_op = registry->by.find_op};
  for (uint32_t k = 0; by.find_op && k < registry->n_entries; k++) {
    rh_entry *entry = &registry->entries[k];
    int is_known = !entry->asked_here && entry->asked_of == device && entry->asked_n == max_n;
    if (is_known || !may_ask_here(entry) || entry->shadowed_by) continue;
    if (!entry->opened && rh_registry_open(entry->file->path, registry->describe, entry->says.name,
                                           &entry->opened, NULL) != RH_OK)
      continue;
    rh_examine_offer(&by, entry->opened, op, type, &entry->offers[op][type]);
    entry->asked_here = 1;
  }
}

rh_status rh_found_from_entry(rh_found *found, const rh_entry *entry, rh_error *error) {
  *found = (rh_found){.installed = entry->file->installed,
                      .device_kinds = entry->says.device_kinds,
                      .promises = entry->says.promises};
  snprintf(found->name, sizeof found->name, "%s", entry->says.name);
  return rh_copy(&found->path, entry->file->path, "a path", error);
}

void rh_found_finish(rh_found *found) {
  free(found->path);
  memset(found, 0, sizeof *found);
}
