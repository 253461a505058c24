/* How plugins are searched and asked, within this folder. */
#pragma once

#include "plug.h"

/* ---- REDHOST_PLUGIN_DISABLE: disables plugins that did not come with redhost ---- */

/* Does a pattern of the variable match the file's name, with or without its suffix?  1: *reason is
 * the message. */
int rh_is_disabled_file(const char *path, char *reason, size_t bytes);
/* Asks the same of the name of a strategy in the file. */
int rh_is_disabled_strategy(const char *name, char *reason, size_t bytes);

/* ---- The parent's side of the probe protocol, for one child ---- */

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

/* Candidates, and a child's report on each.  The registry uses it for all candidates or for a
 * few. */

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

/* ---- Collects the files of one directory after another, with the checks of trust ---- */

typedef struct rh_file_id {
  dev_t device;
  ino_t inode;
} rh_file_id;

typedef struct rh_walk_places rh_walk_places;

typedef struct rh_walk {
  rh_discovery *search;
  const rh_walk_places *places;
  int operators;    /* 1: operator files are searched for, else plugins */
  uint32_t place;   /* of the next candidates */
  uint32_t at_home; /* 1: the next candidates are in redhost's own directory */
  rh_file_id homes[2];
  uint32_t n_homes;
  size_t known;     /* trusted prefix of the next paths, see rh_trust_path */
  rh_file_id *seen; /* files and directories that were visited */
  size_t n_seen;
  rh_text searched;
  int failed; /* out of memory: check once at the end */
} rh_walk;

/* Registers one of redhost's own directories, if it exists.  Must be called before any search. */
void rh_walk_home(rh_walk *walk, const char *directory);
/* Every plugin, or every operator file, in `directory`, which is absolute and whose first `known`
 * bytes are trusted.  `from`: the option or variable that named it, for a note if it is missing;
 * null: it may be missing. */
void rh_walk_directory(rh_walk *walk, const char *directory, size_t known, const char *from);
/* One regular file that the user named; it has its own rank.  Its directory may belong to any
 * user, as with a program that is started by its path. */
void rh_walk_single(rh_walk *walk, const char *path, const struct stat *st);
/* A directory that could not be determined: `what` is "the directory of ...", and errno was
 * `code`. */
void rh_walk_lost(rh_walk *walk, const char *what, int code);
void rh_walk_note(rh_walk *walk, const char *format, ...) __attribute__((format(printf, 2, 3)));
void rh_walk_finish(rh_walk *walk);
