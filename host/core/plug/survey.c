#include "internal.h"

rh_status rh_survey_open(rh_survey *survey, const rh_options *options, const rh_device *device,
                         uint64_t max_n, rh_error *error) {
  *survey = (rh_survey){.options = options,
                        .device = device,
                        .max_n = max_n,
                        .limit_s = 5,
                        .limit_bytes = (uint64_t)16 << 20};
  RH_TRY(rh_discover(&survey->search, options, error));
  survey->findings = calloc(survey->search.n + 1u, sizeof *survey->findings);
  if (survey->findings) return RH_OK;
  rh_survey_finish(survey);
  return rh_fail(error, RH_E_NOMEM, "no memory to list the plugins");
}

const char *rh_survey_refusal(const rh_survey *survey, uint32_t k) {
  const char *refused = survey->search.candidates[k].refused;
  return refused ? refused : survey->findings[k].refused;
}

rh_refusal_kind rh_survey_refusal_kind(const rh_survey *survey, uint32_t k) {
  const rh_candidate *candidate = &survey->search.candidates[k];
  return candidate->refused ? candidate->kind : survey->findings[k].kind;
}

/* The names of strategies are known only now; a match disables the whole file. */
static rh_status disable(const rh_candidate *candidate, rh_finding *finding, rh_error *error) {
  char reason[512];
  for (uint32_t k = 0; k < finding->n_entries && !finding->refused; k++) {
    if (candidate->installed ||
        !rh_is_disabled_strategy(finding->entries[k].name, reason, sizeof reason))
      continue;
    RH_TRY(rh_copy(&finding->refused, reason, "a list of plugins", error));
    finding->kind = RH_REFUSED_BY_INTENT;
  }
  return RH_OK;
}

static int is_same_file(const struct stat *a, const struct stat *b) {
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
         a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

void rh_survey_forget(rh_survey *survey, uint32_t k) {
  rh_finding *finding = &survey->findings[k];
  rh_finding_drop(finding);
  free(finding->refused);
  finding->refused = NULL;
  finding->looked = 0;
}

/* Was candidate k not examined yet, or is it another file now? */
static int is_due(rh_survey *survey, uint32_t k) {
  const rh_candidate *candidate = &survey->search.candidates[k];
  rh_finding *finding = &survey->findings[k];
  struct stat now = {0};
  if (candidate->refused) return 0;
  if (stat(candidate->path, &now) != 0) memset(&now, 0, sizeof now);
  if (finding->looked && is_same_file(&finding->file, &now)) return 0;
  rh_survey_forget(survey, k);
  finding->file = now;
  return 1;
}

static rh_status out_of_memory(rh_error *error) {
  return rh_fail(error, RH_E_NOMEM, "no memory to examine plugins");
}

/* Without a program: what came with redhost, which can be trusted as much as this library. */
static rh_status examine_here(rh_survey *survey, uint32_t k, rh_error *error) {
  const rh_candidate *candidate = &survey->search.candidates[k];
  const rh_examiner by = {.device = survey->device ? survey->device : rh_examine_host(),
                          .max_n = survey->max_n,
                          .find_op = survey->find_op};
  const rh_plugin *plugin;
  rh_error why;
  rh_fate fate;
  rh_status status = candidate->installed
                         ? rh_plugin_open(candidate->path, survey->describe, &plugin, &why)
                         : RH_OK;
  if (!candidate->installed) {
    fate = rh_finding_refuse(survey, k,
                             "only the redhost program examines it, and there is none beside the "
                             "library; name it in rh_options.program",
                             RH_REFUSED_UNREAD);
  } else if (status != RH_OK) {
    fate = rh_finding_refuse(survey, k, why.message, rh_examine_refusal_kind(status));
  } else {
    json_t *strategies = rh_examine_plugin(&by, plugin);
    fate = rh_finding_take(survey, k, strategies);
    json_decref(strategies);
  }
  return fate == RH_GOES_ON ? RH_OK : out_of_memory(error);
}

/* Without plugins no child is started, so the program may be missing. */
static rh_status find_program(rh_survey *survey, rh_error *error) {
  const rh_options *options = survey->options;
  rh_error why;
  if (survey->program || survey->has_no_program) return RH_OK;
  rh_status status = rh_child_program(options, &survey->program, &why);
  survey->has_no_program = status == RH_E_PLUGIN && survey->find_op;
  if (status == RH_OK || survey->has_no_program) return RH_OK;
  if (error) *error = why;
  return status;
}

static rh_status examine(rh_survey *survey, const uint32_t *which, uint32_t n, rh_error *error) {
  rh_status status = n ? find_program(survey, error) : RH_OK;
  for (uint32_t done = 0; status == RH_OK && done < n;)
    if (survey->has_no_program) status = examine_here(survey, which[done++], error);
    else status = rh_talk(survey, which + done, n - done, &done, error);
  for (uint32_t k = 0; status == RH_OK && k < n; k++)
    status = disable(&survey->search.candidates[which[k]], &survey->findings[which[k]], error);
  return status;
}

rh_status rh_survey_look_at(rh_survey *survey, uint32_t first, uint32_t n, int wanted_only,
                            rh_error *error) {
  uint32_t *which = calloc(n + 1u, sizeof *which), count = 0;
  if (!which) return out_of_memory(error);
  for (uint32_t k = first; k < first + n; k++)
    if ((!wanted_only || survey->findings[k].wanted) && is_due(survey, k)) which[count++] = k;
  rh_status status = examine(survey, which, count, error);
  free(which);
  return status;
}

rh_status rh_survey_look(rh_survey *survey, uint32_t first, uint32_t n, rh_error *error) {
  return rh_survey_look_at(survey, first, n, 0, error);
}

void rh_survey_finish(rh_survey *survey) {
  for (uint32_t k = 0; survey->findings && k < survey->search.n; k++) {
    rh_finding *finding = &survey->findings[k];
    rh_finding_drop(finding);
    free(finding->refused);
  }
  free(survey->findings);
  free(survey->program);
  rh_discovery_finish(&survey->search);
  memset(survey, 0, sizeof *survey);
}
