/* redhost --completion=SHELL: completions for each shell, made from the table of options. */
#include "app.h"

enum { BASH, ZSH, FISH };

/* How each shell completes an argument, by its name in --help; @ stands for the words.  The first
 * row is for any other argument, the second for words. */
static const struct {
  const char *argument, *shell[3];
} actions[] = {
    {"", {"return", " ", " -x"}},
    {"TYPE KIND SHELL SPEC", {"words='@'", "(@)", " -x -a '@'"}},
    /* An optional argument must follow `=': the next word is not its argument. */
    {"WHEN",
     {"[[ ${COMP_WORDS[*]:COMP_CWORD-1:2} == *=* ]] &&\n        words='@'", "(@)", " -f -a '@'"}},
    {"NAME",
     {"words=\"@$(\"$1\" --list -q 2>/dev/null)\"",
      "{compadd -- @$($words[1] --list -q 2>/dev/null)}",
      " -x -a '@(redhost --list -q 2>/dev/null)'"}},
    {"OP",
     {"words=\"$(\"$1\" --ops -q 2>/dev/null)\"", "{compadd -- $($words[1] --ops -q 2>/dev/null)}",
      " -x -a '(redhost --ops -q 2>/dev/null)'"}},
    {"FILE", {"action=file", "_files", " -r -F"}},
    {"DIR DIRS", {"action=directory", "_files -/", " -x -a '(__fish_complete_directories)'"}}};
enum { ANY, WORDS, MAYBE_WORDS };

static const char *action_of(const rh_option *row, int shell) {
  if (row->words)
    return actions[row->kind == RH_OPTION_MAYBE_WORD ? MAYBE_WORDS : WORDS].shell[shell];
  for (size_t k = 1; row->argument && k < sizeof actions / sizeof *actions; k++)
    if (k != MAYBE_WORDS && rh_word_find(row->argument, actions[k].argument))
      return actions[k].shell[shell];
  return actions[ANY].shell[shell];
}

/* The words of the argument, which the help text lists where the table does not; before the
 * strategies: `--run' also accepts `auto'. */
static const char *words_of(const rh_option *row) {
  if (row->words) return row->words;
  if (row->letter == 'r') return "auto ";
  if (strcmp(row->argument, "SHELL") == 0) return "bash zsh fish";
  if (strcmp(row->argument, "SPEC") == 0) return "gpu cpu accelerator";
  if (strcmp(row->argument, "NAME") == 0) return "";
  return rh_show("%.*s", (int)strcspn(row->doc, "["), row->doc);
}

static const char *completed(const rh_option *row, int shell) {
  const char *action = action_of(row, shell), *at = strchr(action, '@');
  return at ? rh_show("%.*s%s%s", (int)(at - action), action, words_of(row), at + 1) : action;
}

/* With a backslash before each special character, and with `quote` for a single quote. */
static const char *quoted(const char *doc, const char *special, const char *quote) {
  RH_FINISHED(rh_text) text = {0};
  for (; *doc; doc++) {
    if (strchr(special, *doc)) rh_text_append(&text, "\\", 1);
    if (*doc == '\'') rh_text_add(&text, "%s", quote);
    else rh_text_append(&text, doc, 1);
  }
  return rh_show("%s", rh_text_get(&text));
}

static void put_bash(void) {
  fputs("# redhost --completion=bash\n"
        "_redhost() {\n"
        "  local cur=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
        "  local words= action=\n"
        "  # --op=su arrives as three words, because = ends one.\n"
        "  if [[ $cur == = ]]; then\n"
        "    cur=\n"
        "  elif [[ $before == = && COMP_CWORD -gt 1 ]]; then\n"
        "    before=${COMP_WORDS[COMP_CWORD - 2]}\n"
        "  fi\n"
        "  case $before in\n",
        stdout);
  for (const rh_option *row = rh_option_table; row < rh_option_table + rh_n_options; row++)
    if (row->argument)
      printf("    --%s%s)\n      %s\n      ;;\n", row->name,
             row->letter ? rh_show(" | -%c", row->letter) : "", completed(row, BASH));
  printf("    *)\n      words='");
  for (size_t k = 0; k < rh_n_options; k++) printf("%s--%s", k ? " " : "", rh_option_table[k].name);
  fputs("'\n"
        "      if [[ $cur != -* && \" ${COMP_WORDS[*]} \" == *' --verify '* ]]; then\n"
        "        action=file words=$(\"$1\" --list -q 2>/dev/null)\n"
        "      elif [[ $cur != -* ]]; then\n"
        "        action=directory words=\n"
        "      fi\n"
        "      ;;\n"
        "  esac\n"
        "  [[ $action ]] && compopt -o filenames 2>/dev/null\n"
        "  mapfile -t COMPREPLY < <(compgen ${action:+-A \"$action\"} -W \"$words\" -- \"$cur\")\n"
        "}\n"
        "complete -F _redhost redhost\n",
        stdout);
}

static void put_zsh_row(const rh_option *row) {
  static const char special[] = "[]:\\", quote[] = "'\\''";
  const char *equals = row->argument ? "=" : "", *plus = row->argument ? "+" : "";
  if (row->letter)
    printf("    '(-%c --%s)'{-%c%s,--%s%s}'", row->letter, row->name, row->letter, plus, row->name,
           equals);
  else printf("    '--%s%s", row->name, equals);
  printf("[%s]", quoted(row->doc, special, quote));
  if (row->argument) printf(":%s:%s", quoted(row->argument, special, quote), completed(row, ZSH));
  printf("' \\\n");
}

/* Modes do not exclude options here: an error message of redhost is clearer than a missing
 * completion. */
static void put_zsh(void) {
  printf("#compdef redhost\n# redhost --completion=zsh\n_redhost() {\n  _arguments -s \\\n");
  for (size_t k = 0; k < rh_n_options; k++) put_zsh_row(&rh_option_table[k]);
  printf("    '*:file:_files'\n}\n"
         "if [[ $funcstack[1] == _redhost ]]; then _redhost \"$@\"; else compdef _redhost redhost; "
         "fi\n");
}

static void put_fish(void) {
  printf("# redhost --completion=fish\n");
  for (size_t k = 0; k < rh_n_options; k++) {
    const rh_option *row = &rh_option_table[k];
    printf("complete -c redhost -l %s%s%s -d '%s'\n", row->name,
           row->letter ? rh_show(" -s %c", row->letter) : "",
           row->argument ? completed(row, FISH) : "", quoted(row->doc, "\\", "\\'"));
  }
}

rh_status rh_mode_completion(const rh_app *app, rh_error *error) {
  const char *shell = app->typed->name;
  if (strcmp(shell, "bash") == 0) put_bash();
  else if (strcmp(shell, "zsh") == 0) put_zsh();
  else if (strcmp(shell, "fish") == 0) put_fish();
  else return rh_fail(error, RH_E_USAGE, "--completion '%s': expected bash, zsh or fish", shell);
  return RH_OK;
}
