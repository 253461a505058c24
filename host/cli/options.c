#include "../core/base/error.h"
#include "../core/base/text.h"
#include "../core/base/vocabulary.h"
#include "../core/plug/rank.h"
#include "option_table.h"

#include <getopt.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static rh_status set_mode(rh_typed *typed, const rh_option *row, const char *argument,
                          const char **mode_option, rh_error *error) {
  if (*mode_option && strcmp(*mode_option, row->name) == 0 && row->kind == RH_OPTION_MODE_WORD)
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
  if (row->kind == RH_OPTION_MODE_WORD) typed->name = argument;
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

static rh_status add_word(rh_words *words, const rh_option *row, const char *argument,
                          rh_error *error) {
  if (words->n == RH_MAX_WORDS)
    return rh_fail(error, RH_E_USAGE, "--%s is given more than %d times", row->name, RH_MAX_WORDS);
  words->list[words->n++] = argument;
  return RH_OK;
}

/* A second value would replace the first without a word. */
static rh_status check_once(const rh_option *row, uint32_t is_given, rh_error *error) {
  if (!is_given || (row->kind != RH_OPTION_WORD && row->kind != RH_OPTION_MAYBE_WORD)) return RH_OK;
  return rh_fail(error, RH_E_USAGE, "--%s is given twice", row->name);
}

static rh_status take_option(rh_typed *typed, const rh_option *row, const char *argument,
                             const char **mode_option, rh_error *error) {
  char *field = (char *)typed + row->offset;
  switch (row->kind) {
  case RH_OPTION_MODE:
  case RH_OPTION_MODE_WORD: return set_mode(typed, row, argument, mode_option, error);
  case RH_OPTION_SETTING: return add_setting(typed, argument, error);
  case RH_OPTION_WORDS: return add_word((rh_words *)(void *)field, row, argument, error);
  case RH_OPTION_FLAG: *(uint32_t *)(void *)field = 1; return RH_OK;
  case RH_OPTION_MAYBE_WORD:
    *(const char **)(void *)field = argument ? argument : "always";
    return RH_OK;
  default: *(const char **)(void *)field = argument; return RH_OK;
  }
}

static int find_row(int code) {
  if (code >= 256) return code - 256;
  for (int k = 0; k < (int)rh_n_options; k++)
    if (rh_option_table[k].letter && rh_option_table[k].letter == code) return k;
  return -1;
}

static int find_name(const char *name) {
  for (int k = 0; k < (int)rh_n_options; k++)
    if (strcmp(rh_option_table[k].name, name) == 0) return k;
  return -1;
}

/* An unknown or ambiguous abbreviation, such as "--de=x". */
static rh_status unknown_long_option(const char *typed, rh_error *error) {
  const char *names[RH_MOST_OPTIONS];
  char word[64];
  rh_text meant = {0};
  uint32_t n = 0;
  snprintf(word, sizeof word, "%.*s", (int)strcspn(typed + 2, "="), typed + 2);
  for (size_t k = 0; k < rh_n_options; k++) {
    names[k] = rh_option_table[k].name;
    if (strncmp(rh_option_table[k].name, word, strlen(word)) == 0)
      rh_text_add(&meant, "%s--%s", n++ ? ", " : "", rh_option_table[k].name);
  }
  const char *close = rh_closest(word, names, rh_n_options);
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
    return rh_fail(error, RH_E_USAGE, "--%s needs a value: --%s=%s", rh_option_table[row].name,
                   rh_option_table[row].name, rh_option_table[row].argument);
  if (row >= 0)
    return rh_fail(error, RH_E_USAGE, "--%s takes no value, but was given '%s'",
                   rh_option_table[row].name, word);
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
  for (size_t k = 0; k < rh_n_options; k++) {
    if (given[k] && !(rh_option_table[k].value & RH_IN_MODE(RUN))) return 0;
    asks |= given[k] && !(rh_option_table[k].value & RH_IN_MODE(SUMMARY));
  }
  if (typed->size || typed->data || typed->seed || fstat(STDIN_FILENO, &info) != 0) return 0;
  if (S_ISREG(info.st_mode)) return asks || lseek(STDIN_FILENO, 0, SEEK_CUR) < info.st_size;
  if (!S_ISFIFO(info.st_mode) && !S_ISSOCK(info.st_mode)) return 0;
  return asks || (poll(&input, 1, SOON_MS) == 1 && input.revents & POLLIN);
}

static int looks_like_file(const char *word) {
  size_t length = strlen(word);
  return strcmp(word, "-") == 0 || access(word, F_OK) == 0 ||
         (length > 4 && strcmp(word + length - 4, ".npy") == 0);
}

/* Operands that are files are the input, as --input gives it: one list. */
static rh_status take_files(rh_typed *typed, char **operands, int n, rh_error *error) {
  size_t used = 0;
  if (typed->input)
    return rh_fail(error, RH_E_USAGE,
                   "--input and the operand '%s' are mutually exclusive: several files are one "
                   "list, --input x.npy,y.npy, or all operands",
                   operands[0]);
  typed->input = operands[0];
  for (int k = 0; n > 1 && k < n; k++) {
    if (strchr(operands[k], ','))
      return rh_fail(error, RH_E_USAGE,
                     "'%s': a file whose name has a comma cannot be one of several; rename it",
                     operands[k]);
    used += (size_t)snprintf(typed->input_list + used, sizeof typed->input_list - used, "%s%s",
                             k ? "," : "", operands[k]);
    if (used >= sizeof typed->input_list)
      return rh_fail(error, RH_E_USAGE, "the names of %d files are too long together", n);
    typed->input = typed->input_list;
  }
  return RH_OK;
}

/* Files without a mode, or data on standard input, mean --run auto. */
static rh_status take_input(rh_typed *typed, uint32_t *given, char **operands, int *n,
                            const char **mode_option, rh_error *error) {
  int reads = *n > 0 && (!*mode_option || typed->mode == RH_MODE_RUN);
  for (int k = 0; k < *n; k++) reads &= looks_like_file(operands[k]);
  if (reads) {
    RH_TRY(take_files(typed, operands, *n, error));
    given[find_name("input")] = 1;
    *n = 0;
  }
  if (*mode_option) return RH_OK;
  if (!typed->input && *n == 0 && has_data(typed, given)) typed->input = "-";
  if (!typed->input) return RH_OK;
  *mode_option = "run";
  typed->mode = RH_MODE_RUN;
  typed->name = "auto";
  return RH_OK;
}

/* Rejects options that the mode would ignore. */
static rh_status check_modes(const rh_typed *typed, const uint32_t *given, const char *mode_option,
                             rh_error *error) {
  if (typed->mode >= RH_MODE_HELP) return RH_OK;
  for (size_t k = 0; k < rh_n_options; k++) {
    const rh_option *row = &rh_option_table[k];
    if (!given[k] || row->kind == RH_OPTION_MODE || row->kind == RH_OPTION_MODE_WORD ||
        row->value & 1u << typed->mode)
      continue;
    return mode_option
               ? rh_fail(error, RH_E_USAGE, "--%s cannot be used with --%s", row->name, mode_option)
               : rh_fail(error, RH_E_USAGE,
                         "--%s needs a mode, as in redhost --run cascade --%s ...", row->name,
                         row->name);
  }
  if (typed->foreign && !rh_is_foreign(typed->foreign))
    return rh_fail(error, RH_E_USAGE, "--foreign '%s': expected a file whose name ends in %s",
                   typed->foreign, RH_FOREIGN_SUFFIX);
  return RH_OK;
}

static rh_status check_exclusions(const uint32_t *given, rh_error *error) {
  for (const rh_exclusion *pair = rh_exclusions; pair->one; pair++)
    if (given[find_name(pair->one)] && given[find_name(pair->other)])
      return rh_fail(error, RH_E_USAGE, "--%s and --%s are mutually exclusive: %s", pair->one,
                     pair->other, pair->instead);
  return RH_OK;
}

static void fill_getopt(struct option *options, char *letters) {
  *letters++ = ':';
  for (int k = 0; k < (int)rh_n_options; k++) {
    int takes = rh_option_table[k].argument != NULL;
    int has =
        rh_option_table[k].kind == RH_OPTION_MAYBE_WORD ? optional_argument : required_argument;
    options[k] = (struct option){rh_option_table[k].name, takes ? has : no_argument, NULL, 256 + k};
    if (!rh_option_table[k].letter) continue;
    *letters++ = rh_option_table[k].letter;
    if (takes) *letters++ = ':';
  }
  *letters = 0;
}

/* operands[0], which the mode does not take. */
static rh_status unexpected(char **operands, rh_error *error) {
  int row = find_name(operands[0]);
  return row < 0 ? rh_fail(error, RH_E_USAGE,
                           "unexpected operand '%s'. Files go with --input, strategies with --run",
                           operands[0])
                 : rh_fail(error, RH_E_USAGE, "unexpected operand '%s'; did you mean --%s?",
                           operands[0], rh_option_table[row].name);
}

static rh_status take_operands(rh_typed *typed, char **operands, int n, rh_error *error) {
  const uint32_t takes_one = RH_IN_MODE(NEW_PLUGIN) | RH_IN_MODE(NEW_OPERATOR) |
                             RH_IN_MODE(NEW_TRANSPORT) | RH_IN_MODE(COMPARE) | RH_IN_MODE(HELP);
  int one = (takes_one & 1u << typed->mode) != 0;
  int is_list = typed->mode == RH_MODE_VERIFY || typed->mode == RH_MODE_VERIFY_OP;
  int most = typed->mode == RH_MODE_MERGE ? INT_MAX : is_list ? RH_MAX_OPERANDS : one;
  if (n > most && is_list)
    return rh_fail(error, RH_E_USAGE, "--%s takes at most %d names or files at once",
                   typed->mode_option, most);
  if (n > most && typed->mode == RH_MODE_HELP)
    return rh_fail(error, RH_E_USAGE, "--help takes one topic, as in --help measuring");
  if (n > most && most && typed->mode != RH_MODE_COMPARE)
    return rh_fail(error, RH_E_USAGE,
                   "unexpected operand '%s'. --%s takes a name and one directory", operands[1],
                   typed->mode_option);
  if (typed->mode == RH_MODE_COMPARE && n != 1)
    return rh_fail(error, RH_E_USAGE,
                   "--compare takes two files, as in --compare old.json new.json");
  if (n > most) return unexpected(operands, error);
  if (typed->mode == RH_MODE_MERGE && n == 0)
    return rh_fail(error, RH_E_USAGE, "--merge takes files that --partial wrote");
  typed->operands = operands;
  typed->n_operands = (uint32_t)n;
  return RH_OK;
}

static rh_status parse(rh_typed *typed, int argc, char **argv, rh_error *error) {
  struct option options[RH_MOST_OPTIONS + 1] = {{0}};
  char letters[3 * RH_MOST_OPTIONS + 2];
  uint32_t given[RH_MOST_OPTIONS] = {0};
  const char *mode_option = NULL;
  fill_getopt(options, letters);
  *typed = (rh_typed){.argc = argc, .argv = argv};
  opterr = 0;
  for (;;) {
    int code = getopt_long(argc, argv, letters, options, NULL);
    if (code == -1) break;
    if (code == ':' || code == '?') return malformed(code, argv, error);
    int row = find_row(code);
    RH_TRY(check_once(&rh_option_table[row], given[row], error));
    given[row] = 1;
    RH_TRY(take_option(typed, &rh_option_table[row], optarg, &mode_option, error));
  }
  char **operands = argv + optind;
  int n = argc - optind;
  RH_TRY(take_input(typed, given, operands, &n, &mode_option, error));
  typed->mode_option = mode_option;
  RH_TRY(take_operands(typed, operands, n, error));
  RH_TRY(check_modes(typed, given, mode_option, error));
  return check_exclusions(given, error);
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
