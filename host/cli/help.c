/* redhost --help: a screen of what most people need, or a topic. */

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

/* The option's name and argument as they are typed, its letter before them. */
static int write_left(char left[64], const rh_option *row) {
  char letter[8] = "    ";
  int optional = row->kind == RH_OPTION_MAYBE_WORD;
  if (row->letter) snprintf(letter, sizeof letter, "-%c, ", row->letter);
  return snprintf(left, 64, "%s--%s%s%s%s%s", letter, row->name, optional ? "[" : "",
                  row->argument ? "=" : "", row->argument ? row->argument : "",
                  optional ? "]" : "");
}

static void put_row(const rh_option *row, const char *doc) {
  static const char blanks[] = "                           ";
  char left[64];
  int is_wide = write_left(left, row) > 24;
  if (is_wide) printf("  %s\n", left);
  rh_print_wrapped(doc, is_wide ? blanks : rh_show("  %-24s ", left), blanks, 81);
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
static void put_notes(const char *heading, const rh_option_note *note, const char *open,
                      const char *close, const char *end) {
  const char *text = rh_show("%s:", heading);
  for (; note->name; note++)
    text = rh_show("%s %s %s%s%s", text, note->name, open, note->doc, note[1].name ? close : end);
  rh_print_wrapped(text, "", "", 79);
}

static void put_environment(void) {
  put_notes("Environment", rh_options_environment, "(", "),", "); options override them.");
}

static void put_statuses(void) { put_notes("Exit status", rh_options_statuses, "", ";", "."); }

static rh_status unknown_topic(const char *topic, rh_error *error) {
  return rh_fail(error, RH_E_USAGE, "--help %s: expected an option's name or one of %s", topic,
                 topics());
}

/* The options that most people need, on a screen; or those of a topic, one option, or all. */
rh_status rh_mode_help(const rh_app *app, rh_error *error) {
  const rh_typed *typed = app->typed;
  const char *topic = typed->n_operands ? typed->operands[0] : NULL;
  const rh_option *row =
      topic ? rh_option_find(topic + (strncmp(topic, "--", 2) == 0 ? 2 : 0)) : NULL;
  int is_all = topic && strcmp(topic, "all") == 0;
  if (typed->json) return rh_fail(error, RH_E_USAGE, "--json cannot be used with --help");
  if (!topic) {
    put_screen();
  } else if (is_all) {
    put_sections(NULL);
    putchar('\n');
    put_environment();
    putchar('\n');
    put_statuses();
  } else if (strcmp(topic, "environment") == 0) {
    put_environment();
  } else if (strcmp(topic, "status") == 0) {
    put_statuses();
  } else if (put_sections(topic) == 0) {
    if (!row) return unknown_topic(topic, error);
    put_row(row, row->doc);
  }
  return RH_OK;
}
