/* The command line: values as users read and write them, a table of options that the parser,
 * --help, the manual page and the completions read, and what was typed as a struct. */
#pragma once

#include "../operators/catalog/catalog.h"
#include "../tools/bench/bench.h"

/* ---- Values: one of a few words, lists, numbers, sizes; RH_E_USAGE for what is none ---- */

/* Destroyed at the end of its scope: RH_OWNED(rh_custom) own = NULL; */
#define RH_OWNED(type) __attribute__((cleanup(type##_at_end))) type *
static inline void rh_custom_at_end(rh_custom **custom) { rh_custom_destroy(*custom); }

/* Texts that are valid until some dozens of calls later: as by printf(); as rh_make_plain()
 * shows it, null as ""; numbers (core/base). */
char *rh_show(const char *format, ...) __attribute__((format(printf, 1, 2)));
const char *rh_plain(const char *s);
const char *rh_seconds(double seconds);
const char *rh_bytes(uint64_t bytes);
const char *rh_count(uint64_t n);

/* *place: which of `words`, with spaces between, the word is, from 1.  The message for any other
 * word names them all. */
rh_status rh_choice_parse(const char *option, const char *word, const char *words, uint32_t *place,
                          rh_error *error);

/* The word in a list with a space between words, of which one may be "check=none"; or null. */
const char *rh_word_find(const char *word, const char *list);

/* "--axis, --length or --by", of such a list. */
const char *rh_words_shown(const char *words, const char *prefix);

/* RH_E_USAGE if a word of a list, with commas between, is empty. */
rh_status rh_list_check(const char *option, const char *list, rh_error *error);
/* The next word of what is left of it, valid as what rh_show() returns; null: there is none. */
const char *rh_list_next(const char **left);

/* An option's number is a decimal of more than 0 and less than `below`; or if `most` is not 0, a
 * whole number from `least` to `most`. */
typedef struct rh_range {
  const char *expected; /* for the message: unit, bounds, an example; null: the bounds */
  double below;
  uint64_t least, most;
} rh_range;

/* A decimal: "2", "0.5", "1e-3", with a point in every locale.  *value is unchanged after a
 * failure. */
rh_status rh_number_parse(const char *option, const rh_range *range, const char *text,
                          double *value, rh_error *error);
/* Parses a whole number, of digits alone. */
rh_status rh_whole_parse(const char *option, const rh_range *range, const char *text,
                         uint64_t *value, rh_error *error);

/* --samples: "20", or "20:200"; from 1 to 1000000.  Leaves both unchanged if text is null, and
 * *most if it is not given, but never below *least. */
rh_status rh_samples_parse(const char *text, uint32_t *least, uint32_t *most, rh_error *error);

/* Elements: "1000000", "1e6", "1.5e6", "2^24", "16Ki", "16Mi", "1k", "4M", "2G"; with a final B
 * bytes, which must be whole elements of `element_size`: "64MiB", "512B".  At most 2^63-1. */
rh_status rh_size_parse(const char *text, uint32_t element_size, const char *option, uint64_t *n,
                        rh_error *error);

/* Lists of --size and --length: sizes, and ranges A:B (doubling), A:B:xM (times M) and A:B:+S (S
 * more), separated by commas; B is included if the range hits it.  Every A, B, S and single size is
 * parsed by rh_size_parse.  Ascending, each size once, at least one and at most RH_MAX_SIZES;
 * *sizes is malloc'ed, null on failure. */
enum { RH_MAX_SIZES = 10000 };
rh_status rh_sizes_parse(const char *text, const char *option, uint32_t element_size,
                         uint64_t **sizes, uint32_t *n, rh_error *error);

/* ---- Lists of operators, types, strategies, devices ---- */

/* Words that are numbered from 1, of --op, --type and --distribution. */
typedef struct rh_vocabulary rh_vocabulary;
extern const rh_vocabulary rh_op_words, rh_type_words, rh_distribution_words;

/* RH_E_USAGE for an unknown word. */
rh_status rh_word_parse(const rh_vocabulary *known, const char *word, uint32_t *number,
                        rh_error *error);
/* Words separated by commas, or "all"; null is sum, f32 or fixed.  An operator need
 * not be defined on every type (rh_op_is_defined). */
rh_status rh_words_parse(const rh_vocabulary *known, const char *list, rh_numbers *chosen,
                         rh_error *error);
int rh_numbers_have(const rh_numbers *numbers, uint32_t number);

/* --strategy: names and globs separated by commas.  Each adds to the selection, or removes from it
 * with a leading `!', in the order typed; if all have a `!', they remove from the full list.  Null
 * is all.  selected[k] becomes 1 or 0 for names[k].  RH_E_USAGE for a word that matches no name,
 * and for an empty selection. */
rh_status rh_strategies_select(const char *list, const char *const *names, uint32_t n,
                               unsigned char *selected, rh_error *error);

/* --device: words that rh_cl_devices_choose accepts, separated by commas, or "all", or "gpu:all" of
 * any kind; each device once, in the order typed.  Null: REDHOST_DEVICE as such a list, else the
 * default device.  At least one; *chosen is malloc'ed, null on failure, and points to devices owned
 * by *devices.  RH_E_USAGE, RH_E_DEVICE. */
rh_status rh_devices_parse(const rh_cl_devices *devices, const char *list,
                           const rh_cl_device ***chosen, uint32_t *n, rh_error *error);

/* ---- Of this machine ---- */

/* Its memory in bytes; 0 if it is not known. */
uint64_t rh_machine_memory(void);

/* Do both names lead to one file?  null and "-" lead to none. */
int rh_is_same_file(const char *a, const char *b);

/* ---- What was typed ---- */

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

/* modes: 0: options, or an option and a mode, that do not go together, and what to do instead; else
 * options that say nothing, in these modes, without one of others, and why.  `one` and `other` are
 * lists with a space between words, of which "check=none" is an option with a value.  The last row
 * is null. */
typedef struct rh_pairing {
  uint32_t modes;
  const char *one, *other, *why;
} rh_pairing;
extern const rh_pairing rh_pairings[];

/* Names and their meanings; the last name is null. */
typedef struct rh_option_note {
  const char *name, *doc;
} rh_option_note;
extern const rh_option_note rh_options_environment[], rh_options_statuses[];
