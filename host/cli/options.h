/* The command line as a struct.  One table defines the options: the parser, --help, the manual page
 * and the completions use it. */
#pragma once

#include <redhost/redhost.h>
#include <stdio.h>

enum {
  RH_MODE_SUMMARY,
  RH_MODE_LIST,
  RH_MODE_OPS,
  RH_MODE_VERIFY_OP,
  RH_MODE_RUN,
  RH_MODE_DEVICES,
  RH_MODE_INFO,
  RH_MODE_VERIFY,
  RH_MODE_NEW_PLUGIN,
  RH_MODE_NEW_OPERATOR,
  RH_MODE_NEW_TRANSPORT,
  RH_MODE_BENCH,
  RH_MODE_TUNE,
  RH_MODE_COMPARE,
  RH_MODE_MERGE,
  RH_MODE_PLOT,
  RH_MODE_COMPLETION,
  RH_MODE_HELP,
  RH_MODE_VERSION
};

enum { RH_MAX_SETTINGS = 64, RH_MAX_OPERANDS = 64, RH_MAX_WORDS = 16 };

/* An option that may be given several times. */
typedef struct rh_words {
  const char *list[RH_MAX_WORDS];
  uint32_t n;
} rh_words;

/* Strings point into argv.  Zero-initialised is "nothing typed". */
typedef struct rh_typed {
  uint32_t mode;
  int argc; /* as it was typed */
  char **argv;
  const char *mode_option; /* "--run", as typed first */
  /* Of --run, --info, --new-plugin and its like; the shell of --completion; the file of
   * --plot and the old one of --compare. */
  const char *name;
  const char *device, *size, *op, *type, *input, *data, *seed;
  const char *plugin, *foreign, *plugin_path, *cache_dir, *color, *progress, *isolate, *timeout;
  const char *include, *exclude, *junit, *launch;
  const char *strategy, *cache, *precision, *max_time, *samples, *timer, *processes;
  const char *format, *output, *resume, *threshold, *picture, *budget;
  const char *stream, *check, *accuracy;
  const char *map, *reduce, *identity, *finalize, *where;
  const char *transport, *ranks, *partial, *slice, *first, *whole;
  rh_words exports, peers, lets;
  uint32_t commutes;
  uint32_t unchecked_op, no_check, no_cache, no_measure, json, quiet, verbose, quick, in_process;
  uint32_t transports;
  uint32_t thorough, strict, once, dry_run, fresh;
  /* Of --verify and --merge, the directory of --new-plugin and its like, the new file of
   * --compare. */
  char *const *operands;
  uint32_t n_operands;
  rh_setting settings[RH_MAX_SETTINGS];
  uint32_t n_settings;
  char setting_keys[RH_MAX_SETTINGS][64];
} rh_typed;

/* Any malformed option is RH_E_USAGE. */
rh_status rh_options_parse(rh_typed *typed, int argc, char **argv, rh_error *error);

void rh_options_help(FILE *out);

/* A row of the table. */
typedef struct rh_option_row {
  const char *name;
  char letter;          /* or 0 */
  const char *argument; /* as --help shows it; null: takes no argument */
  const char *section;  /* the heading before this row, or null */
  const char *doc;      /* lines */
  int optional;         /* 1: the argument is optional, and follows a `=' */
} rh_option_row;

/* Row k, from 0; 0 if there is none. */
int rh_options_row(size_t k, rh_option_row *row);

/* Names and their meanings; the last name is null. */
typedef struct rh_option_note {
  const char *name, *doc;
} rh_option_note;
extern const rh_option_note rh_options_environment[], rh_options_statuses[];
