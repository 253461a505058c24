/* redhost --man: the manual page, in the man macros of roff. */
#include "options.h"

#include <ctype.h>
#include <string.h>

/* Escapes what roff would interpret: control characters at the start of a line, backslashes, and
 * characters that it replaces. */
static void put_roff(FILE *out, const char *text) {
  int first = 1;
  for (const char *c = text; *c; first = *c == '\n', c++) {
    if (first && (*c == '.' || *c == '\'')) fputs("\\&", out);
    switch (*c) {
    case '\\': fputs("\\e", out); break;
    case '-': fputs("\\-", out); break;
    case '`': fputs("\\(oq", out); break;
    case '\'': fputs("\\(cq", out); break;
    case '^': fputs("\\(ha", out); break;
    case '~': fputs("\\(ti", out); break;
    default: putc(*c, out);
    }
  }
}

static void put_upper(FILE *out, const char *text, size_t length) {
  for (size_t k = 0; k < length; k++) putc(toupper((unsigned char)text[k]), out);
}

static void put_option(FILE *out, const rh_option *row) {
  fputs(".TP\n", out);
  if (row->letter) fprintf(out, "\\fB\\-%c\\fR, ", row->letter);
  fputs("\\fB\\-\\-", out);
  put_roff(out, row->name);
  fputs("\\fR", out);
  if (row->argument) {
    fputs(row->kind == RH_OPTION_MAYBE_WORD ? "[=\\fI" : "=\\fI", out);
    put_roff(out, row->argument);
    fputs(row->kind == RH_OPTION_MAYBE_WORD ? "\\fR]" : "\\fR", out);
  }
  putc('\n', out);
  put_roff(out, row->doc);
  putc('\n', out);
}

static void put_options(FILE *out) {
  fputs(".SH OPTIONS\n", out);
  for (size_t k = 0; k < rh_n_options; k++) {
    const rh_option *row = &rh_option_table[k];
    if (row->section) {
      fputs(".SS ", out);
      put_roff(out, row->section);
      putc('\n', out);
    }
    put_option(out, row);
  }
}

static void put_notes(FILE *out, const char *heading, const char *before,
                      const rh_option_note *note) {
  fputs(".SH ", out);
  put_upper(out, heading, strlen(heading));
  fprintf(out, "\n%s", before);
  for (; note->name; note++) {
    fprintf(out, ".TP\n\\fB%s\\fR\n", note->name);
    put_roff(out, note->doc);
    putc('\n', out);
  }
}

void rh_print_man(FILE *out) {
  fprintf(out, ".TH REDHOST 1 2026-11-20 \"redhost %s\" \"User Commands\"\n", rh_version());
  fputs(".SH NAME\n"
        "redhost \\- parallel reductions on OpenCL\n"
        ".SH SYNOPSIS\n"
        ".B redhost\n[\\fIOPTION\\fR]...\n.br\n"
        ".B redhost \\-\\-list\n.br\n"
        ".B redhost \\-\\-run\n\\fINAME\\fR [\\fB\\-n\\fR \\fISIZE\\fR | \\fB\\-i\\fR \\fIFILE\\fR]"
        " [\\fIOPTION\\fR]...\n.br\n"
        ".B redhost \\-\\-verify\n[\\fINAME\\fR | \\fIFILE.so\\fR]... [\\fIOPTION\\fR]...\n.br\n"
        ".B redhost \\-\\-bench\n[\\fIOPTION\\fR]...\n.br\n"
        ".B redhost \\-\\-tune\n[\\fIOPTION\\fR]...\n.br\n"
        ".B redhost \\-\\-new\\-plugin\n\\fINAME\\fR [\\fIDIR\\fR]\n.br\n"
        ".B redhost \\-\\-new\\-operator\n\\fINAME\\fR [\\fIDIR\\fR]\n"
        ".SH DESCRIPTION\n"
        "Reduces arrays on OpenCL devices and on the CPU, and checks each answer\n"
        "against an exact reference.\n"
        "Each strategy is a plugin, a shared object.  redhost searches for plugins in\n"
        "the file and the directories of\n.B \\-\\-plugin\nand\n"
        ".BR \\-\\-plugin\\-path ,\nin\n.IR REDHOST_PLUGIN_PATH ,\nin\n"
        ".I \\(ti/.local/share/redhost/plugins\\-1\nand in its own plugin directory.\n"
        "Operators in files named\n.I NAME.op.json\nare found there, too.\n",
        out);
  put_options(out);
  put_notes(out, "environment", "Options override all of these.\n", rh_options_environment);
  put_notes(out, "exit status", "", rh_options_statuses);
  fputs(".SH EXAMPLES\n"
        ".nf\n"
        "redhost \\-\\-list\n"
        "redhost \\-\\-run auto \\-n 2\\(ha24\n"
        "redhost \\-\\-run cascade \\-\\-input x.npy \\-\\-op max \\-q\n"
        "redhost \\-\\-new\\-plugin mine\n"
        ".fi\n",
        out);
}
