/* Candidates, and a child's report on each.  The registry uses it for all candidates or for a
 * few. */
#ifndef RH_PLUG_SURVEY_H
#define RH_PLUG_SURVEY_H

#include "talk.h"

/* Searches; starts no process yet.  `options` may be null; so may `device`, which must outlive the
 * survey. */
rh_status rh_survey_open(rh_survey *survey, const rh_options *options, const rh_device *device,
                         uint64_t max_n, rh_error *error);
/* A child examines candidates first .. first+n-1, except those that the search refused or that
 * were examined before.  A candidate that takes the child down is refused, and another child
 * continues after it. */
rh_status rh_survey_look(rh_survey *survey, uint32_t first, uint32_t n, rh_error *error);
/* Why candidate k is not used, by the search or by the child; null if it is used. */
const char *rh_survey_refusal(const rh_survey *survey, uint32_t k);
rh_refusal_kind rh_survey_refusal_kind(const rh_survey *survey, uint32_t k);
void rh_survey_finish(rh_survey *survey);

#endif
