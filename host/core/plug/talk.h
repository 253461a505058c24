/* The parent's side of the probe protocol, for one child. */
#pragma once

#include "../child/conversation.h"
#include "discover.h"
#include "registry.h"

#include <jansson.h>
#include <sys/stat.h>

/* The result for candidate k. */
typedef struct rh_finding {
  int looked;
  struct stat file; /* the one that was examined */
  int wanted;       /* in a registry; see registry.c */
  char *refused;    /* null or the reason, except for refusals by the search */
  rh_refusal_kind kind;
  rh_entry *entries; /* also those of a refused plugin, if known; they are unavailable */
  uint32_t n_entries;
} rh_finding;

typedef struct rh_survey {
  rh_discovery search;
  rh_finding *findings; /* search.n of them */
  const rh_options *options;
  rh_find_op *find_op; /* may be null: then nothing is examined in this process */
  rh_describe *describe;
  char *program; /* null until a child is needed */
  int has_no_program;
  const rh_device *device;
  uint64_t max_n;
  double limit_s;       /* for one file */
  uint64_t limit_bytes; /* that the child may send about one file */
} rh_survey;

/* Takes the strategies of candidate k, as rh_examine_plugin() gives them. */
rh_fate rh_finding_take(rh_survey *survey, uint32_t k, const json_t *strategies);
/* Takes why it is not used. */
rh_fate rh_finding_refuse(rh_survey *survey, uint32_t k, const char *reason, rh_refusal_kind kind);
void rh_finding_drop(rh_finding *finding); /* its entries */

/* Starts a child on candidates which[0..n-1] and reads until it ends for any reason.  Adds the
 * number of candidates that need no further child to *done, at least one.  If that is fewer than
 * n, the child died or hung.  RH_E_PLUGIN: the program is missing or is not a redhost. */
rh_status rh_talk(rh_survey *survey, const uint32_t *which, uint32_t n, uint32_t *done,
                  rh_error *error);
