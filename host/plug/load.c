/* One strategy by its name, with as few files touched as will do. */
#include "../base/error.h"
#include "../base/text.h"
#include "plugin.h"
#include "rank.h"
#include "registry.h"
#include "survey.h"

#include <stdlib.h>
#include <string.h>

enum { NONE = -1 };

static int offers(const rh_finding *finding, const char *name) {
  for (uint32_t j = 0; j < finding->n_entries; j++)
    if (strcmp(finding->entries[j].name, name) == 0) return 1;
  return 0;
}

/* Candidates first .. end-1 stand in one place.  *found: the one that goes first, or NONE. */
static rh_status find_in_place(rh_survey *survey, uint32_t first, uint32_t end, const char *name,
                               int64_t *found, rh_error *error) {
  *found = NONE;
  for (uint32_t k = first; k < end; k++) {
    if (!rh_bears_name(survey->search.candidates[k].path, name)) continue;
    RH_TRY(rh_survey_look(survey, k, 1, error));
    if (offers(&survey->findings[k], name)) *found = k;
  }
  if (*found != NONE) return RH_OK;
  RH_TRY(rh_survey_look(survey, first, end - first, error));
  for (uint32_t k = first; k < end && *found == NONE; k++) /* in byte order already */
    if (offers(&survey->findings[k], name)) *found = k;
  return RH_OK;
}

/* An earlier place wins, so all its files are looked at before a later place is. */
static rh_status find(rh_survey *survey, const char *name, int64_t *found, rh_error *error) {
  const rh_search *search = &survey->search;
  *found = NONE;
  for (uint32_t first = 0, end; first < search->n && *found == NONE; first = end) {
    end = first + 1;
    while (end < search->n && search->candidates[end].place == search->candidates[first].place)
      end++;
    RH_TRY(find_in_place(survey, first, end, name, found, error));
  }
  return RH_OK;
}

/* Opened in this process at last. */
static rh_status open_here(const char *from, const char *name, const rh_strategy **strategy,
                           rh_error *error) {
  const rh_plugin *plugin;
  rh_status status = rh_plugin_open(from, &plugin, error);
  if (status == RH_OK) {
    for (uint32_t j = 0; j < plugin->n_strategies; j++) {
      *strategy = plugin->strategies[j];
      if (strcmp((*strategy)->name, name) == 0) return RH_OK;
    }
    status = rh_fail(error, RH_E_PLUGIN, "was changed while it was looked at");
  }
  *strategy = NULL;
  rh_error_prefix(error, "strategy '%s': %s", name, from);
  return status;
}

/* The file that should have offered it: one of its name, or the one that was asked for.  NONE: no
 * such refusal. */
static int64_t guilty(const rh_survey *survey, const rh_options *options, const char *name) {
  for (uint32_t k = 0; k < survey->search.n; k++)
    if (rh_survey_refusal(survey, k) && rh_bears_name(survey->search.candidates[k].path, name))
      return k;
  int asked = options && options->plugin_file && *options->plugin_file && survey->search.n;
  return asked && rh_survey_refusal(survey, 0) ? 0 : NONE;
}

static rh_status unknown(const rh_survey *survey, const char *name, rh_error *error) {
  uint32_t total = 0, n = 0;
  for (uint32_t k = 0; k < survey->search.n; k++) total += survey->findings[k].n_entries;
  if (total == 0)
    return rh_fail(error, RH_E_USAGE, "unknown strategy '%.64s': there is no plugin in %s", name,
                   survey->search.searched);
  const char **names = calloc(total, sizeof *names);
  if (!names) return rh_fail(error, RH_E_NOMEM, "no memory for a suggestion");
  for (uint32_t k = 0; k < survey->search.n; k++)
    for (uint32_t j = 0; j < survey->findings[k].n_entries; j++)
      names[n++] = survey->findings[k].entries[j].name;
  const char *close = rh_closest(name, names, n);
  if (close)
    rh_fail(error, RH_E_USAGE, "unknown strategy '%.64s'; did you mean '%s'? See redhost --list.",
            name, close);
  else
    rh_fail(error, RH_E_USAGE, "unknown strategy '%.64s'. See redhost --list.", name);
  free(names);
  return RH_E_USAGE;
}

static rh_status load(rh_survey *survey, const rh_options *options, const char *name,
                      const rh_strategy **strategy, char **path, rh_error *error) {
  int64_t found;
  RH_TRY(find(survey, name, &found, error));
  if (found == NONE) {
    int64_t k = guilty(survey, options, name);
    if (k == NONE) return unknown(survey, name, error);
    return rh_fail(error, RH_E_PLUGIN, "strategy '%.64s': %s: %s", name,
                   survey->search.candidates[k].path, rh_survey_refusal(survey, (uint32_t)k));
  }
  const char *from = survey->search.candidates[found].path;
  RH_TRY(open_here(from, name, strategy, error));
  *path = rh_copy_string(from);
  return *path ? RH_OK : rh_fail(error, RH_E_NOMEM, "no memory for a path");
}

rh_status rh_registry_load(const rh_options *options, const char *name,
                           const rh_strategy **strategy, char **path, rh_error *error) {
  rh_survey survey;
  *strategy = NULL;
  *path = NULL;
  RH_TRY(rh_survey_open(&survey, options, NULL, 0, error));
  rh_status status = load(&survey, options, name, strategy, path, error);
  rh_survey_finish(&survey);
  return status;
}
