/* The manual page, from the table of options: redhost --manual, for the build. */
#include "app.h"

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

static void put_row(const rh_option *row) {
  int is_optional = row->kind == RH_OPTION_MAYBE_WORD;
  if (row->section) printf(".SS %s\n", escaped(row->section));
  printf(".TP\n%s\\fB\\-\\-%s\\fR", row->letter ? rh_show("\\fB\\-%c\\fR, ", row->letter) : "",
         escaped(row->name));
  if (row->argument)
    printf("%s=\\fI%s\\fR%s", is_optional ? "[" : "", escaped(row->argument),
           is_optional ? "]" : "");
  printf("\n%s\n", escaped(row->doc));
}

static void put_notes(const char *heading, const rh_option_note *notes) {
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
  for (size_t k = 0; k < rh_n_options; k++) put_row(&rh_option_table[k]);
  put_notes(".SH ENVIRONMENT\nOptions override all of these.", rh_options_environment);
  put_notes(".SH EXIT STATUS", rh_options_statuses);
  fputs(".SH EXAMPLES\n.nf\nredhost \\-\\-list\nredhost \\-\\-run auto \\-n 2\\(ha24\n"
        "redhost \\-\\-run cascade \\-\\-input x.npy \\-\\-op max \\-q\n"
        "redhost \\-\\-new\\-plugin mine\n.fi\n",
        stdout);
}
