#include "internal.h"

/* ---- Examining ---- */

static void forget(rh_registry *registry, uint32_t k) {
  rh_candidate *candidate = &registry->search.candidates[k];
  rh_registry_drop(registry, k);
  free(candidate->refused);
  candidate->refused = NULL;
  candidate->examined = 0;
}

static int is_same_file(const struct stat *a, const struct stat *b) {
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
         a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* Was candidate k not examined yet, or is it another file now? */
static int is_due(rh_registry *registry, uint32_t k) {
  rh_candidate *candidate = &registry->search.candidates[k];
  struct stat now = {0};
  if (!candidate->wanted || (candidate->refused && !candidate->examined)) return 0;
  if (stat(candidate->path, &now) != 0) memset(&now, 0, sizeof now);
  if (candidate->examined && is_same_file(&candidate->file, &now)) return 0;
  forget(registry, k);
  candidate->file = now;
  return 1;
}

/* Without a program: what came with redhost, which can be trusted as much as this library. */
static rh_status examine_here(rh_registry *registry, uint32_t k, rh_error *error) {
  const rh_candidate *candidate = &registry->search.candidates[k];
  const rh_examiner by = {.device = registry->device ? registry->device : rh_host_device(),
                          .max_n = registry->max_n,
                          .find_op = registry->find_op};
  const rh_plugin *plugin;
  rh_error why;
  rh_fate fate;
  rh_status status =
      candidate->installed
          ? rh_plugin_open(candidate->path, registry->describe, &plugin, &why)
          : rh_fail(&why, RH_E_FILE,
                    "only the redhost program examines it, and there is none beside the library; "
                    "name it in rh_options.program");
  if (status != RH_OK) {
    fate = rh_registry_refuse(registry, k, why.message, rh_examine_refusal_kind(status));
  } else {
    json_auto_t *strategies = rh_examine_plugin(&by, plugin);
    fate = rh_registry_take(registry, k, strategies);
  }
  return fate == RH_GOES_ON ? RH_OK : rh_fail(error, RH_E_NOMEM, "no memory to examine plugins");
}

/* Without plugins no child is started, so the program may be missing. */
static rh_status find_program(rh_registry *registry, rh_error *error) {
  rh_error why;
  if (registry->program || registry->has_no_program) return RH_OK;
  rh_status status = rh_child_program(registry->options, &registry->program, &why);
  registry->has_no_program = status == RH_E_PLUGIN && registry->find_op;
  if (status == RH_OK || registry->has_no_program) return RH_OK;
  if (error) *error = why;
  return status;
}

/* The names of strategies are known only now; a match disables the whole file. */
static rh_status disable(rh_registry *registry, uint32_t k, rh_error *error) {
  rh_candidate *candidate = &registry->search.candidates[k];
  char reason[512], pattern[RH_PATTERN_BYTES];
  for (uint32_t j = 0; j < registry->n_known && !candidate->installed; j++) {
    const rh_entry *entry = &registry->entries[j];
    if (entry->path != candidate->path || candidate->refused ||
        !rh_is_disabled(entry->name, pattern))
      continue;
    snprintf(reason, sizeof reason, "offers '%s', which is disabled by '%s' in " RH_DISABLES,
             entry->name, pattern);
    candidate->kind = RH_REFUSED_BY_INTENT;
    RH_TRY(rh_copy(&candidate->refused, reason, "a list of plugins", error));
  }
  for (uint32_t j = 0; j < registry->n_known; j++)
    if (registry->entries[j].path == candidate->path)
      registry->entries[j].disabled = candidate->refused != NULL;
  return RH_OK;
}

static rh_status examine(rh_registry *registry, const uint32_t *which, uint32_t n,
                         rh_error *error) {
  rh_status status = n ? find_program(registry, error) : RH_OK;
  for (uint32_t done = 0; status == RH_OK && done < n;)
    if (registry->has_no_program) status = examine_here(registry, which[done++], error);
    else status = rh_talk(registry, which + done, n - done, &done, error);
  for (uint32_t k = 0; status == RH_OK && k < n; k++) status = disable(registry, which[k], error);
  return status;
}

/* Sorts by name, then by rh_rank_files; what is disabled comes last. */
static int by_rank(const void *left, const void *right) {
  const rh_entry *a = left, *b = right;
  if (a->disabled != b->disabled) return a->disabled ? 1 : -1;
  int order = strcmp(a->name, b->name);
  if (order == 0 && a->place != b->place) order = a->place < b->place ? -1 : 1;
  return order ? order : rh_rank_files(a->path, b->path, a->name);
}

/* Sorts, and marks all but the first of each name. */
static void gather(rh_registry *registry) {
  const rh_entry *first = registry->entries;
  if (registry->n_known)
    qsort(registry->entries, registry->n_known, sizeof *registry->entries, by_rank);
  registry->n_entries = registry->n_refusals = registry->n_skipped = 0;
  for (uint32_t k = 0; k < registry->n_known && !registry->entries[k].disabled; k++) {
    rh_entry *entry = &registry->entries[k];
    if (strcmp(entry->name, first->name) != 0) first = entry;
    entry->shadowed_by = entry == first ? NULL : first->path;
    registry->n_entries++;
  }
  for (uint32_t k = 0; k < registry->search.n; k++) {
    const rh_candidate *candidate = &registry->search.candidates[k];
    registry->n_refusals += candidate->refused != NULL;
    registry->n_skipped += !candidate->wanted && !candidate->refused;
  }
}

rh_status rh_registry_look(rh_registry *registry, rh_error *error) {
  RH_FREED(uint32_t) which = NULL;
  uint32_t n = 0;
  RH_TRY(RH_NEW(&which, registry->search.n, "examining plugins", error));
  for (uint32_t k = 0; k < registry->search.n; k++)
    if (is_due(registry, k)) which[n++] = k;
  rh_status status = examine(registry, which, n, error);
  gather(registry);
  return status;
}

/* ---- What is wanted ---- */

rh_status rh_registry_begin(rh_registry *registry, const rh_options *options, rh_find_op *find_op,
                            rh_describe *describe, rh_error *error) {
  *registry = (rh_registry){.options = options,
                            .find_op = find_op,
                            .describe = describe,
                            .limit_s = 5,
                            .limit_bytes = (uint64_t)16 << 20};
  rh_status status = rh_discover(&registry->search, options, error);
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

static int must_ask_again(const rh_registry *registry, const rh_candidate *candidate, int exactly) {
  int again = 0;
  for (uint32_t k = 0; k < registry->n_known; k++) {
    const rh_entry *entry = &registry->entries[k];
    int is_of = entry->asked_of == registry->device,
        is_known = is_of && entry->asked_n == registry->max_n;
    if (entry->path != candidate->path) continue;
    again |= exactly ? !is_known || entry->asked_here
                     : !is_known && !rh_can_ask_here(entry) && (!is_of || entry->asked_n == 0);
  }
  return again;
}

rh_status rh_registry_examine(rh_registry *registry, const rh_device *device, uint64_t max_n,
                              const char *const *names, uint32_t n, int exactly, rh_error *error) {
  int all = n == 0, due = !registry->entries;
  registry->device = device;
  registry->max_n = max_n;
  for (uint32_t k = 0; k < n; k++) all |= !is_borne(registry, names[k]);
  for (uint32_t k = 0; k < registry->search.n; k++) {
    rh_candidate *candidate = &registry->search.candidates[k];
    int again = must_ask_again(registry, candidate, exactly), was_wanted = candidate->wanted;
    candidate->wanted |= all || !candidate->installed || bears_one_of(candidate->path, names, n);
    due |= again || candidate->wanted != was_wanted;
    if (again) forget(registry, k);
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
    if (!registry->entries[k].shadowed_by && strcmp(registry->entries[k].name, name) == 0)
      return &registry->entries[k];
  return NULL;
}
