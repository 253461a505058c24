/* Candidates, and what a child said of each: the registry's two ways to use it are to ask about
 * all, or about few. */
#ifndef RH_PLUG_SURVEY_H
#define RH_PLUG_SURVEY_H

#include "registry.h"
#include "search.h"

/* What became of candidate k. */
typedef struct rh_finding {
  int looked;
  char *refused;     /* null, or why not: the search's reasons are not repeated here */
  rh_entry *entries; /* of a refused one too, where it got so far: they are not to be had */
  uint32_t n_entries;
} rh_finding;

typedef struct rh_survey {
  rh_search search;
  rh_finding *findings; /* search.n of them */
  const rh_options *options;
  char *program; /* null until a child is needed */
  const rh_device *device;
  uint64_t max_n;
  double limit_s;       /* for one file, from its begin to its result */
  uint64_t limit_bytes; /* that the child may send about one file */
} rh_survey;

/* Searches; starts nothing yet. `options` may be null; `device` too, and it must outlive the
 * survey. */
rh_status rh_survey_open(rh_survey *survey, const rh_options *options, const rh_device *device,
                         uint64_t max_n, rh_error *error);
/* Has a child look at candidates first .. first+n-1, but for those that the search refused or that
 * were looked at before.  One that takes the child down is refused, and another child goes on
 * behind it. */
rh_status rh_survey_look(rh_survey *survey, uint32_t first, uint32_t n, rh_error *error);
/* Why candidate k is not used, or null: the search's reason or the child's. */
const char *rh_survey_refusal(const rh_survey *survey, uint32_t k);
/* Adds to the search's notes. */
rh_status rh_survey_note(rh_survey *survey, rh_error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void rh_survey_finish(rh_survey *survey);

#endif
