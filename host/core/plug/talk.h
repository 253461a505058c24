/* The parent's side of one child's life. */
#ifndef RH_PLUG_TALK_H
#define RH_PLUG_TALK_H

#include "discover.h"
#include "registry.h"

/* The result for candidate k. */
typedef struct rh_finding {
  int looked;
  char *refused; /* null, or why not: the search's reasons are not repeated here */
  rh_refusal_kind kind;
  rh_entry *entries; /* also of a refused one, if it got so far: they are unavailable */
  uint32_t n_entries;
} rh_finding;

typedef struct rh_survey {
  rh_discovery search;
  rh_finding *findings; /* search.n of them */
  const rh_options *options;
  char *program; /* null until a child is needed */
  const rh_device *device;
  uint64_t max_n;
  double limit_s;       /* for one file, from its begin to its result */
  uint64_t limit_bytes; /* that the child may send about one file */
} rh_survey;

/* Starts a child on candidates which[0..n-1] and listens until it ends, in whatever way.  Adds to
 * *done how many need no further child, at least one. Where that is fewer than n, the child was
 * lost. RH_E_PLUGIN: the program is missing or is not a redhost. */
rh_status rh_talk(rh_survey *survey, const uint32_t *which, uint32_t n, uint32_t *done,
                  rh_error *error);

#endif
