#include "survey.h"
#include "../base/error.h"
#include "../base/text.h"
#include "../child/spawn.h"
#include "disable.h"
#include "talk.h"
#include "wire.h"

#include <stdlib.h>
#include <string.h>

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
    if (!(finding->refused = rh_copy_string(reason)))
      return rh_fail(error, RH_E_NOMEM, "no memory to list the plugins");
    finding->kind = RH_REFUSED_BY_INTENT;
  }
  return RH_OK;
}

rh_status rh_survey_look(rh_survey *survey, uint32_t first, uint32_t n, rh_error *error) {
  uint32_t *which = calloc(n + 1u, sizeof *which), count = 0, done = 0;
  if (!which) return rh_fail(error, RH_E_NOMEM, "no memory to examine plugins");
  for (uint32_t k = first; k < first + n; k++)
    if (!survey->search.candidates[k].refused && !survey->findings[k].looked) which[count++] = k;
  rh_status status = RH_OK;
  /* Without plugins no child is started, so the program may be missing. */
  if (count && !survey->program)
    status = rh_child_program(survey->options, &survey->program, error);
  while (status == RH_OK && done < count)
    status = rh_talk(survey, which + done, count - done, &done, error);
  for (uint32_t k = 0; status == RH_OK && k < count; k++)
    status = disable(&survey->search.candidates[which[k]], &survey->findings[which[k]], error);
  free(which);
  return status;
}

void rh_survey_finish(rh_survey *survey) {
  for (uint32_t k = 0; survey->findings && k < survey->search.n; k++) {
    rh_finding *finding = &survey->findings[k];
    for (uint32_t j = 0; j < finding->n_entries; j++) rh_entry_finish(&finding->entries[j]);
    free(finding->entries);
    free(finding->refused);
  }
  free(survey->findings);
  free(survey->program);
  rh_discovery_finish(&survey->search);
  memset(survey, 0, sizeof *survey);
}
