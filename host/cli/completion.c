/* redhost --completion=SHELL: completions for each shell, made from the table of options. */
#include "../core/base/error.h"
#include "app.h"

/* The kinds of an option's argument. */
enum { NOTHING, WORDS, MAYBE_WORDS, STRATEGIES, OPERATORS, FILES, DIRECTORIES };

/* Derived from the argument's name in --help. */
static int kind_of(const rh_option *row) {
  static const struct {
    const char *argument;
    int kind;
  } kinds[] = {{"OP", OPERATORS},     {"TYPE", WORDS},        {"KIND", WORDS}, {"SHELL", WORDS},
               {"SPEC", WORDS},       {"NAME", STRATEGIES},   {"FILE", FILES}, {"DIR", DIRECTORIES},
               {"DIRS", DIRECTORIES}, {"NAME [DIR]", NOTHING}};
  if (row->words) return row->kind == RH_OPTION_MAYBE_WORD ? MAYBE_WORDS : WORDS;
  for (size_t k = 0; row->argument && k < sizeof kinds / sizeof *kinds; k++)
    if (strcmp(row->argument, kinds[k].argument) == 0) return kinds[k].kind;
  return NOTHING;
}

/* Appends the words that an option's help text lists, as in "auto always (a remark) never
 * [auto]", separated by spaces. */
static void add_listed(rh_text *text, const char *doc) {
  size_t before = text->length;
  for (int remark = 0; *doc && *doc != '['; doc++) {
    if (*doc == '(') remark = 1;
    int blank = *doc == ' ' || *doc == '\n' || remark;
    if (blank && text->length > before && text->s[text->length - 1] != ' ')
      rh_text_append(text, " ", 1);
    if (!blank) rh_text_append(text, doc, 1);
    if (*doc == ')') remark = 0;
  }
}

/* The words of the argument; before the strategies: `--run' also accepts `auto'. */
static void add_words(rh_text *text, const rh_option *row) {
  if (row->words)
    rh_text_add(text, "%s", row->words);
  else if (row->letter == 'r')
    rh_text_add(text, "auto ");
  else if (strcmp(row->argument, "SHELL") == 0)
    rh_text_add(text, "bash zsh fish");
  else if (strcmp(row->argument, "SPEC") == 0)
    rh_text_add(text, "gpu cpu accelerator");
  else if (kind_of(row) == WORDS)
    add_listed(text, row->doc);
}

/* How each shell completes an argument; @ stands for the words. */
enum { BASH, ZSH, FISH };
static const char *const actions[][3] = {
    [NOTHING] = {"return", " ", " -x"},
    [WORDS] = {"words='@'", "(@)", " -x -a '@'"},
    /* An optional argument must follow `=': the next word is not its argument. */
    [MAYBE_WORDS] = {"[[ ${COMP_WORDS[*]:COMP_CWORD-1:2} == *=* ]] &&\n        words='@'", "(@)",
                     " -f -a '@'"},
    [STRATEGIES] = {"words=\"@$(\"$1\" --list -q 2>/dev/null)\"",
                    "{compadd -- @$($words[1] --list -q 2>/dev/null)}",
                    " -x -a '@(redhost --list -q 2>/dev/null)'"},
    [OPERATORS] = {"words=\"$(\"$1\" --ops -q 2>/dev/null)\"",
                   "{compadd -- $($words[1] --ops -q 2>/dev/null)}",
                   " -x -a '(redhost --ops -q 2>/dev/null)'"},
    [FILES] = {"action=file", "_files", " -r -F"},
    [DIRECTORIES] = {"action=directory", "_files -/", " -x -a '(__fish_complete_directories)'"},
};

static void add_action(rh_text *text, const rh_option *row, int shell) {
  if (!row->argument) return;
  for (const char *at = actions[kind_of(row)][shell]; *at; at++)
    if (*at == '@')
      add_words(text, row);
    else
      rh_text_append(text, at, 1);
}

/* Appends the text in one line, with a backslash before each character of `special`, and with
 * quotes closed, escaped and reopened. */
static void add_quoted(rh_text *text, const char *doc, const char *special, const char *quote) {
  for (; *doc; doc++) {
    if (*doc == '\'') {
      rh_text_add(text, "%s", quote);
      continue;
    }
    if (strchr(special, *doc)) rh_text_append(text, "\\", 1);
    rh_text_append(text, *doc == '\n' ? " " : doc, 1);
  }
}

static void bash_case(rh_text *text, const rh_option *row) {
  if (!row->argument) return;
  rh_text_add(text, "    --%s", row->name);
  if (row->letter) rh_text_add(text, " | -%c", row->letter);
  rh_text_add(text, ")\n      ");
  add_action(text, row, BASH);
  rh_text_add(text, "\n      ;;\n");
}

static void bash(rh_text *text) {
  rh_text_add(text, "# redhost --completion=bash\n"
                    "_redhost() {\n"
                    "  local cur=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
                    "  local words= action=\n"
                    "  # --op=su arrives as three words, because = ends one.\n"
                    "  if [[ $cur == = ]]; then\n"
                    "    cur=\n"
                    "  elif [[ $before == = && COMP_CWORD -gt 1 ]]; then\n"
                    "    before=${COMP_WORDS[COMP_CWORD - 2]}\n"
                    "  fi\n"
                    "  case $before in\n");
  for (size_t k = 0; k < rh_n_options; k++) bash_case(text, &rh_option_table[k]);
  rh_text_add(text, "    *)\n      words='");
  for (size_t k = 0; k < rh_n_options; k++)
    rh_text_add(text, "%s--%s", k ? " " : "", rh_option_table[k].name);
  rh_text_add(
      text,
      "'\n"
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
      "complete -F _redhost redhost\n");
}

static void zsh_option(rh_text *text, const rh_option *row) {
  /* Modes do not exclude options here: an error message of redhost is clearer than a missing
   * completion. */
  if (row->letter)
    rh_text_add(text, "    '(-%c --%s)'{-%c%s,--%s%s}'[", row->letter, row->name, row->letter,
                row->argument ? "+" : "", row->name, row->argument ? "=" : "");
  else
    rh_text_add(text, "    '--%s%s[", row->name, row->argument ? "=" : "");
  add_quoted(text, row->doc, "[]:\\", "'\\''");
  rh_text_add(text, "]");
  if (row->argument) {
    rh_text_add(text, ":");
    add_quoted(text, row->argument, "[]:\\", "'\\''");
    rh_text_add(text, ":");
  }
  add_action(text, row, ZSH);
  rh_text_add(text, "' \\\n");
}

static void zsh(rh_text *text) {
  rh_text_add(text, "#compdef redhost\n"
                    "# redhost --completion=zsh\n"
                    "_redhost() {\n"
                    "  _arguments -s \\\n");
  for (size_t k = 0; k < rh_n_options; k++) zsh_option(text, &rh_option_table[k]);
  rh_text_add(text, "    '*:file:_files'\n"
                    "}\n"
                    "if [[ $funcstack[1] == _redhost ]]; then _redhost \"$@\"; else compdef "
                    "_redhost redhost; fi\n");
}

static void fish_option(rh_text *text, const rh_option *row) {
  rh_text_add(text, "complete -c redhost -l %s", row->name);
  if (row->letter) rh_text_add(text, " -s %c", row->letter);
  add_action(text, row, FISH);
  rh_text_add(text, " -d '");
  add_quoted(text, row->doc, "\\", "\\'");
  rh_text_add(text, "'\n");
}

static void fish(rh_text *text) {
  rh_text_add(text, "# redhost --completion=fish\n");
  for (size_t k = 0; k < rh_n_options; k++) fish_option(text, &rh_option_table[k]);
}

rh_status rh_mode_completion(const rh_app *app, rh_error *error) {
  const char *shell = app->typed->name;
  rh_text text = {0};
  if (strcmp(shell, "bash") == 0)
    bash(&text);
  else if (strcmp(shell, "zsh") == 0)
    zsh(&text);
  else if (strcmp(shell, "fish") == 0)
    fish(&text);
  else
    return rh_fail(error, RH_E_USAGE, "--completion '%s': expected bash, zsh or fish", shell);
  int failed = text.failed;
  fputs(rh_text_get(&text), stdout);
  rh_text_finish(&text);
  return failed ? rh_fail(error, RH_E_NOMEM, "no memory for completions") : RH_OK;
}
