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

/* The words that an option's help text lists, as in "auto always (a remark) never [auto]". */
static void put_listed(const char *doc) {
  for (; *doc && *doc != '['; doc++) {
    if (*doc == '(') doc += strcspn(doc, ")") + 1;
    else putchar(*doc);
  }
}

/* The words of the argument; before the strategies: `--run' also accepts `auto'. */
static void put_words(const rh_option *row) {
  if (row->words) fputs(row->words, stdout);
  else if (row->letter == 'r') fputs("auto ", stdout);
  else if (strcmp(row->argument, "SHELL") == 0) fputs("bash zsh fish", stdout);
  else if (strcmp(row->argument, "SPEC") == 0) fputs("gpu cpu accelerator", stdout);
  else if (strcmp(row->argument, "NAME") != 0) put_listed(row->doc);
}

static void put_action(const rh_option *row, int shell) {
  for (const char *at = action_of(row, shell); *at; at++)
    if (*at == '@') put_words(row);
    else putchar(*at);
}

/* With a backslash before each special character, and with `quote` for a single quote. */
static void put_quoted(const char *doc, const char *special, const char *quote) {
  for (; *doc; doc++) {
    if (strchr(special, *doc)) putchar('\\');
    if (*doc == '\'') fputs(quote, stdout);
    else putchar(*doc);
  }
}

static void put_bash_row(const rh_option *row) {
  if (!row->argument) return;
  printf("    --%s", row->name);
  if (row->letter) printf(" | -%c", row->letter);
  printf(")\n      ");
  put_action(row, BASH);
  printf("\n      ;;\n");
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
  for (size_t k = 0; k < rh_n_options; k++) put_bash_row(&rh_option_table[k]);
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

/* Modes do not exclude options here: an error message of redhost is clearer than a missing
 * completion. */
static void put_zsh(void) {
  static const char special[] = "[]:\\", quote[] = "'\\''";
  printf("#compdef redhost\n# redhost --completion=zsh\n_redhost() {\n  _arguments -s \\\n");
  for (size_t k = 0; k < rh_n_options; k++) {
    const rh_option *row = &rh_option_table[k];
    const char *equals = row->argument ? "=" : "", *plus = row->argument ? "+" : "";
    if (row->letter)
      printf("    '(-%c --%s)'{-%c%s,--%s%s}'[", row->letter, row->name, row->letter, plus,
             row->name, equals);
    else printf("    '--%s%s[", row->name, equals);
    put_quoted(row->doc, special, quote);
    putchar(']');
    if (row->argument) {
      putchar(':');
      put_quoted(row->argument, special, quote);
      putchar(':');
      put_action(row, ZSH);
    }
    printf("' \\\n");
  }
  printf("    '*:file:_files'\n}\n"
         "if [[ $funcstack[1] == _redhost ]]; then _redhost \"$@\"; else compdef _redhost redhost; "
         "fi\n");
}

static void put_fish(void) {
  printf("# redhost --completion=fish\n");
  for (size_t k = 0; k < rh_n_options; k++) {
    const rh_option *row = &rh_option_table[k];
    printf("complete -c redhost -l %s", row->name);
    if (row->letter) printf(" -s %c", row->letter);
    if (row->argument) put_action(row, FISH);
    printf(" -d '");
    put_quoted(row->doc, "\\", "\\'");
    printf("'\n");
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
