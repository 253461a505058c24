/* redhost --completion=SHELL: completions for each shell, made from the table of options. */
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
  if (row->words) rh_text_add(text, "%s", row->words);
  else if (row->letter == 'r') rh_text_add(text, "auto ");
  else if (strcmp(row->argument, "SHELL") == 0) rh_text_add(text, "bash zsh fish");
  else if (strcmp(row->argument, "SPEC") == 0) rh_text_add(text, "gpu cpu accelerator");
  else if (kind_of(row) == WORDS) add_listed(text, row->doc);
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

/* What is written for each shell: a row for each option, between two texts.  In it, @ stands before
 * l, its letter; n, its name; d, what it does; a, its argument; x, how that is completed.  The rows
 * are for options with a letter and an argument, with an argument, with a letter, and with
 * neither. */
static const struct shell {
  const char *name, *head, *rows[4], *tail;
  const char *special, *quote; /* characters that get a backslash; a single quote */
} shells[] = {
    [BASH] =
        {"bash",
         "# redhost --completion=bash\n"
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
         {"    --@n | -@l)\n      @x\n      ;;\n", "    --@n)\n      @x\n      ;;\n", "", ""},
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
         "complete -F _redhost redhost\n",
         "",
         ""},
    /* Modes do not exclude options here: an error message of redhost is clearer than a missing
     * completion. */
    [ZSH] = {"zsh",
             "#compdef redhost\n"
             "# redhost --completion=zsh\n"
             "_redhost() {\n"
             "  _arguments -s \\\n",
             {"    '(-@l --@n)'{-@l+,--@n=}'[@d]:@a:@x' \\\n", "    '--@n=[@d]:@a:@x' \\\n",
              "    '(-@l --@n)'{-@l,--@n}'[@d]' \\\n", "    '--@n[@d]' \\\n"},
             "    '*:file:_files'\n"
             "}\n"
             "if [[ $funcstack[1] == _redhost ]]; then _redhost \"$@\"; else compdef "
             "_redhost redhost; fi\n",
             "[]:\\",
             "'\\''"},
    [FISH] = {"fish",
              "# redhost --completion=fish\n",
              {"complete -c redhost -l @n -s @l@x -d '@d'\n",
               "complete -c redhost -l @n@x -d '@d'\n", "complete -c redhost -l @n -s @l -d '@d'\n",
               "complete -c redhost -l @n -d '@d'\n"},
              "",
              "\\",
              "\\'"},
};

/* In one line, with a backslash before each special character, and with quotes closed, escaped and
 * reopened. */
static void add_quoted(rh_text *text, const char *doc, const struct shell *shell) {
  for (; *doc; doc++) {
    if (*doc == '\'') {
      rh_text_add(text, "%s", shell->quote);
      continue;
    }
    if (strchr(shell->special, *doc)) rh_text_append(text, "\\", 1);
    rh_text_append(text, *doc == '\n' ? " " : doc, 1);
  }
}

static void add_action(rh_text *text, const rh_option *row, int shell) {
  for (const char *at = actions[kind_of(row)][shell]; *at; at++)
    if (*at == '@') add_words(text, row);
    else rh_text_append(text, at, 1);
}

static void add_row(rh_text *text, const rh_option *row, int shell) {
  for (const char *at = shells[shell].rows[2 * !row->argument + !row->letter]; *at; at++) {
    if (*at != '@') {
      rh_text_append(text, at, 1);
      continue;
    }
    switch (*++at) {
    case 'l': rh_text_append(text, &row->letter, 1); break;
    case 'n': rh_text_add(text, "%s", row->name); break;
    case 'd': add_quoted(text, row->doc, &shells[shell]); break;
    case 'a': add_quoted(text, row->argument, &shells[shell]); break;
    default: add_action(text, row, shell);
    }
  }
}

rh_status rh_mode_completion(const rh_app *app, rh_error *error) {
  const char *asked = app->typed->name;
  int shell = BASH;
  while (shell <= FISH && strcmp(asked, shells[shell].name) != 0) shell++;
  if (shell > FISH)
    return rh_fail(error, RH_E_USAGE, "--completion '%s': expected bash, zsh or fish", asked);
  rh_text text = {0};
  rh_text_add(&text, "%s", shells[shell].head);
  for (size_t k = 0; k < rh_n_options; k++) add_row(&text, &rh_option_table[k], shell);
  if (shell == BASH) rh_text_add(&text, "    *)\n      words='");
  for (size_t k = 0; k < rh_n_options && shell == BASH; k++)
    rh_text_add(&text, "%s--%s", k ? " " : "", rh_option_table[k].name);
  rh_text_add(&text, "%s", shells[shell].tail);
  int failed = text.failed;
  fputs(rh_text_get(&text), stdout);
  rh_text_finish(&text);
  return failed ? rh_fail(error, RH_E_NOMEM, "no memory for completions") : RH_OK;
}
