#include <getopt.h>
#include <poll.h>

#include "../engine/ranks/ranks.h"
#include "options.h"

static rh_status set_mode(rh_typed *typed, const rh_option *row, const char *argument,
                          rh_error *error) {
  const char *before = typed->mode_option;
  if (before == row->name && row->argument)
    return rh_fail(error, RH_E_USAGE, "--%s is given twice; one at a time", row->name);
  if (before && before != row->name)
    return rh_fail(error, RH_E_USAGE, "--%s and --%s are mutually exclusive", before, row->name);
  typed->mode_option = row->name;
  typed->mode = row->value;
  if (row->argument) typed->name = argument;
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
static rh_status take_option(rh_typed *typed, uint32_t k, const char *argument, rh_error *error) {
  const rh_option *row = &rh_option_table[k];
  void *field = (char *)typed + row->offset;
  if (typed->said[k] && (row->kind == RH_OPTION_WORD || row->kind == RH_OPTION_MAYBE_WORD))
    return rh_fail(error, RH_E_USAGE, "--%s is given twice", row->name);
  typed->said[k] = argument ? argument : "always";
  if (row->words || row->range.expected || row->range.most) return RH_OK; /* take_values() */
  switch (row->kind) {
  case RH_OPTION_MODE: return set_mode(typed, row, argument, error);
  case RH_OPTION_SETTING: return add_setting(typed, argument, error);
  case RH_OPTION_WORDS: return add_word(field, row, argument, error);
  case RH_OPTION_FLAG: *(uint32_t *)field = 1; return RH_OK;
  default: *(const char **)field = typed->said[k]; return RH_OK;
  }
}

static int find_row(int code) {
  if (code >= 256) return code - 256;
  for (int k = 0; k < (int)rh_n_options; k++)
    if (rh_option_table[k].letter && rh_option_table[k].letter == code) return k;
  return -1;
}

/* The first option of a list that was typed, with the value that stands there, other than `but`; or
 * null. */
static const char *first_said(const rh_typed *typed, const char *list, const char *but) {
  for (size_t length; *list; list += length + (list[length] == ' ')) {
    size_t of_name = strcspn(list, " =");
    length = strcspn(list, " ");
    const rh_option *row = rh_option_find(rh_show("%.*s", (int)of_name, list));
    const char *value = row ? typed->said[row - rh_option_table] : NULL;
    if (!value || row->name == but) continue;
    if (length == of_name) return row->name;
    const char *word = rh_show("%.*s", (int)length, list);
    if (strcmp(word + of_name + 1, value) == 0) return word;
  }
  return NULL;
}

/* An unknown or ambiguous abbreviation, such as "--de=x". */
static rh_status unknown_long_option(const char *typed, rh_error *error) {
  const char *names[RH_MOST_OPTIONS];
  const char *word = rh_show("%.*s", (int)strcspn(typed + 2, "="), typed + 2);
  RH_FINISHED(rh_text) meant = {0};
  uint32_t n = 0;
  for (size_t k = 0; k < rh_n_options; k++) {
    names[k] = rh_option_table[k].name;
    if (strncmp(rh_option_table[k].name, word, strlen(word)) == 0)
      rh_text_add(&meant, "%s--%s", n++ ? ", " : "", rh_option_table[k].name);
  }
  const char *close = rh_closest(word, names, rh_n_options);
  if (n > 1)
    return rh_fail(error, RH_E_USAGE, "option '%s' is ambiguous: %s", typed, rh_text_get(&meant));
  if (rh_op_from_name(word))
    return rh_fail(error, RH_E_USAGE, "unknown option '%s'; did you mean '--op %s'?", typed, word);
  return rh_fail(error, RH_E_USAGE, "unknown option '%s'%s%s%s See redhost --help", typed,
                 close ? "; did you mean '--" : "", close ? close : "", close ? "'?" : ".");
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
static int has_data(const rh_typed *typed) {
  enum { SOON_MS = 100 };
  struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
  struct stat info;
  int asks = 0;
  for (size_t k = 0; k < rh_n_options; k++) {
    if (typed->said[k] && !(rh_option_table[k].value & RH_IN_MODE(RUN))) return 0;
    asks |= typed->said[k] && !(rh_option_table[k].value & RH_IN_MODE(SUMMARY));
  }
  if (first_said(typed, "size data seed", NULL) || fstat(STDIN_FILENO, &info) != 0) return 0;
  if (S_ISREG(info.st_mode)) return asks || lseek(STDIN_FILENO, 0, SEEK_CUR) < info.st_size;
  if (!S_ISFIFO(info.st_mode) && !S_ISSOCK(info.st_mode)) return 0;
  return asks || (poll(&input, 1, SOON_MS) == 1 && input.revents & POLLIN);
}

/* Operands are what an option gives otherwise: one list. */
static rh_status take_list(rh_typed *typed, const char **list, const char *option, char **operands,
                           int n, rh_error *error) {
  size_t used = 0;
  if (*list)
    return rh_fail(error, RH_E_USAGE,
                   "--%s and the operand '%s' are mutually exclusive: several are one list, as in "
                   "--%s A,B, or all operands",
                   option, operands[0], option);
  *list = operands[0];
  for (int k = 0; n > 1 && k < n; k++) {
    if (strchr(operands[k], ','))
      return rh_fail(error, RH_E_USAGE,
                     "'%s': a name with a comma cannot be one of several; rename it", operands[k]);
    used += (size_t)snprintf(typed->list + used, sizeof typed->list - used, "%s%s", k ? "," : "",
                             operands[k]);
    if (used >= sizeof typed->list)
      return rh_fail(error, RH_E_USAGE, "the names of %d operands are too long together", n);
    *list = typed->list;
  }
  return RH_OK;
}

/* Files without a mode, or data on standard input, mean --run auto. */
static rh_status take_input(rh_typed *typed, char **operands, int *n, rh_error *error) {
  int reads = *n > 0 && (!typed->mode_option || typed->mode == RH_MODE_RUN);
  for (int k = 0; k < *n; k++)
    reads &= strcmp(operands[k], "-") == 0 || access(operands[k], F_OK) == 0 ||
             rh_has_suffix(operands[k], ".npy");
  if (reads) {
    RH_TRY(take_list(typed, &typed->input, "input", operands, *n, error));
    *n = 0;
  }
  if (!typed->mode_option && !typed->input && *n == 0 && has_data(typed)) typed->input = "-";
  typed->said[rh_option_find("input") - rh_option_table] = typed->input;
  if (typed->mode_option || !typed->input) return RH_OK;
  typed->mode_option = "run";
  typed->mode = RH_MODE_RUN;
  typed->name = "auto";
  return RH_OK;
}

/* Rejects options that the mode would ignore. */
static rh_status check_modes(const rh_typed *typed, rh_error *error) {
  const char *mode = typed->mode_option;
  if (typed->mode >= RH_MODE_HELP) return RH_OK;
  for (size_t k = 0; k < rh_n_options; k++) {
    const rh_option *row = &rh_option_table[k];
    if (!typed->said[k] || row->kind == RH_OPTION_MODE || row->value & 1u << typed->mode) continue;
    if (!mode)
      return rh_fail(error, RH_E_USAGE, "--%s needs a mode, as in redhost --run cascade --%s ...",
                     row->name, row->name);
    const rh_pairing *pair = rh_pairings; /* with the way out, if there is one */
    while (pair->one &&
           (pair->modes || !rh_word_find(row->name, pair->one) || !rh_word_find(mode, pair->other)))
      pair++;
    return rh_fail(error, RH_E_USAGE, "--%s cannot be used with --%s%s%s", row->name, mode,
                   pair->one ? ": " : "", pair->one ? pair->why : "");
  }
  if (typed->foreign && !rh_is_foreign(typed->foreign))
    return rh_fail(error, RH_E_USAGE, "--foreign '%s': expected a file whose name ends in %s",
                   typed->foreign, RH_FOREIGN_SUFFIX);
  return RH_OK;
}

static rh_status check_pairs(const rh_typed *typed, rh_error *error) {
  for (const rh_pairing *pair = rh_pairings; pair->one; pair++) {
    const char *one = first_said(typed, pair->one, NULL);
    const char *other = one ? first_said(typed, pair->other, one) : NULL;
    if (other && !pair->modes)
      return rh_fail(error, RH_E_USAGE, "--%s and --%s are mutually exclusive: %s", one, other,
                     pair->why);
    if (one && !other && pair->modes & 1u << typed->mode)
      return rh_fail(error, RH_E_USAGE, "--%s goes with %s: %s", one,
                     rh_words_shown(pair->other, "--"), pair->why);
  }
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

/* operands[0], of a mode that takes none. */
static rh_status unexpected(const char *operand, rh_error *error) {
  const rh_option *row = rh_option_find(operand);
  if (row)
    return rh_fail(error, RH_E_USAGE, "unexpected operand '%s'; did you mean --%s?", operand,
                   row->name);
  return rh_fail(error, RH_E_USAGE,
                 "unexpected operand '%s'%s. Files go with --input, strategies "
                 "with --run",
                 operand,
                 strpbrk(operand, "./") && access(operand, F_OK) != 0 ? ", and no file is called so"
                                                                      : "");
}

static rh_status take_operands(rh_typed *typed, char **operands, int n, rh_error *error) {
  const rh_operand_rule *row = rh_operand_table;
  while (!(row->modes & 1u << typed->mode)) row++;
  if ((uint32_t)n > row->most && !row->what) return unexpected(operands[0], error);
  if ((uint32_t)n > row->most)
    return rh_fail(error, RH_E_USAGE, "unexpected operand '%s'. --%s takes %s", operands[row->most],
                   typed->mode_option, row->what);
  if ((uint32_t)n < row->least)
    return rh_fail(error, RH_E_USAGE, "--%s takes %s", typed->mode_option, row->what);
  if (typed->mode == RH_MODE_LIST && n)
    return take_list(typed, &typed->strategy, "strategy", operands, n, error);
  typed->operands = operands;
  typed->n_operands = (uint32_t)n;
  return RH_OK;
}

/* Choices and numbers, which are judged last. */
static rh_status take_values(rh_typed *typed, rh_error *error) {
  for (size_t k = 0; k < rh_n_options; k++) {
    const rh_option *row = &rh_option_table[k];
    const char *said = typed->said[k];
    void *field = (char *)typed + row->offset;
    if (said && row->words) RH_TRY(rh_choice_parse(row->name, said, row->words, field, error));
    else if (said && row->range.most)
      RH_TRY(rh_whole_parse(row->name, &row->range, said, field, error));
    else if (said && row->range.expected)
      RH_TRY(rh_number_parse(row->name, &row->range, said, field, error));
  }
  return RH_OK;
}

/* ---- Of --run, beyond single words: numbers of elements, and ranks ---- */

static rh_status parse_chunk(rh_typed *typed, rh_error *error) {
  const char *size = typed->stream;
  if (!size || strcmp(size, "always") == 0) return RH_OK;
  RH_TRY(rh_size_parse(size, 0, "--stream", &typed->chunk_bytes, error));
  if (typed->chunk_bytes) return RH_OK;
  return rh_fail(error, RH_E_USAGE, "--stream '%s': a chunk has at least one byte", size);
}

static rh_status parse_element(uint64_t *number, const char *text, const char *option,
                               rh_error *error) {
  if (!text) return RH_OK;
  if (!*text || strpbrk(text, "B:,"))
    return rh_fail(error, RH_E_USAGE,
                   "%s '%.60s': expected a number of elements, as in 1e6 or 2^24", option, text);
  return rh_size_parse(text, 1, option, number, error);
}

static rh_status parse_slice(rh_typed *typed, rh_error *error) {
  const char *slice = typed->slice;
  if (!slice) return RH_OK;
  char *end = rh_show("%s", slice), *begin = strsep(&end, ":");
  if (!*begin || !end || !*end)
    return rh_fail(error, RH_E_USAGE, "--slice '%.60s': expected A:B, as in 1000:2000", slice);
  RH_TRY(parse_element(&typed->begin, begin, "--slice", error));
  RH_TRY(parse_element(&typed->end, end, "--slice", error));
  if (typed->begin <= typed->end) return RH_OK;
  return rh_fail(error, RH_E_USAGE, "--slice '%.60s': it ends before it begins", slice);
}

/* Options that hold for one process, and not for several, are refused. */
static rh_status check_for_ranks(const rh_typed *typed, rh_error *error) {
  const char *device = typed->device ? typed->device : rh_env("REDHOST_DEVICE");
  if (device && rh_devices_are_listed(device) && typed->partial)
    return rh_fail(error, RH_E_USAGE,
                   "--device '%.60s': a part is reduced on one device; write one for each", device);
  if (device && rh_devices_are_listed(device))
    return rh_fail(error, RH_E_USAGE,
                   "--device '%.60s': a rank uses one device; name one, and ranks take others of "
                   "the same name",
                   device);
  if (typed->check == RH_CHECK_SAMPLED && !typed->partial)
    return rh_fail(error, RH_E_USAGE,
                   "--check sampled cannot be used with ranks, which check all chunks or none: "
                   "--check=full or none");
  return RH_OK;
}

static rh_status parse_ranks(rh_typed *typed, rh_error *error) {
  int is_local = !typed->transport || strcmp(typed->transport, rh_local_transport.name) == 0;
  if (!rh_wants_ranks(typed)) return RH_OK;
  if (!is_local && typed->ranks)
    return rh_fail(error, RH_E_USAGE,
                   "--ranks is for --transport local; how many ranks '%.40s' has is said where the "
                   "job is started, as in mpirun -n 4",
                   typed->transport);
  if (is_local && !typed->ranks) typed->ranks = 1; /* of --partial */
  return check_for_ranks(typed, error);
}

static rh_status check_result(const rh_typed *typed, rh_error *error) {
  uint32_t place;
  const char *op = typed->texts.op;
  if (!typed->result || !op) return RH_OK;
  if (rh_choice_parse("op", op, "sum asum mean dot", &place, NULL) == RH_OK) return RH_OK;
  return rh_fail(error, RH_E_USAGE,
                 "--result f64 is for sum, asum, mean and dot, and not for %.60s", op);
}

/* Before the ways to reduce part: what is malformed is refused in all of them alike. */
static rh_status take_run_options(rh_typed *typed, rh_error *error) {
  if (typed->texts.accuracy) typed->texts.accuracy--;
  if (typed->check) typed->check--;
  if (typed->no_check) typed->check = RH_CHECK_NONE;
  RH_TRY(rh_array_check_kind(typed->data, error));
  RH_TRY(parse_chunk(typed, error));
  RH_TRY(check_result(typed, error));
  RH_TRY(parse_slice(typed, error));
  RH_TRY(parse_element(&typed->first_n, typed->first, "--first", error));
  RH_TRY(parse_element(&typed->whole_n, typed->whole, "--whole", error));
  return parse_ranks(typed, error);
}

/* ---- All ---- */

static rh_status parse(rh_typed *typed, int argc, char **argv, rh_error *error) {
  struct option options[RH_MOST_OPTIONS + 1] = {{0}};
  char letters[3 * RH_MOST_OPTIONS + 2];
  fill_getopt(options, letters);
  *typed = (rh_typed){.argc = argc,
                      .argv = argv,
                      .data = "uniform",
                      .seed = 1,
                      .processes = 1,
                      .budget_s = 60,
                      .end = UINT64_MAX,
                      .whole_n = UINT64_MAX};
  opterr = 0;
  for (;;) {
    int code = getopt_long(argc, argv, letters, options, NULL);
    if (code == -1) break;
    if (code == ':' || code == '?') return malformed(code, argv, error);
    RH_TRY(take_option(typed, (uint32_t)find_row(code), optarg, error));
  }
  char **operands = argv + optind;
  int n = argc - optind;
  RH_TRY(take_input(typed, operands, &n, error));
  RH_TRY(take_operands(typed, operands, n, error));
  RH_TRY(check_modes(typed, error));
  RH_TRY(check_pairs(typed, error));
  RH_TRY(take_values(typed, error));
  return typed->mode == RH_MODE_RUN ? take_run_options(typed, error) : RH_OK;
}

/* "-op sum", which is the letter -o with the value "p"; or null. */
static const char *with_one_dash(int argc, char **argv) {
  for (int k = 1; k < argc && strcmp(argv[k], "--") != 0; k++) {
    char name[64];
    if (argv[k][0] != '-' || argv[k][1] == '-' || strcspn(argv[k], "=") < 3) continue;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(argv[k] + 1, "="), argv[k] + 1);
    if (rh_option_find(name)) return argv[k];
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
