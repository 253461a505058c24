/* What every file of the folder starts from: the state that is passed to every mode, and output:
 * warnings and progress on standard error, untrusted text, colour, tables, JSON. */
#pragma once

#include "options.h"

/* ---- The terminal ---- */

/* One for the process: a signal handler reads it. */
typedef struct rh_terminal {
  int progress; /* show a progress line? */
  int color;
  int quiet, verbose;
  uint32_t shares; /* of the work, each as large as that of which progress is reported */
  double started;  /* of the phase in progress */
  double shown;    /* when the line was last drawn */
  const char *phase;
} rh_terminal;

void rh_terminal_init(rh_terminal *terminal, const rh_typed *typed);

rh_reporter rh_terminal_reporter(rh_terminal *terminal);

/* Erases the progress line, if there is one. */
void rh_terminal_clear(rh_terminal *terminal);

/* A progress line for a number of steps: "[12/57] cascade V23, about 40 s left". */
void rh_terminal_count(rh_terminal *terminal, uint32_t done, uint32_t total, double left_s,
                       const char *what, const char *which);

/* Such a line for a turn of a benchmark or a search; RH_E_CANCELLED if the user interrupts. */
rh_status rh_terminal_turn(rh_terminal *terminal, const rh_bench_turn *turn, rh_error *error);

/* A line with only a path, for programs: exact, but plain on a terminal. */
void rh_print_path(const char *path);

/* "redhost: <message>.", on standard error. */
void rh_terminal_say(rh_terminal *terminal, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A failure of the program, with the option that helps, if there is one; under it the expression
 * that it quotes, and a caret at the place. */
void rh_terminal_say_error(rh_terminal *terminal, rh_error *error);

/* The text in a style for standard output, valid as above; itself without colour. */
const char *rh_styled(const rh_terminal *terminal, int style, const char *text);

/* On SIGINT: ends the children, erases the progress line, and ends the process with status 130. */
void rh_terminal_catch_interrupt(void);

/* From here on the first SIGINT is only recorded, for a mode that must still write its results; the
 * second ends the process. */
void rh_terminal_hold_interrupt(void);
int rh_terminal_was_interrupted(void);
/* Results are about to be written: an interrupt, before or after this call, allows two seconds for
 * it, because the output pipe may have no reader.  Until rh_terminal_go_on(), or to the end. */
void rh_terminal_write_down(void);
void rh_terminal_go_on(void);

/* From here on, SIGBUS means that the mapped input file `path` shrank: prints a message and
 * exits with status 6. */
void rh_terminal_catch_cut_file(const char *path);

/* ---- Tables ---- */

/* And empties it.  Without a row below the headings, prints nothing. */
void rh_table_print(rh_table *table, const rh_terminal *terminal, const char *indent);

/* `text`, wrapped; each line after `indent`, but for the first. */
void rh_print_wrapped(const char *text, const char *first, const char *indent, int width);

/* ---- Modes ---- */

typedef struct rh_app {
  const rh_typed *typed;
  rh_terminal *terminal;
  rh_context *context;
  /* the value of --op, or sum; --bench and --tune parse their lists themselves */
  uint32_t op;
  rh_type type;             /* the value of --type, or 0 */
  rh_custom *own;           /* --list and --info: an operator that is not built in; else null */
  struct rh_beside *beside; /* --run A,B: where reports go; else null */
} rh_app;

/* The program's own status in addition to the library's: --strict, and a result that is noisy or
 * throttled. */
enum { RH_E_NOISY = -64 };

/* One file for each mode.  A mode prints to standard output only when all its output is
 * complete. */
#define RH_X(mode, name) rh_status rh_mode_##name(const rh_app *app, rh_error *error);
RH_MODES(RH_X)
#undef RH_X

/* The manual page. */
void rh_manual_print(void);

/* ---- JSON ---- */

/* Schema "redhost/1": additive changes keep the 1; readers ignore keys they do not know.  A
 * document: "schema", "tool", and these members, which it takes over; null if out of memory. */
json_t *rh_json_document(json_t *members);
/* Prints a document of these members, which it takes over. */
rh_status rh_json_print(json_t *members, rh_error *error);
json_t *rh_json_strings(char *const *list, uint32_t n);
json_t *rh_json_one(json_t *value); /* an array of it, which it takes over; null: empty */
json_t *rh_json_device(const rh_cl_device *device); /* null gives null */

/* ---- Files ---- */

/* --export: can each be written, and is it of one of these kinds by its name? */
enum { RH_EXPORT_PICTURE = 1, RH_EXPORT_PAGE = 2, RH_EXPORT_ROWS = 4 };
rh_status rh_exports_check(const rh_typed *typed, int kinds, rh_error *error);
