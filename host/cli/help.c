/* redhost --help: a screen of what most people need, or a topic; and the manual page. */
#include "app.h"

/* The screen says the same in fewer words. */
static const rh_option_note screen[] = {
    {"list", "strategies, and whether each can run here"},
    {"ops", "operators"},
    {"info", "one strategy or operator"},
    {"run", "reduce with strategy NAME [auto: the fastest]"},
    {"bench", "benchmark strategies over sizes"},
    {"tune", "find the best parameters for this device"},
    {"verify", "test strategies, or a plugin's file"},
    {"device", "gpu, cpu, an index, or part of a name"},
    {"size", "elements to generate where there is no FILE [2^24]"},
    {"op", "sum, min, argmax, mean and so on [sum]"},
    {"type", "of generated data, or of a raw FILE [f32]"},
    {"map", "reduce an expression of the elements: 'x*y'"},
    {"where", "only the elements for which it is true: 'x > 0'"},
    {"axis", "of a .npy file: one result for each row or column"},
    {"quiet", "print the value only"},
    {"verbose", "also print build logs, parameters and times"},
    {"json", "JSON instead of text"},
};

/* On the left the option's name and argument as they are typed, its letter before them. */
static void put_row(const rh_option *row, const char *doc) {
  static const char blanks[] = "                           ";
  char left[64], letter[8] = "    ";
  int optional = row->kind == RH_OPTION_MAYBE_WORD;
  if (row->letter) snprintf(letter, sizeof letter, "-%c, ", row->letter);
  int width =
      snprintf(left, sizeof left, "%s--%s%s%s%s%s", letter, row->name, optional ? "[" : "",
               row->argument ? "=" : "", row->argument ? row->argument : "", optional ? "]" : "");
  if (width > 24) printf("  %s\n", left);
  rh_print_wrapped(doc, width > 24 ? blanks : rh_show("  %-24s ", left), blanks, 81);
}

/* "modes", of the section "Modes (one; ...)". */
static void topic_of(const char *section, char topic[32]) {
  size_t length = strcspn(section, " ");
  snprintf(topic, 32, "%.*s", (int)length, section);
  *topic = (char)tolower((unsigned char)*topic);
}

static const char *topics(void) {
  char topic[32];
  const char *text = "";
  for (size_t k = 0; k < rh_n_options; k++) {
    if (!rh_option_table[k].section) continue;
    topic_of(rh_option_table[k].section, topic);
    text = rh_show("%s%s, ", text, topic);
  }
  return rh_show("%senvironment, status, all", text);
}

static void put_screen(void) {
  fputs("Usage: redhost [OPTION]... [FILE]...\n"
        "Reduce arrays on OpenCL devices and the CPU, and check each answer against an\n"
        "exact reference. `redhost x.npy' prints the sum, by the fastest strategy.\n\n",
        stdout);
  for (size_t k = 0; k < sizeof screen / sizeof *screen; k++)
    put_row(rh_option_find(screen[k].name), screen[k].doc);
  const char *more = rh_show("More: --help TOPIC, an option or one of %s.", topics());
  putchar('\n');
  rh_print_wrapped(more, "", "", 79);
}

/* Rows from the section of this topic on to the next section; null: all. */
static int put_sections(const char *topic) {
  char name[32] = "";
  int n = 0;
  for (size_t k = 0; k < rh_n_options; k++) {
    const rh_option *row = &rh_option_table[k];
    if (row->section) topic_of(row->section, name);
    if (topic && strcmp(topic, name) != 0) continue;
    if (row->section) printf("%s%s:\n", n ? "\n" : "", row->section);
    put_row(row, row->doc);
    n++;
  }
  return n;
}

/* "Exit status: 0 done; 1 wrong result.": `open` and `close` stand around what each note says. */
static const struct topic {
  const char *name, *heading, *open, *close, *end;
  const rh_option_note *notes;
} others[] = {
    {"environment", "Environment", "(", "),", "); options override them.", rh_options_environment},
    {"status", "Exit status", "", ";", ".", rh_options_statuses}};

static void put_notes(const struct topic *topic) {
  const char *text = rh_show("%s:", topic->heading);
  for (const rh_option_note *note = topic->notes; note->name; note++)
    text = rh_show("%s %s %s%s%s", text, note->name, topic->open, note->doc,
                   note[1].name ? topic->close : topic->end);
  rh_print_wrapped(text, "", "", 79);
}

/* The options that most people need, on a screen; or those of a topic, one option, or all. */
rh_status rh_mode_help(const rh_app *app, rh_error *error) {
  const rh_typed *typed = app->typed;
  const char *topic = typed->n_operands ? typed->operands[0] : NULL;
  if (typed->json) return rh_fail(error, RH_E_USAGE, "--json cannot be used with --help");
  if (!topic) {
    put_screen();
    return RH_OK;
  }
  int is_all = strcmp(topic, "all") == 0, n = put_sections(is_all ? NULL : topic);
  for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
    if (!is_all && strcmp(topic, others[k].name) != 0) continue;
    if (n++) putchar('\n');
    put_notes(&others[k]);
  }
  if (n) return RH_OK;
  const rh_option *row = rh_option_find(topic + (strncmp(topic, "--", 2) == 0 ? 2 : 0));
  if (!row)
    return rh_fail(error, RH_E_USAGE, "--help %s: expected an option's name or one of %s", topic,
                   topics());
  put_row(row, row->doc);
  return RH_OK;
}

/* ---- The manual page, from the table of options, too: redhost --manual, for the build ---- */

static const char *escaped(const char *text) {
  static const char special[] = "\\-`'^~";
  static const char *const instead[] = {"\\e", "\\-", "\\(oq", "\\(cq", "\\(ha", "\\(ti"};
  RH_FINISHED(rh_text) roff = {0};
  if (*text == '.') rh_text_add(&roff, "\\&");
  for (; *text; text++) {
    const char *at = strchr(special, *text);
    if (at) rh_text_add(&roff, "%s", instead[at - special]);
    else rh_text_append(&roff, text, 1);
  }
  return rh_show("%s", rh_text_get(&roff));
}

static void put_man_row(const rh_option *row) {
  int is_optional = row->kind == RH_OPTION_MAYBE_WORD;
  if (row->section) printf(".SS %s\n", escaped(row->section));
  printf(".TP\n%s\\fB\\-\\-%s\\fR", row->letter ? rh_show("\\fB\\-%c\\fR, ", row->letter) : "",
         escaped(row->name));
  if (row->argument)
    printf("%s=\\fI%s\\fR%s", is_optional ? "[" : "", escaped(row->argument),
           is_optional ? "]" : "");
  printf("\n%s\n", escaped(row->doc));
}

static void put_man_notes(const char *heading, const rh_option_note *notes) {
  puts(heading);
  for (; notes->name; notes++) printf(".TP\n\\fB%s\\fR\n%s\n", notes->name, escaped(notes->doc));
}

void rh_manual_print(void) {
  printf(".TH REDHOST 1 2026-11-20 \"redhost %s\" \"User Commands\"\n", rh_version());
  fputs(".SH NAME\nredhost \\- parallel reductions on OpenCL\n"
        ".SH SYNOPSIS\n.B redhost\n[\\fIOPTION\\fR]...\n.br\n"
        ".B redhost \\-\\-list\n.br\n"
        ".B redhost \\-\\-run\n"
        "\\fINAME\\fR [\\fB\\-n\\fR \\fISIZE\\fR | \\fB\\-i\\fR \\fIFILE\\fR] "
        "[\\fIOPTION\\fR]...\n.br\n"
        ".B redhost \\-\\-verify\n[\\fINAME\\fR | \\fIFILE.so\\fR]... [\\fIOPTION\\fR]...\n.br\n"
        ".B redhost \\-\\-bench\n[\\fIOPTION\\fR]...\n.br\n"
        ".B redhost \\-\\-tune\n[\\fIOPTION\\fR]...\n.br\n"
        ".B redhost \\-\\-new\\-plugin\n\\fINAME\\fR [\\fIDIR\\fR]\n.br\n"
        ".B redhost \\-\\-new\\-operator\n\\fINAME\\fR [\\fIDIR\\fR]\n"
        ".SH DESCRIPTION\n"
        "Reduces arrays on OpenCL devices and on the CPU, and checks each answer\n"
        "against an exact reference.\n"
        "Each strategy is a plugin, a shared object.  redhost searches for plugins in\n"
        "the file and the directories of\n"
        ".B \\-\\-plugin\nand\n.BR \\-\\-plugin\\-path ,\nin\n.IR REDHOST_PLUGIN_PATH ,\nin\n"
        ".I \\(ti/.local/share/redhost/plugins\\-1\nand in its own plugin directory.\n"
        "Operators in files named\n.I NAME.op.json\nare found there, too.\n"
        ".SH OPTIONS\n",
        stdout);
  for (size_t k = 0; k < rh_n_options; k++) put_man_row(&rh_option_table[k]);
  put_man_notes(".SH ENVIRONMENT\nOptions override all of these.", rh_options_environment);
  put_man_notes(".SH EXIT STATUS", rh_options_statuses);
  fputs(".SH EXAMPLES\n.nf\nredhost \\-\\-list\nredhost \\-\\-run auto \\-n 2\\(ha24\n"
        "redhost \\-\\-run cascade \\-\\-input x.npy \\-\\-op max \\-q\n"
        "redhost \\-\\-new\\-plugin mine\n.fi\n",
        stdout);
}
