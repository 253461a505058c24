/* The command line as a struct. */
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
  /* The word of --run, --info, --new-plugin and its like; the shell of --completion; the file of
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
  char input_list[4096]; /* where `input` is made of several operands */
  /* The files of --verify and --merge, the directory of --new-plugin and its like, the new file of
   * --compare, the topic of --help. */
  char *const *operands;
  uint32_t n_operands;
  rh_setting settings[RH_MAX_SETTINGS];
  uint32_t n_settings;
  char setting_keys[RH_MAX_SETTINGS][64];
} rh_typed;

/* Any malformed option is RH_E_USAGE. */
rh_status rh_options_parse(rh_typed *typed, int argc, char **argv, rh_error *error);

/* The options that most people need, on a screen; or with typed->operands[0] those of a topic, one
 * option, or all.  RH_E_USAGE for another word. */
rh_status rh_options_help(const rh_typed *typed, FILE *out, rh_error *error);
