#include "options.h"
#include "../core/base/error.h"
#include "../core/base/text.h"
#include "../core/base/vocabulary.h"
#include "../core/plug/rank.h"
#include "../engine/reduction/stream_device.h"
#include "table.h"

#include <getopt.h>
#include <limits.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FLAG, WORD, WORDS, MAYBE_WORD, SETTING, MODE, MODE_WORD };

/* The modes in which an option is valid; a bit for each RH_MODE_*. */
#define IN(mode)  (1u << RH_MODE_##mode)
#define LOOKING   (IN(LIST) | IN(DEVICES) | IN(INFO) | IN(SUMMARY))
#define TIMING    (IN(BENCH) | IN(TUNE))
#define OPERATORS (IN(RUN) | IN(LIST) | IN(INFO) | TIMING | IN(VERIFY) | IN(VERIFY_OP))
#define TOUCHING  (IN(RUN) | IN(VERIFY) | TIMING)
#define NEW       (IN(NEW_PLUGIN) | IN(NEW_OPERATOR) | IN(NEW_TRANSPORT))
#define PLUGINS                                                                                    \
  (IN(MERGE) | IN(LIST) | IN(OPS) | IN(INFO) | IN(SUMMARY) | IN(VERIFY_OP) | NEW | TOUCHING)
#define DEVICES    (LOOKING | IN(MERGE) | TOUCHING | IN(VERIFY_OP))
#define FILES      (IN(COMPARE) | IN(PLOT) | IN(MERGE))
#define EVERYWHERE (DEVICES | FILES | IN(OPS))

#define TEXT_OF(number) AS_TEXT(number)
#define AS_TEXT(number) #number
#define LEAST_CHUNK     TEXT_OF(RH_STREAM_LEAST_MIB)
#define MOST_CHUNK      TEXT_OF(RH_STREAM_MOST_MIB)
#define DEVICE_CHUNK    TEXT_OF(RH_STREAM_DEVICE_MIB)

typedef struct option_row {
  const char *name;
  char letter;
  uint32_t kind;
  const char *argument; /* as --help shows it */
  const char *section;  /* a heading before this row, or null */
  const char *doc;      /* lines */
  uint32_t value;       /* the mode, or the modes an option belongs to */
  size_t offset;        /* in rh_typed */
} option_row;

#define AT(field) offsetof(rh_typed, field)

static const option_row table[] = {
    {"list", 'l', MODE, NULL, "Modes (one; with none, a summary of this machine)",
     "list strategies, and whether each can run here", RH_MODE_LIST, 0},
    {"ops", 0, MODE, NULL, NULL, "list operators", RH_MODE_OPS, 0},
    {"run", 'r', MODE_WORD, "NAME", NULL, "reduce with strategy NAME, or `auto' for the best one",
     RH_MODE_RUN, 0},
    {"bench", 'b', MODE, NULL, NULL, "benchmark strategies over sizes", RH_MODE_BENCH, 0},
    {"devices", 0, MODE, NULL, NULL, "list OpenCL devices", RH_MODE_DEVICES, 0},
    {"info", 0, MODE_WORD, "NAME", NULL, "describe one strategy or operator", RH_MODE_INFO, 0},
    {"verify", 0, MODE, NULL, NULL,
     "run the conformance tests on a strategy, a transport, or\na file of either [all installed "
     "strategies]",
     RH_MODE_VERIFY, 0},
    {"verify-op", 0, MODE, NULL, NULL,
     "is an operator, by name, file or --reduce, what it\nclaims to be? Else a counterexample",
     RH_MODE_VERIFY_OP, 0},
    {"tune", 0, MODE, NULL, NULL, "find the best parameters for this device, keep them",
     RH_MODE_TUNE, 0},
    {"new-plugin", 0, MODE_WORD, "NAME [DIR]", NULL,
     "create a plugin from a template in DIR [./NAME]", RH_MODE_NEW_PLUGIN, 0},
    {"new-operator", 0, MODE_WORD, "NAME [DIR]", NULL,
     "create DIR/NAME.op.json [.], an operator, from a\ntemplate; NAME.cl: one in OpenCL C",
     RH_MODE_NEW_OPERATOR, 0},
    {"new-transport", 0, MODE_WORD, "NAME [DIR]", NULL,
     "create a transport from a template in DIR [./NAME]", RH_MODE_NEW_TRANSPORT, 0},
    {"compare", 0, MODE_WORD, "OLD NEW", NULL, "compare two result files", RH_MODE_COMPARE, 0},
    {"merge", 0, MODE, NULL, NULL, "merge what --partial wrote: the answer, or one more\n--partial",
     RH_MODE_MERGE, 0},
    {"plot", 0, MODE_WORD, "FILE", NULL, "draw a result file (needs gnuplot)", RH_MODE_PLOT, 0},
    {"completion", 0, MODE_WORD, "SHELL", NULL, "print completions for bash, zsh or fish",
     RH_MODE_COMPLETION, 0},
    {"help", 'h', MODE, NULL, NULL, "print this help", RH_MODE_HELP, 0},
    {"version", 'V', MODE, NULL, NULL, "print the version", RH_MODE_VERSION, 0},

    {"device", 'd', WORD, "SPEC", "Problem",
     "index, PLATFORM:INDEX, gpu, cpu, accelerator, or part\n"
     "of a name [the first GPU, else accelerator, else CPU];\n"
     "--run, --bench, --tune: several with commas between,\n"
     "gpu:all, or all; --run shares the data among them",
     DEVICES | IN(PLOT), AT(device)},
    {"strategy", 's', WORD, "LIST", NULL,
     "names or globs, `!' excludes: 'tree*,!atomic' [all that\ncan run]", TIMING | IN(PLOT),
     AT(strategy)},
    {"size", 'n', WORD, "SIZES", NULL,
     "elements: 1000000, 1e6, 16Mi, 2^24, 64MiB (bytes)\n"
     "[2^24]; --bench, --tune: lists, and ranges A:B\n"
     "(doubling), A:B:xM, A:B:+S [2^10:2^28; --tune:\n2^10:2^28:x8]",
     IN(RUN) | TIMING, AT(size)},
    {"op", 0, WORD, "OP", NULL,
     "sum prod min max argmin argmax and or xor affine\n"
     "asum amax argamax (of magnitudes) [sum]; --run, --list,\n"
     "--bench, --tune: one of --ops, or a file; --bench,\n"
     "--tune: a list of these; --run: several in one pass,\n"
     "min,max,sum; --verify: one that is tried, too",
     IN(RUN) | IN(LIST) | IN(INFO) | TIMING | IN(PLOT) | IN(VERIFY) | IN(VERIFY_OP), AT(op)},
    {"type", 't', WORD, "TYPE", NULL, "i8 u8 i16 u16 i32 u32 i64 u64 f16 f32 f64 [f32]",
     IN(RUN) | IN(LIST) | IN(INFO) | TIMING | IN(PLOT) | IN(VERIFY) | IN(VERIFY_OP), AT(type)},
    {"input", 'i', WORD, "FILE", NULL,
     ".npy, or raw with --type; `-' is standard input; without\n"
     "a mode: --run auto, also of data on standard input;\n"
     "several for --map: x.npy,y.npy",
     IN(RUN), AT(input)},
    {"map", 0, WORD, "EXPR", NULL,
     "reduce an expression of the elements, as in C: 'x*y'\n"
     "with --input x.npy,y.npy; i is the index, n the number of\nelements",
     OPERATORS, AT(map)},
    {"where", 0, WORD, "EXPR", NULL, "leave out the elements for which it is false: 'x > 0'",
     OPERATORS, AT(where)},
    {"let", 0, WORDS, "NAME=NUMBER", NULL, "a constant for --map and --finalize; repeatable",
     OPERATORS, AT(lets)},
    {"reduce", 0, WORD, "EXPR", NULL,
     "combine values a and b, in index order, with --identity:\n'a > b ? a : b'", OPERATORS,
     AT(reduce)},
    {"identity", 0, WORD, "EXPR", NULL, "--reduce: the value that changes no other", OPERATORS,
     AT(identity)},
    {"commutes", 0, FLAG, NULL, NULL, "--reduce: a and b may be exchanged", OPERATORS,
     AT(commutes)},
    {"finalize", 0, WORD, "EXPRS", NULL,
     "print these, of the result a, or of a.0, a.1 and so on,\nand of n: 'mean = a/n'", OPERATORS,
     AT(finalize)},
    {"data", 0, WORD, "KIND", NULL,
     "uniform equal ramp cancel huge subnormal nan hash\n"
     "onehot units swing zeros infs descending loguniform\nleast greatest ends two [uniform]",
     IN(RUN) | TIMING, AT(data)},
    {"seed", 0, WORD, "N", NULL, "for --data, --verify and --tune [1]", TOUCHING, AT(seed)},
    {"param", 'p', SETTING, "KEY=VALUE", NULL, "set a strategy parameter (see --info); repeatable",
     IN(RUN) | IN(BENCH), 0},
    {"unchecked-op", 0, FLAG, NULL, NULL, "use an operator whose laws are broken",
     IN(RUN) | TIMING | IN(VERIFY), AT(unchecked_op)},
    {"no-check", 0, FLAG, NULL, NULL, "skip the check against the exact reference", IN(RUN),
     AT(no_check)},
    {"check", 0, WORD, "HOW", NULL,
     "full, none, or sampled: of data that are streamed, one\nchunk in 16 [full]", IN(RUN),
     AT(check)},
    {"accuracy", 0, WORD, "HOW", NULL,
     "plain, or exact: the exact sum or dot product, rounded\nonce [plain]", IN(RUN), AT(accuracy)},
    {"stream", 0, MAYBE_WORD, "SIZE", NULL,
     "reduce chunk by chunk, in chunks of SIZE bytes [" LEAST_CHUNK "MiB to\n" MOST_CHUNK
     "MiB, by the processor's cache; a GPU: " DEVICE_CHUNK "MiB], as is\ndone with what exceeds "
     "memory",
     IN(RUN), AT(stream)},

    {"partial", 0, WORD, "FILE", "Parts",
     "write what these elements come to to FILE, for --merge,\ninstead of an answer",
     IN(RUN) | IN(MERGE), AT(partial)},
    {"slice", 0, WORD, "A:B", NULL, "--partial: of elements A to B-1 of the data only", IN(RUN),
     AT(slice)},
    {"first", 0, WORD, "N", NULL,
     "--partial: the first element of the file is number N of\nthe whole [0]", IN(RUN), AT(first)},
    {"whole", 0, WORD, "N", NULL,
     "--partial: the whole has N elements, which a map that\nuses n has to know", IN(RUN),
     AT(whole)},

    {"transport", 0, WORD, "NAME", "Ranks",
     "share the work with the other processes of a job: mpi,\nunder mpirun; local; or a file",
     IN(RUN), AT(transport)},
    {"ranks", 0, WORD, "N", NULL, "start N processes of this host that share the work", IN(RUN),
     AT(ranks)},
    {"transports", 0, FLAG, NULL, NULL, "--list: transports instead of strategies", IN(LIST),
     AT(transports)},

    {"cache", 0, WORD, "STATE", "Measuring", "cold or hot: state of the input [cold]", IN(BENCH),
     AT(cache)},
    {"precision", 0, WORD, "PCT", NULL, "aim for +-PCT% on the median [0.5]", IN(BENCH),
     AT(precision)},
    {"max-time", 0, WORD, "SEC", NULL, "time limit for each point [1]", IN(BENCH), AT(max_time)},
    {"samples", 0, WORD, "MIN[:MAX]", NULL, "number of samples for each point [20]", IN(BENCH),
     AT(samples)},
    {"processes", 0, WORD, "N", NULL,
     "measure each point in N processes, one after the other;\n"
     "8 for results that are to be compared [1]",
     IN(BENCH), AT(processes)},
    {"timer", 0, WORD, "CLOCK", NULL, "auto event host [auto]", IN(BENCH), AT(timer)},
    {"quick", 0, FLAG, NULL, NULL,
     "--bench: +-2%, 0.3 s a point; --verify: ten seconds\ninstead of a minute or more",
     IN(VERIFY) | IN(BENCH), AT(quick)},
    {"thorough", 0, FLAG, NULL, NULL, "+-0.2%, 15 s a point", IN(BENCH), AT(thorough)},
    {"strict", 0, FLAG, NULL, NULL, "exit 7 if a result is noisy or throttled", IN(BENCH),
     AT(strict)},
    {"once", 0, FLAG, NULL, NULL, "run each reduction once, for a profiler", IN(BENCH), AT(once)},
    {"peer", 0, WORDS, "PROGRAM", NULL,
     "also benchmark the implementations that PROGRAM\noffers; repeatable", IN(BENCH), AT(peers)},
    {"dry-run", 0, FLAG, NULL, NULL, "print what would be measured, its memory and time, and\nstop",
     IN(BENCH), AT(dry_run)},
    {"budget", 0, WORD, "SEC", NULL, "--tune: total time limit [60]", IN(TUNE), AT(budget)},
    {"fresh", 0, FLAG, NULL, NULL, "--tune: repeat earlier measurements", IN(TUNE), AT(fresh)},
    {"threshold", 0, WORD, "PCT", NULL, "--compare: smallest change that counts [1]", IN(COMPARE),
     AT(threshold)},

    {"include", 0, WORD, "TESTS", "Verifying", "only these: V01,V10-V15", IN(VERIFY), AT(include)},
    {"exclude", 0, WORD, "TESTS", NULL, "all but these", IN(VERIFY), AT(exclude)},
    {"in-process", 0, FLAG, NULL, NULL, "no child processes, for a debugger", IN(VERIFY),
     AT(in_process)},
    {"junit", 0, WORD, "FILE", NULL, "also write the results as JUnit XML", IN(VERIFY), AT(junit)},
    {"launch", 0, WORD, "COMMAND", NULL,
     "of transports: what starts a job of {n} ranks, as in\n'mpirun -n {n}'", IN(VERIFY),
     AT(launch)},

    {"json", 0, FLAG, NULL, "Output", "JSON instead of text", EVERYWHERE, AT(json)},
    {"format", 'f', WORD, "FMT", NULL, "table markdown csv json jsonl [table]", IN(BENCH),
     AT(format)},
    {"output", 'o', WORD, "FILE", NULL, "write to FILE instead of standard output", IN(BENCH),
     AT(output)},
    {"export", 0, WORDS, "FILE", NULL,
     "also write FILE, format from its name (.json .jsonl .csv\n.md .svg .png .pdf); repeatable",
     IN(BENCH) | IN(COMPARE) | IN(PLOT), AT(exports)},
    {"resume", 0, WORD, "FILE.jsonl", NULL, "append, and skip points already there", IN(BENCH),
     AT(resume)},
    {"picture", 0, WORD, "LIST", NULL, "comma-separated: rate time peak best [all]", IN(PLOT),
     AT(picture)},
    {"quiet", 'q', FLAG, NULL, NULL, "print values or names only", EVERYWHERE & ~IN(SUMMARY),
     AT(quiet)},
    {"verbose", 'v', FLAG, NULL, NULL, "also print build logs, parameters and times", EVERYWHERE,
     AT(verbose)},
    {"color", 0, WORD, "WHEN", NULL, "auto always never [auto]", EVERYWHERE, AT(color)},
    {"progress", 0, WORD, "WHEN", NULL, "auto always never [auto]", EVERYWHERE, AT(progress)},

    {"plugin", 0, WORD, "FILE", "Other", "add a plugin, or an operator's file, before all others",
     PLUGINS, AT(plugin)},
    {"plugin-path", 0, WORD, "DIRS", NULL, "directories to search before the installed plugins",
     PLUGINS, AT(plugin_path)},
    {"foreign", 0, WORD, "FILE", NULL, "add a strategy: a function that FILE describes", PLUGINS,
     AT(foreign)},
    {"isolate", 0, MAYBE_WORD, "WHEN", NULL,
     "auto always never [auto]: run the plugin in its own\n"
     "process; auto: unless it came with redhost",
     IN(RUN) | TIMING, AT(isolate)},
    {"timeout", 0, WORD, "SEC", NULL, "kill a plugin's process after SEC seconds of silence\n[60]",
     IN(RUN) | IN(VERIFY) | TIMING, AT(timeout)},
    {"no-cache", 0, FLAG, NULL, NULL, "neither read nor write the cache", TOUCHING | IN(VERIFY_OP),
     AT(no_cache)},
    {"no-measure", 0, FLAG, NULL, NULL,
     "auto: without a short measurement (0.3 s, once) where\nlittle is known of this machine",
     IN(RUN), AT(no_measure)},
    {"cache-dir", 0, WORD, "DIR", NULL, "[$XDG_CACHE_HOME/redhost]", TOUCHING | IN(VERIFY_OP),
     AT(cache_dir)},
};
enum { N_ROWS = sizeof table / sizeof *table };

int rh_options_row(size_t k, rh_option_row *row) {
  if (k >= N_ROWS) return 0;
  *row = (rh_option_row){table[k].name,    table[k].letter, table[k].argument,
                         table[k].section, table[k].doc,    table[k].kind == MAYBE_WORD};
  return 1;
}

const rh_option_note rh_options_environment[] = {
    {"REDHOST_DEVICE", "as --device"},
    {"REDHOST_PLUGIN_PATH", "as --plugin-path, and searched after it"},
    {"REDHOST_PLUGIN_DISABLE",
     "comma-separated names of plugin files, operator files or strategies to disable, with * and "
     "?; strategies that came with redhost stay enabled"},
    {"REDHOST_TRANSPORT_PATH", "directories to search for transports, before the installed ones"},
    {"REDHOST_MPI_LIBRARY", "the file of the MPI library, if the loader does not find it"},
    {"REDHOST_CACHE_DIR", "as --cache-dir"},
    {"REDHOST_BUILD_OPTIONS", "options for every build of an OpenCL program, before the plugin's"},
    {"REDHOST_NO_CACHE", "as --no-cache"},
    {"REDHOST_NO_MEASURE", "as --no-measure"},
    {"NO_COLOR", "as --color=never"},
    {"CLICOLOR_FORCE", "as --color=always"},
    {"CLICOLOR", "0 is as --color=never"},
    {NULL, NULL}};

const rh_option_note rh_options_statuses[] = {
    {"0", "done"},
    {"1", "wrong result, failed test or regression"},
    {"2", "usage"},
    {"3", "no device, or one that cannot hold the problem"},
    {"4", "strategy cannot run here"},
    {"5", "OpenCL or plugin failure"},
    {"6", "file error"},
    {"7", "too noisy (--strict)"},
    {"130", "interrupted"},
    {NULL, NULL}};

/* ---- Help ------------------------------------------------------------------------------------ */

static void help_row(FILE *out, const option_row *row) {
  char left[64], letter[8] = "    ";
  if (row->section) fprintf(out, "\n%s:\n", row->section);
  if (row->letter) snprintf(letter, sizeof letter, "-%c, ", row->letter);
  int optional = row->kind == MAYBE_WORD;
  int width =
      snprintf(left, sizeof left, "%s--%s%s%s%s%s", letter, row->name, optional ? "[" : "",
               row->argument ? "=" : "", row->argument ? row->argument : "", optional ? "]" : "");
  if (width > 24) fprintf(out, "  %s\n", left);
  for (const char *line = row->doc; line;) {
    size_t length = strcspn(line, "\n");
    fprintf(out, "  %-24s %.*s\n", line == row->doc && width <= 24 ? left : "", (int)length, line);
    line = line[length] ? line + length + 1 : NULL;
  }
}

static void help_notes(FILE *out) {
  rh_text text = {0};
  rh_text_add(&text, "Environment:");
  for (const rh_option_note *note = rh_options_environment; note->name; note++)
    rh_text_add(&text, " %s", note->name);
  rh_text_add(&text, "; options override them.");
  putc('\n', out);
  rh_print_wrapped(out, rh_text_get(&text), "", 79);
  rh_text_finish(&text);

  rh_text_add(&text, "Exit status:");
  for (const rh_option_note *note = rh_options_statuses; note->name; note++)
    rh_text_add(&text, " %s %s%s", note->name, note->doc, note[1].name ? ";" : ".");
  putc('\n', out);
  rh_print_wrapped(out, rh_text_get(&text), "", 79);
  rh_text_finish(&text);
}

void rh_options_help(FILE *out) {
  fputs("Usage: redhost [OPTION]...\n"
        "  or:  redhost --list\n"
        "  or:  redhost --run NAME [-n SIZE | -i FILE] [OPTION]...\n"
        "  or:  redhost --bench [OPTION]...\n"
        "  or:  redhost --tune [OPTION]...\n"
        "  or:  redhost --verify [NAME | FILE.so]... [OPTION]...\n"
        "Reduce arrays on OpenCL devices and the CPU; check each answer against an exact\n"
        "reference, benchmark all strategies under the same rules, and pick the fastest.\n",
        out);
  for (size_t k = 0; k < N_ROWS; k++) help_row(out, &table[k]);
  help_notes(out);
}

/* ---- Parsing --------------------------------------------------------------------------------- */

static rh_status set_mode(rh_typed *typed, const option_row *row, const char *argument,
                          const char **mode_option, rh_error *error) {
  if (*mode_option && strcmp(*mode_option, row->name) == 0 && row->kind == MODE_WORD)
    return rh_fail(error, RH_E_USAGE, "--%s is given twice; one %s at a time", row->name,
                   row->value == RH_MODE_COMPLETION      ? "shell"
                   : row->value == RH_MODE_COMPARE       ? "pair"
                   : row->value == RH_MODE_PLOT          ? "file"
                   : row->value == RH_MODE_NEW_OPERATOR  ? "operator"
                   : row->value == RH_MODE_NEW_TRANSPORT ? "transport"
                                                         : "strategy");
  if (*mode_option && strcmp(*mode_option, row->name) != 0)
    return rh_fail(error, RH_E_USAGE, "--%s and --%s are mutually exclusive", *mode_option,
                   row->name);
  *mode_option = row->name;
  typed->mode = row->value;
  if (row->kind == MODE_WORD) typed->name = argument;
  return RH_OK;
}

static rh_status add_setting(rh_typed *typed, const char *argument, rh_error *error) {
  const char *equals = strchr(argument, '=');
  uint32_t k = typed->n_settings;
  if (!equals || equals == argument || !equals[1] ||
      (size_t)(equals - argument) >= sizeof typed->setting_keys[0])
    return rh_fail(error, RH_E_USAGE, "--param '%s': expected KEY=VALUE, as in tile=256", argument);
  if (k == RH_MAX_SETTINGS)
    return rh_fail(error, RH_E_USAGE, "--param is given more than %d times", RH_MAX_SETTINGS);
  memcpy(typed->setting_keys[k], argument, (size_t)(equals - argument));
  for (uint32_t j = 0; j < k; j++)
    if (strcmp(typed->setting_keys[j], typed->setting_keys[k]) == 0)
      return rh_fail(error, RH_E_USAGE, "--param %s is given twice", typed->setting_keys[k]);
  typed->settings[k] = (rh_setting){typed->setting_keys[k], equals + 1};
  typed->n_settings++;
  return RH_OK;
}

static rh_status add_word(rh_words *words, const option_row *row, const char *argument,
                          rh_error *error) {
  if (words->n == RH_MAX_WORDS)
    return rh_fail(error, RH_E_USAGE, "--%s is given more than %d times", row->name, RH_MAX_WORDS);
  words->list[words->n++] = argument;
  return RH_OK;
}

/* A second value would replace the first without a word. */
static rh_status check_once(const option_row *row, uint32_t is_given, rh_error *error) {
  if (!is_given || (row->kind != WORD && row->kind != MAYBE_WORD)) return RH_OK;
  return rh_fail(error, RH_E_USAGE, "--%s is given twice", row->name);
}

static rh_status take_option(rh_typed *typed, const option_row *row, const char *argument,
                             const char **mode_option, rh_error *error) {
  char *field = (char *)typed + row->offset;
  switch (row->kind) {
  case MODE:
  case MODE_WORD: return set_mode(typed, row, argument, mode_option, error);
  case SETTING: return add_setting(typed, argument, error);
  case WORDS: return add_word((rh_words *)(void *)field, row, argument, error);
  case FLAG: *(uint32_t *)(void *)field = 1; return RH_OK;
  case MAYBE_WORD: *(const char **)(void *)field = argument ? argument : "always"; return RH_OK;
  default: *(const char **)(void *)field = argument; return RH_OK;
  }
}

static int find_row(int code) {
  if (code >= 256) return code - 256;
  for (int k = 0; k < N_ROWS; k++)
    if (table[k].letter && table[k].letter == code) return k;
  return -1;
}

static int find_name(const char *name) {
  for (int k = 0; k < N_ROWS; k++)
    if (strcmp(table[k].name, name) == 0) return k;
  return -1;
}

/* An unknown or ambiguous abbreviation, such as "--de=x". */
static rh_status unknown_long_option(const char *typed, rh_error *error) {
  const char *names[N_ROWS];
  char word[64];
  rh_text meant = {0};
  uint32_t n = 0;
  snprintf(word, sizeof word, "%.*s", (int)strcspn(typed + 2, "="), typed + 2);
  for (size_t k = 0; k < N_ROWS; k++) {
    names[k] = table[k].name;
    if (strncmp(table[k].name, word, strlen(word)) == 0)
      rh_text_add(&meant, "%s--%s", n++ ? ", " : "", table[k].name);
  }
  const char *close = rh_closest(word, names, N_ROWS);
  rh_status status =
      n > 1 ? rh_fail(error, RH_E_USAGE, "option '%s' is ambiguous: %s", typed, rh_text_get(&meant))
      : rh_op_from_name(word)
          ? rh_fail(error, RH_E_USAGE, "unknown option '%s'; did you mean '--op %s'?", typed, word)
          : rh_fail(error, RH_E_USAGE, "unknown option '%s'%s%s%s See redhost --help", typed,
                    close ? "; did you mean '--" : "", close ? close : "", close ? "'?" : ".");
  rh_text_finish(&meant);
  return status;
}

/* Reports an error of getopt_long ('?' or ':').  `optopt` is an option with a missing or
 * unexpected value, an unknown letter, or 0 for an unknown long option, which is the word before
 * `optind`. */
static rh_status malformed(int code, char **argv, rh_error *error) {
  int row = optopt ? find_row(optopt) : -1;
  const char *word = argv[optind - 1];
  if (row >= 0 && code == ':')
    return rh_fail(error, RH_E_USAGE, "--%s needs a value: --%s=%s", table[row].name,
                   table[row].name, table[row].argument);
  if (row >= 0)
    return rh_fail(error, RH_E_USAGE, "--%s takes no value, but was given '%s'", table[row].name,
                   word);
  if (optopt) return rh_fail(error, RH_E_USAGE, "unknown option '-%c'. See redhost --help", optopt);
  return unknown_long_option(word, error);
}

/* Without a mode: is there something on standard input to reduce?  An open pipe that brings nothing
 * soon, as of ssh, is not, unless an option would mean nothing otherwise. */
static int has_data(const rh_typed *typed, const uint32_t *given) {
  enum { SOON_MS = 100 };
  struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
  struct stat info;
  int asks = 0;
  for (size_t k = 0; k < N_ROWS; k++) {
    if (given[k] && !(table[k].value & IN(RUN))) return 0;
    asks |= given[k] && !(table[k].value & IN(SUMMARY));
  }
  if (typed->size || typed->data || typed->seed || fstat(STDIN_FILENO, &info) != 0) return 0;
  if (S_ISREG(info.st_mode)) return asks || lseek(STDIN_FILENO, 0, SEEK_CUR) < info.st_size;
  if (!S_ISFIFO(info.st_mode) && !S_ISSOCK(info.st_mode)) return 0;
  return asks || (poll(&input, 1, SOON_MS) == 1 && input.revents & POLLIN);
}

/* A file without a mode, or data on standard input, mean --run auto. */
static void run_on_input(rh_typed *typed, const uint32_t *given, int has_operands,
                         const char **mode_option) {
  if (*mode_option) return;
  if (!typed->input && !has_operands && has_data(typed, given)) typed->input = "-";
  if (!typed->input) return;
  *mode_option = "run";
  typed->mode = RH_MODE_RUN;
  typed->name = "auto";
}

/* Rejects options that the mode would ignore. */
static rh_status check_modes(const rh_typed *typed, const uint32_t *given, const char *mode_option,
                             rh_error *error) {
  if (typed->mode >= RH_MODE_HELP) return RH_OK;
  for (size_t k = 0; k < N_ROWS; k++) {
    const option_row *row = &table[k];
    if (!given[k] || row->kind == MODE || row->kind == MODE_WORD || row->value & 1u << typed->mode)
      continue;
    return mode_option
               ? rh_fail(error, RH_E_USAGE, "--%s cannot be used with --%s", row->name, mode_option)
               : rh_fail(error, RH_E_USAGE,
                         "--%s needs a mode, as in redhost --run cascade --%s ...", row->name,
                         row->name);
  }
  if (typed->plugin && typed->foreign)
    return rh_fail(
        error, RH_E_USAGE,
        "--plugin and --foreign are mutually exclusive: several files go into a directory "
        "for --plugin-path");
  if (typed->foreign && !rh_is_foreign(typed->foreign))
    return rh_fail(error, RH_E_USAGE, "--foreign '%s': expected a file whose name ends in %s",
                   typed->foreign, RH_FOREIGN_SUFFIX);
  if (typed->quiet && typed->verbose)
    return rh_fail(error, RH_E_USAGE, "--quiet and --verbose are mutually exclusive");
  return RH_OK;
}

static void fill_getopt(struct option *options, char *letters) {
  *letters++ = ':';
  for (int k = 0; k < N_ROWS; k++) {
    int takes = table[k].argument != NULL;
    int has = table[k].kind == MAYBE_WORD ? optional_argument : required_argument;
    options[k] = (struct option){table[k].name, takes ? has : no_argument, NULL, 256 + k};
    if (!table[k].letter) continue;
    *letters++ = table[k].letter;
    if (takes) *letters++ = ':';
  }
  *letters = 0;
}

static int looks_like_file(const char *word) {
  size_t length = strlen(word);
  return strcmp(word, "-") == 0 || access(word, F_OK) == 0 ||
         (length > 4 && strcmp(word + length - 4, ".npy") == 0);
}

/* "redhost x.npy --op max": what to type for it. */
static rh_status unexpected_files(const rh_typed *typed, char **operands, int n, rh_error *error) {
  rh_text list = {0}, command = {0};
  if (typed->input) rh_text_add(&list, "%s,", typed->input);
  for (int k = 0; k < n; k++) rh_text_add(&list, "%s%s", k ? "," : "", operands[k]);
  rh_text_add(&command, typed->input ? "several files are one list:" : "to reduce it: redhost");
  for (char **word = typed->argv + 1; !typed->input && word < operands; word++) {
    if (strcmp(*word, "--") == 0) break;
    rh_text_add(&command, " ");
    rh_text_add_word(&command, *word);
  }
  rh_text_add(&command, " --input ");
  rh_text_add_word(&command, rh_text_get(&list));
  rh_status status =
      rh_fail(error, RH_E_USAGE, "unexpected operand '%s'; %s", operands[0], rh_text_get(&command));
  rh_text_finish(&command);
  rh_text_finish(&list);
  return status;
}

/* operands[0] of n, which the mode does not take. */
static rh_status unexpected(const rh_typed *typed, char **operands, int n, rh_error *error) {
  int row = find_name(operands[0]);
  int reads = typed->mode == RH_MODE_RUN || typed->mode == RH_MODE_SUMMARY;
  for (int k = 0; k < n; k++) reads &= looks_like_file(operands[k]);
  if (reads && !typed->size && !typed->data && !typed->seed)
    return unexpected_files(typed, operands, n, error);
  return row < 0 ? rh_fail(error, RH_E_USAGE,
                           "unexpected operand '%s'. Files go with --input, strategies with --run",
                           operands[0])
                 : rh_fail(error, RH_E_USAGE, "unexpected operand '%s'; did you mean --%s?",
                           operands[0], table[row].name);
}

static rh_status take_operands(rh_typed *typed, char **operands, int n, rh_error *error) {
  int one = ((NEW | IN(COMPARE)) & 1u << typed->mode) != 0;
  int is_list = typed->mode == RH_MODE_VERIFY || typed->mode == RH_MODE_VERIFY_OP;
  int most = typed->mode == RH_MODE_MERGE ? INT_MAX : is_list ? RH_MAX_OPERANDS : one;
  if (n > most && is_list)
    return rh_fail(error, RH_E_USAGE, "--%s takes at most %d names or files at once",
                   typed->mode_option, most);
  if (n > most && most && typed->mode != RH_MODE_COMPARE)
    return rh_fail(error, RH_E_USAGE,
                   "unexpected operand '%s'. --%s takes a name and one directory", operands[1],
                   typed->mode_option);
  if (typed->mode == RH_MODE_COMPARE && n != 1)
    return rh_fail(error, RH_E_USAGE,
                   "--compare takes two files, as in --compare old.json new.json");
  if (n > most) return unexpected(typed, operands, n, error);
  if (typed->mode == RH_MODE_MERGE && n == 0)
    return rh_fail(error, RH_E_USAGE, "--merge takes files that --partial wrote");
  typed->operands = operands;
  typed->n_operands = (uint32_t)n;
  return RH_OK;
}

static rh_status parse(rh_typed *typed, int argc, char **argv, rh_error *error) {
  struct option options[N_ROWS + 1] = {{0}};
  char letters[3 * N_ROWS + 2];
  uint32_t given[N_ROWS] = {0};
  const char *mode_option = NULL;
  fill_getopt(options, letters);
  *typed = (rh_typed){.argc = argc, .argv = argv};
  opterr = 0;
  for (;;) {
    int code = getopt_long(argc, argv, letters, options, NULL);
    if (code == -1) break;
    if (code == ':' || code == '?') return malformed(code, argv, error);
    int row = find_row(code);
    RH_TRY(check_once(&table[row], given[row], error));
    given[row] = 1;
    RH_TRY(take_option(typed, &table[row], optarg, &mode_option, error));
  }
  run_on_input(typed, given, optind < argc, &mode_option);
  typed->mode_option = mode_option;
  RH_TRY(take_operands(typed, argv + optind, argc - optind, error));
  return check_modes(typed, given, mode_option, error);
}

/* "-op sum", which is the letter -o with the value "p"; or null. */
static const char *with_one_dash(int argc, char **argv) {
  for (int k = 1; k < argc && strcmp(argv[k], "--") != 0; k++) {
    char name[64];
    if (argv[k][0] != '-' || argv[k][1] == '-' || strcspn(argv[k], "=") < 3) continue;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(argv[k] + 1, "="), argv[k] + 1);
    if (find_name(name) >= 0) return argv[k];
  }
  return NULL;
}

rh_status rh_options_parse(rh_typed *typed, int argc, char **argv, rh_error *error) {
  rh_status status = parse(typed, argc, argv, error);
  const char *word = status == RH_E_USAGE ? with_one_dash(argc, argv) : NULL;
  if (!word) return status;
  return rh_fail(error, RH_E_USAGE, "'%s' is read as single letters; did you mean '-%s'?", word,
                 word);
}
