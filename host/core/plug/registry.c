#include "registry.h"
#include "../base/error.h"
#include "../base/text.h"
#include "rank.h"
#include "survey.h"
#include "wire.h"

#include <stdlib.h>
#include <string.h>

/* Sorts by name, then by rh_rank_files. */
static int by_rank(const void *left, const void *right) {
  const rh_entry *a = left, *b = right;
  int order = strcmp(a->name, b->name);
  if (order == 0 && a->place != b->place) order = a->place < b->place ? -1 : 1;
  return order ? order : rh_rank_files(a->path, b->path, a->name);
}

/* Sorts, and marks all but the first of each name. */
static int shadow(rh_registry *registry) {
  if (registry->n_entries == 0) return 0;
  qsort(registry->entries, registry->n_entries, sizeof *registry->entries, by_rank);
  const rh_entry *first = registry->entries;
  for (uint32_t k = 1; k < registry->n_entries; k++) {
    rh_entry *entry = &registry->entries[k];
    if (strcmp(entry->name, first->name) != 0)
      first = entry;
    else if (!(entry->shadowed_by = rh_copy_string(first->path)))
      return -1;
  }
  return 0;
}

/* Moves the entries out of the survey. */
static int gather_entries(rh_registry *registry, rh_survey *survey) {
  uint32_t total = 0;
  for (uint32_t k = 0; k < survey->search.n; k++) total += survey->findings[k].n_entries;
  registry->entries = calloc(total + 1u, sizeof *registry->entries);
  if (!registry->entries) return -1;
  for (uint32_t k = 0; k < survey->search.n; k++) {
    rh_finding *finding = &survey->findings[k];
    if (finding->refused) continue;
    if (finding->n_entries)
      memcpy(registry->entries + registry->n_entries, finding->entries,
             finding->n_entries * sizeof *finding->entries);
    registry->n_entries += finding->n_entries;
    finding->n_entries = 0;
  }
  return 0;
}

static int gather_refusals(rh_registry *registry, const rh_survey *survey, int asked) {
  registry->refusals = calloc(survey->search.n + 1u, sizeof *registry->refusals);
  if (!registry->refusals) return -1;
  for (uint32_t k = 0; k < survey->search.n; k++) {
    const char *reason = rh_survey_refusal(survey, k);
    if (!reason) continue;
    rh_refusal *refusal = &registry->refusals[registry->n_refusals++];
    refusal->path = rh_copy_string(survey->search.candidates[k].path);
    refusal->reason = rh_copy_string(reason);
    refusal->kind = rh_survey_refusal_kind(survey, k);
    refusal->installed = survey->search.candidates[k].installed;
    if (!refusal->path || !refusal->reason) return -1;
    if (k == 0) registry->asked_refused = (uint32_t)asked;
  }
  return 0;
}

static void take_notes(rh_registry *registry, rh_discovery *search) {
  registry->notes = search->notes;
  registry->n_notes = search->n_notes;
  registry->searched = search->searched;
  search->notes = NULL;
  search->n_notes = 0;
  search->searched = NULL;
}

static int bears_one_of(const char *path, const char *const *names, uint32_t n) {
  for (uint32_t k = 0; k < n; k++)
    if (rh_bears_name(path, names[k])) return 1;
  return 0;
}

static int is_borne(const rh_survey *survey, const char *name) {
  for (uint32_t k = 0; k < survey->search.n; k++)
    if (rh_bears_name(survey->search.candidates[k].path, name)) return 1;
  return 0;
}

/* Has the others pass for examined. */
static uint32_t skip_others(rh_survey *survey, const char *const *names, uint32_t n) {
  uint32_t skipped = 0;
  for (uint32_t k = 0; k < n; k++)
    if (!is_borne(survey, names[k])) return 0;
  for (uint32_t k = 0; n && k < survey->search.n; k++) {
    const rh_candidate *candidate = &survey->search.candidates[k];
    if (!candidate->installed || bears_one_of(candidate->path, names, n)) continue;
    survey->findings[k].looked = 1;
    skipped++;
  }
  return skipped;
}

rh_status rh_registry_scan(rh_registry *registry, const rh_options *options,
                           const rh_device *device, uint64_t max_n, rh_error *error) {
  return rh_registry_scan_named(registry, options, device, max_n, NULL, 0, error);
}

rh_status rh_registry_scan_named(rh_registry *registry, const rh_options *options,
                                 const rh_device *device, uint64_t max_n, const char *const *names,
                                 uint32_t n, rh_error *error) {
  rh_survey survey;
  memset(registry, 0, sizeof *registry);
  RH_TRY(rh_survey_open(&survey, options, device, max_n, error));
  registry->n_skipped = skip_others(&survey, names, n);
  rh_status status = rh_survey_look(&survey, 0, survey.search.n, error);
  if (status == RH_OK) {
    int asked = rh_discovery_names_plugin(options);
    take_notes(registry, &survey.search);
    if (gather_entries(registry, &survey) != 0 || gather_refusals(registry, &survey, asked) != 0 ||
        shadow(registry) != 0)
      status = rh_fail(error, RH_E_NOMEM, "no memory to list the plugins");
  }
  rh_survey_finish(&survey);
  if (status != RH_OK) rh_registry_finish(registry);
  return status;
}

void rh_registry_finish(rh_registry *registry) {
  for (uint32_t k = 0; k < registry->n_entries; k++) rh_entry_finish(&registry->entries[k]);
  for (uint32_t k = 0; k < registry->n_refusals; k++) {
    free(registry->refusals[k].path);
    free(registry->refusals[k].reason);
  }
  for (uint32_t k = 0; k < registry->n_notes; k++) free(registry->notes[k]);
  free(registry->entries);
  free(registry->refusals);
  free(registry->notes);
  free(registry->searched);
  memset(registry, 0, sizeof *registry);
}

const rh_entry *rh_registry_find(const rh_registry *registry, const char *name) {
  for (uint32_t k = 0; k < registry->n_entries; k++)
    if (!registry->entries[k].shadowed_by && strcmp(registry->entries[k].name, name) == 0)
      return &registry->entries[k];
  return NULL;
}
