/* Output to the user: warnings and progress on standard error, untrusted text, and colour. */
#pragma once

#include "../tools/bench/settings.h"
#include "options.h"

/* One for the process: a signal handler reads it. */
typedef struct rh_terminal {
  int progress; /* show a progress line? */
  int color;
  int quiet, verbose;
  double started; /* of the phase in progress */
  double shown;   /* when the line was last drawn */
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

/* `s` as rh_make_plain shows it.  Valid until the eighth call after this one; null is "". */
const char *rh_plain(const char *s);

/* A line with only a path, for programs: exact, but plain on a terminal. */
void rh_print_path(const char *path);

/* "redhost: <message>.", on standard error. */
void rh_terminal_say(rh_terminal *terminal, const char *message);
/* A failure of the program, with the option that helps, if there is one; under it the expression
 * that it quotes, and a caret at the place. */
void rh_terminal_say_error(rh_terminal *terminal, rh_error *error);

enum { RH_PLAIN, RH_BOLD, RH_GOOD, RH_BAD, RH_DIM };
/* The escape sequences that switch a style on and off on standard output; "" without colour. */
const char *rh_style_on(const rh_terminal *terminal, int style);
const char *rh_style_off(const rh_terminal *terminal, int style);

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
