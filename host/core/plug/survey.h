/* Candidates, and a child's report on each.  The registry uses it for all candidates or for a
 * few. */
#pragma once

#include "rank.h"
#include "talk.h"

/* Searches; starts no process yet.  `options` may be null; so may `device`, which must outlive the
 * survey. */
rh_status rh_survey_open(rh_survey *survey, const rh_options *options, const rh_device *device,
                         uint64_t max_n, rh_error *error);
/* A child examines candidates first .. first+n-1, except those that the search refused or that
 * were examined before and whose files have not changed since.  Without a program, those that came
 * with redhost are examined in this process, and the others refused.  A candidate that takes the
 * child down is refused, and another child continues after it. */
rh_status rh_survey_look(rh_survey *survey, uint32_t first, uint32_t n, rh_error *error);
/* Looks only at those that are `wanted` if wanted_only. */
rh_status rh_survey_look_at(rh_survey *survey, uint32_t first, uint32_t n, int wanted_only,
                            rh_error *error);
void rh_survey_forget(rh_survey *survey, uint32_t k); /* it has to be examined again */
/* Why candidate k is not used, by the search or by the child; null if it is used. */
const char *rh_survey_refusal(const rh_survey *survey, uint32_t k);
rh_refusal_kind rh_survey_refusal_kind(const rh_survey *survey, uint32_t k);
void rh_survey_finish(rh_survey *survey);

/* May this process ask it about other sizes, though nobody chose it?  Only a child asks others, and
 * only once. */
static inline int rh_can_ask_here(const rh_entry *entry) {
  return entry->installed && !rh_is_foreign(entry->path);
}
