/* Finds one strategy by its name, opening as few files as possible. */
#include "internal.h"

enum { NONE = -1 };

static const rh_entry *has(const rh_finding *finding, const char *name) {
  for (uint32_t j = 0; j < finding->n_entries; j++)
    if (strcmp(finding->entries[j].name, name) == 0) return &finding->entries[j];
  return NULL;
}

static const rh_entry *offer(const rh_finding *finding, const char *name) {
  return finding->refused ? NULL : has(finding, name);
}

/* Candidates first .. end-1 are in one directory. *found: the one that takes precedence, or
 * NONE. */
static rh_status find_in_place(rh_survey *survey, uint32_t first, uint32_t end, const char *name,
                               int64_t *found, rh_error *error) {
  *found = NONE;
  for (uint32_t k = first; k < end; k++) {
    if (!rh_bears_name(survey->search.candidates[k].path, name)) continue;
    RH_TRY(rh_survey_look(survey, k, 1, error));
    if (offer(&survey->findings[k], name)) *found = k;
  }
  if (*found != NONE) return RH_OK;
  RH_TRY(rh_survey_look(survey, first, end - first, error));
  for (uint32_t k = first; k < end && *found == NONE; k++) /* already in byte order */
    if (offer(&survey->findings[k], name)) *found = k;
  return RH_OK;
}

/* An earlier directory takes precedence, so its files are examined first. */
static rh_status find(rh_survey *survey, const char *name, int64_t *found, rh_error *error) {
  const rh_discovery *search = &survey->search;
  *found = NONE;
  for (uint32_t first = 0, end; first < search->n && *found == NONE; first = end) {
    end = first + 1;
    while (end < search->n && search->candidates[end].place == search->candidates[first].place)
      end++;
    RH_TRY(find_in_place(survey, first, end, name, found, error));
  }
  return RH_OK;
}

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
  rh_error_prefix(error, "strategy '%s': %s", name, from);
  return status;
}

/* The refused file that should have provided the strategy: one that has it, one of its name, or
 * the requested file.  NONE: no such file. */
static int64_t find_refused_provider(const rh_survey *survey, const rh_options *options,
                                     const char *name) {
  for (uint32_t k = 0; k < survey->search.n; k++)
    if (rh_survey_refusal(survey, k) && has(&survey->findings[k], name)) return k;
  for (uint32_t k = 0; k < survey->search.n; k++)
    if (rh_survey_refusal(survey, k) && rh_bears_name(survey->search.candidates[k].path, name))
      return k;
  int asked = rh_discovery_names_plugin(options) && survey->search.n;
  return asked && rh_survey_refusal(survey, 0) ? 0 : NONE;
}

/* The first candidate that could not be examined: a plugin, or a directory that is not trusted. */
static int64_t missed(const rh_survey *survey) {
  for (uint32_t k = 0; k < survey->search.n; k++) {
    if (!rh_survey_refusal(survey, k)) continue;
    rh_refusal_kind kind = rh_survey_refusal_kind(survey, k);
    if (kind == RH_REFUSED_UNREAD || kind == RH_REFUSED_UNSEARCHED) return k;
  }
  return NONE;
}

static void say_missed(const rh_survey *survey, uint32_t k, char *text, size_t size) {
  const char *path = survey->search.candidates[k].path, *why = rh_survey_refusal(survey, k);
  if (rh_survey_refusal_kind(survey, k) == RH_REFUSED_UNSEARCHED)
    snprintf(text, size, "%.600s is not searched, as it %.300s", path, why);
  else snprintf(text, size, "plugin %.600s is not loaded: %.300s", path, why);
}

/* Notes that a candidate which takes precedence over `taken` could not be examined. */
static void note_missed(const rh_survey *survey, uint32_t taken, rh_found *found) {
  int64_t k = missed(survey);
  if (k != NONE && k <= taken) say_missed(survey, (uint32_t)k, found->missed, sizeof found->missed);
}

static rh_status unknown(const rh_survey *survey, const char *name, rh_error *error) {
  uint32_t total = 0, n = 0;
  for (uint32_t k = 0; k < survey->search.n; k++)
    if (!survey->findings[k].refused) total += survey->findings[k].n_entries;
  int64_t lost = missed(survey);
  if (lost != NONE) {
    char why[1024];
    say_missed(survey, (uint32_t)lost, why, sizeof why);
    return rh_fail(error, RH_E_PLUGIN, "strategy '%.64s' was not found, but %s", name, why);
  }
  if (total == 0)
    return rh_fail(error, RH_E_USAGE, "unknown strategy '%.64s': there is no plugin in %s", name,
                   survey->search.searched);
  const char **names;
  RH_TRY(RH_NEW(&names, total + 1, "a suggestion", error));
  names[n++] = "auto";
  for (uint32_t k = 0; k < survey->search.n; k++)
    for (uint32_t j = 0; !survey->findings[k].refused && j < survey->findings[k].n_entries; j++)
      names[n++] = survey->findings[k].entries[j].name;
  char hint[RH_SUGGESTION_BYTES];
  rh_fail(error, RH_E_USAGE, "unknown strategy '%.64s'%s", name,
          rh_suggest(hint, name, names, n, ""));
  free(names);
  return RH_E_USAGE;
}

static rh_status locate(rh_survey *survey, const rh_options *options, const char *name,
                        rh_found *found, rh_error *error) {
  int64_t k;
  RH_TRY(find(survey, name, &k, error));
  if (k == NONE) {
    k = find_refused_provider(survey, options, name);
    if (k == NONE) return unknown(survey, name, error);
    return rh_fail(error, RH_E_PLUGIN, "strategy '%.64s': %s: %s", name,
                   survey->search.candidates[k].path, rh_survey_refusal(survey, (uint32_t)k));
  }
  const rh_candidate *candidate = &survey->search.candidates[k];
  note_missed(survey, (uint32_t)k, found);
  found->path = rh_copy_string(candidate->path);
  found->installed = candidate->installed;
  found->device_kinds = offer(&survey->findings[k], name)->device_kinds;
  found->promises = offer(&survey->findings[k], name)->promises;
  snprintf(found->name, sizeof found->name, "%s", name);
  return found->path ? RH_OK : rh_fail(error, RH_E_NOMEM, "no memory for a path");
}

rh_status rh_registry_locate(rh_registry *registry, const char *name, rh_found *found,
                             rh_error *error) {
  rh_survey *survey = registry->survey;
  memset(found, 0, sizeof *found);
  survey->device = NULL;
  survey->max_n = 0;
  return locate(survey, survey->options, name, found, error);
}

void rh_registry_ask(rh_registry *registry, const rh_device *device, uint64_t max_n, uint32_t op,
                     rh_type type) {
  const rh_examiner by = {.device = device ? device : rh_examine_host(),
                          .max_n = max_n,
                          .find_op = registry->survey->find_op};
  for (uint32_t k = 0; by.find_op && k < registry->n_entries; k++) {
    rh_entry *entry = &registry->entries[k];
    int is_known = !entry->asked_here && entry->asked_of == device && entry->asked_n == max_n;
    if (is_known || !rh_can_ask_here(entry) || entry->shadowed_by) continue;
    if (!entry->opened && rh_registry_open(entry->path, registry->survey->describe, entry->name,
                                           &entry->opened, NULL) != RH_OK)
      continue;
    rh_examine_offer(&by, entry->opened, op, type, &entry->offers[op][type]);
    entry->asked_here = 1;
  }
}

rh_status rh_found_from_entry(rh_found *found, const rh_entry *entry, rh_error *error) {
  *found = (rh_found){.path = rh_copy_string(entry->path),
                      .installed = entry->installed,
                      .device_kinds = entry->device_kinds,
                      .promises = entry->promises};
  snprintf(found->name, sizeof found->name, "%s", entry->name);
  return found->path ? RH_OK : rh_fail(error, RH_E_NOMEM, "no memory for a path");
}

void rh_found_finish(rh_found *found) {
  free(found->path);
  memset(found, 0, sizeof *found);
}
