#include "internal.h"

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
    if (strcmp(entry->name, first->name) != 0) first = entry;
    else if (!(entry->shadowed_by = rh_copy_string(first->path))) return -1;
  }
  return 0;
}

/* The strings stay the survey's. */
static int gather_entries(rh_registry *registry) {
  const rh_survey *survey = registry->survey;
  uint32_t total = 0;
  for (uint32_t k = 0; k < survey->search.n; k++) total += survey->findings[k].n_entries;
  registry->entries = calloc(total + 1u, sizeof *registry->entries);
  if (!registry->entries) return -1;
  for (uint32_t k = 0; k < survey->search.n; k++) {
    const rh_finding *finding = &survey->findings[k];
    if (finding->refused || !finding->wanted) continue;
    if (finding->n_entries)
      memcpy(registry->entries + registry->n_entries, finding->entries,
             finding->n_entries * sizeof *finding->entries);
    registry->n_entries += finding->n_entries;
  }
  return 0;
}

static int gather_refusals(rh_registry *registry) {
  const rh_survey *survey = registry->survey;
  int asked = rh_discovery_names_plugin(survey->options);
  registry->refusals = calloc(survey->search.n + 1u, sizeof *registry->refusals);
  if (!registry->refusals) return -1;
  for (uint32_t k = 0; k < survey->search.n; k++) {
    const rh_candidate *candidate = &survey->search.candidates[k];
    const char *reason = rh_survey_refusal(survey, k);
    if (!reason) continue;
    registry->refusals[registry->n_refusals++] =
        (rh_refusal){.path = candidate->path,
                     .reason = (char *)reason,
                     .kind = rh_survey_refusal_kind(survey, k),
                     .installed = candidate->installed};
    if (k == 0) registry->asked_refused = (uint32_t)asked;
  }
  return 0;
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

static int must_ask_again(const rh_finding *finding, const rh_device *device, uint64_t max_n,
                          int exactly) {
  const rh_entry *entry = finding->n_entries ? &finding->entries[0] : NULL;
  if (!entry || (entry->asked_of == device && entry->asked_n == max_n)) return 0;
  return exactly || (!rh_can_ask_here(entry) && (entry->asked_of != device || entry->asked_n == 0));
}

/* How many files that nobody wanted before. */
static uint32_t want(rh_survey *survey, const char *const *names, uint32_t n) {
  uint32_t more = 0;
  int all = n == 0;
  for (uint32_t k = 0; k < n; k++) all |= !is_borne(survey, names[k]);
  for (uint32_t k = 0; k < survey->search.n; k++) {
    const rh_candidate *candidate = &survey->search.candidates[k];
    rh_finding *finding = &survey->findings[k];
    if (finding->wanted ||
        !(all || !candidate->installed || bears_one_of(candidate->path, names, n)))
      continue;
    finding->wanted = 1;
    more++;
  }
  return more;
}

static void release_lists(rh_registry *registry) {
  for (uint32_t k = 0; k < registry->n_entries; k++) free(registry->entries[k].shadowed_by);
  free(registry->entries);
  free(registry->refusals);
  *registry = (rh_registry){.survey = registry->survey};
}

static rh_status gather(rh_registry *registry, rh_error *error) {
  rh_survey *survey = registry->survey;
  release_lists(registry);
  registry->notes = survey->search.notes;
  registry->n_notes = survey->search.n_notes;
  registry->searched = survey->search.searched;
  for (uint32_t k = 0; k < survey->search.n; k++)
    registry->n_skipped += !survey->findings[k].wanted && !survey->search.candidates[k].refused;
  if (gather_entries(registry) == 0 && gather_refusals(registry) == 0 && shadow(registry) == 0)
    return RH_OK;
  return rh_fail(error, RH_E_NOMEM, "no memory to list the plugins");
}

rh_status rh_registry_begin(rh_registry *registry, const rh_options *options, rh_find_op *find_op,
                            rh_describe *describe, rh_error *error) {
  *registry = (rh_registry){.survey = calloc(1, sizeof *registry->survey)};
  if (!registry->survey) return rh_fail(error, RH_E_NOMEM, "no memory to list the plugins");
  rh_status status = rh_survey_open(registry->survey, options, NULL, 0, error);
  registry->survey->find_op = find_op;
  registry->survey->describe = describe;
  if (status != RH_OK) rh_registry_finish(registry);
  return status;
}

rh_status rh_registry_examine(rh_registry *registry, const rh_device *device, uint64_t max_n,
                              const char *const *names, uint32_t n, int exactly, rh_error *error) {
  rh_survey *survey = registry->survey;
  survey->device = device;
  survey->max_n = max_n;
  uint32_t due = want(survey, names, n);
  for (uint32_t k = 0; k < survey->search.n; k++) {
    rh_finding *finding = &survey->findings[k];
    if (!finding->wanted || !must_ask_again(finding, device, max_n, exactly)) continue;
    rh_survey_forget(survey, k);
    due++;
  }
  if (!due && registry->entries && !exactly) return RH_OK;
  RH_TRY(rh_survey_look_at(survey, 0, survey->search.n, 1, error));
  return gather(registry, error);
}

rh_status rh_registry_scan(rh_registry *registry, const rh_options *options,
                           const rh_device *device, uint64_t max_n, rh_error *error) {
  RH_TRY(rh_registry_begin(registry, options, NULL, NULL, error));
  rh_status status = rh_registry_examine(registry, device, max_n, NULL, 0, 1, error);
  if (status != RH_OK) rh_registry_finish(registry);
  return status;
}

void rh_registry_finish(rh_registry *registry) {
  release_lists(registry);
  if (registry->survey) rh_survey_finish(registry->survey);
  free(registry->survey);
  *registry = (rh_registry){0};
}

const rh_entry *rh_registry_find(const rh_registry *registry, const char *name) {
  for (uint32_t k = 0; k < registry->n_entries; k++)
    if (!registry->entries[k].shadowed_by && strcmp(registry->entries[k].name, name) == 0)
      return &registry->entries[k];
  return NULL;
}
