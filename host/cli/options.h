/* The command line: a table that the parser, --help, the manual page and the completions read, and
 * what was typed as a struct. */
#pragma once

#include "../operators/catalog/catalog.h"
#include "values.h"

/* X(MODE, name): the modes, which rh_mode_name() of app.h serve.  The last three do
 * without a context. */
/* clang-format off */
#define RH_MODES(X) \
  X(SUMMARY, summary) X(LIST, list) X(OPS, ops) X(VERIFY_OP, verify_op) X(RUN, run) \
  X(DEVICES, devices) X(INFO, info) X(VERIFY, verify) X(NEW_PLUGIN, new_plugin) \
  X(NEW_OPERATOR, new_operator) X(NEW_TRANSPORT, new_transport) X(BENCH, bench) X(TUNE, tune) \
  X(COMPARE, compare) X(MERGE, merge) X(PLOT, plot) X(COMPLETION, completion) \
  X(HELP, help) X(VERSION, version)
/* clang-format on */
#define RH_X(mode, name) RH_MODE_##mode,
enum { RH_MODES(RH_X) };
#undef RH_X

enum { RH_MAX_SETTINGS = 64, RH_MAX_OPERANDS = 64, RH_MAX_WORDS = 16, RH_MOST_OPTIONS = 128 };

enum { RH_WHEN_AUTO = 1, RH_WHEN_ALWAYS, RH_WHEN_NEVER };

/* An option that may be given several times. */
typedef struct rh_words {
  const char *list[RH_MAX_WORDS];
  uint32_t n;
} rh_words;

/* Strings point into argv.  A choice is the place of its word in the table, from 1.  Null or 0 is
 * "not typed", but for numbers that have a default. */
typedef struct rh_typed {
  uint32_t mode;
  int argc; /* as it was typed */
  char **argv;
  const char *mode_option;           /* "run" */
  const char *said[RH_MOST_OPTIONS]; /* what was typed for each row; null: nothing */
  /* The word of --run, --info, --new-plugin and its like; the shell of --completion; the file of
   * --plot and the old one of --compare. */
  const char *name;
  const char *device, *size, *type, *input;
  const char *data; /* "uniform" unless typed */
  const char *plugin, *foreign, *plugin_path, *cache_dir;
  const char *include, *exclude, *junit, *launch;
  const char *strategy, *samples, *resume, *picture, *stream;
  uint32_t color, progress, isolate; /* RH_WHEN_* */
  uint32_t cache, timer, format, result;
  rh_operator_texts texts;                /* of --op, --map and so on, but for `known` */
  uint32_t check;                         /* of --run: RH_CHECK_* */
  double precision, threshold;            /* percent */
  double max_time_s, budget_s, timeout_s; /* the last two: 60 and 0 unless typed */
  uint64_t seed, processes;               /* 1 unless typed */
  uint64_t ranks;                         /* that this process is to start */
  uint64_t chunk_bytes;                   /* of --stream; 0: none were typed */
  /* Of --slice, all unless typed; of --first, 0, and --whole, UINT64_MAX, unless typed. */
  uint64_t begin, end, first_n, whole_n;
  const char *transport, *partial, *state, *slice, *first, *whole;
  const char *axis, *length, *segments, *starts, *stops, *by, *distribution;
  rh_words exports, outputs, peers, lets;
  uint32_t keepdims, unchecked_op, no_check, no_cache, no_measure, json, quiet, verbose, quick,
      in_process;
  uint32_t transports, python;
  uint32_t thorough, strict, once, dry_run, fresh;
  char list[4096]; /* where `input` or `strategy` is made of several operands */
  /* The files of --verify and --merge, the directory of --new-plugin and its like, the new file of
   * --compare, the topic of --help. */
  char *const *operands;
  uint32_t n_operands;
  rh_setting settings[RH_MAX_SETTINGS];
  uint32_t n_settings;
  char setting_keys[RH_MAX_SETTINGS][64];
} rh_typed;

/* For an option of "auto always never". */
static inline int rh_when(uint32_t when, int automatic) {
  return when == RH_WHEN_ALWAYS || (when != RH_WHEN_NEVER && automatic);
}

/* Of a process's silence. */
static inline double rh_limit_s(const rh_typed *typed) {
  return typed->timeout_s > 0 ? typed->timeout_s : 60;
}

/* Does the run share its work with other processes? */
static inline int rh_wants_ranks(const rh_typed *typed) {
  return typed->transport || typed->ranks || typed->partial;
}

/* Are the data cut into segments? */
static inline int rh_shape_is_asked(const rh_typed *typed) {
  return typed->axis || typed->length || typed->segments || typed->starts || typed->by;
}

/* Any malformed option is RH_E_USAGE. */
rh_status rh_options_parse(rh_typed *typed, int argc, char **argv, rh_error *error);

/* ---- The table ---- */

/* An option takes nothing, a word, a word each of several times, a word or nothing, or a KEY=VALUE;
 * modes take nothing, or a word, which has an argument's name then. */
enum {
  RH_OPTION_FLAG,
  RH_OPTION_WORD,
  RH_OPTION_WORDS,
  RH_OPTION_MAYBE_WORD,
  RH_OPTION_SETTING,
  RH_OPTION_MODE
};

#define RH_IN_MODE(mode) (1u << RH_MODE_##mode)

typedef struct rh_option {
  const char *name;
  uint32_t kind;
  const char *argument; /* as --help shows it; null: takes no argument */
  uint32_t value;       /* the mode, or the modes an option belongs to, by RH_IN_MODE() */
  size_t offset;        /* in rh_typed */
  const char *doc;
  char letter;         /* or 0 */
  const char *section; /* the heading before this row, or null; its first word is a topic */
  const char *words;   /* all that the word may be; null: any */
  rh_range range;      /* of a number; else empty */
} rh_option;

extern const rh_option rh_option_table[];
extern const size_t rh_n_options;
/* The row of that name, or null. */
const rh_option *rh_option_find(const char *name);

/* How many operands a mode takes, and which. */
typedef struct rh_operand_rule {
  uint32_t modes, least, most;
  const char *what;
} rh_operand_rule;
/* The last row takes none, in every mode. */
extern const rh_operand_rule rh_operand_table[];

/* Options, or an option and a mode, that do not go together, and what to do instead.  `one` and
 * `other` are lists with a space between words, of which "check=none" is an option with a value.
 * The last row is null. */
typedef struct rh_exclusion {
  const char *one, *other, *instead;
} rh_exclusion;
extern const rh_exclusion rh_exclusions[];

/* Options, of lists as above, that say nothing, in these modes, without one of others, and why. */
typedef struct rh_need {
  const char *options, *others, *why;
  uint32_t modes;
} rh_need;
extern const rh_need rh_needs[];

/* Names and their meanings; the last name is null. */
typedef struct rh_option_note {
  const char *name, *doc;
} rh_option_note;
extern const rh_option_note rh_options_environment[], rh_options_statuses[];
