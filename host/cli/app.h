/* What every file of the folder starts from: the state that is passed to every mode; output, which
 * is warnings and progress on standard error, untrusted text, colour, tables, JSON; the data that a
 * command reduces and by what; and what is said of strategies and operators. */
#pragma once

#include <signal.h>

#include "../engine/reduction/reduction.h"
#include "options.h"

/* ---- The terminal ---- */

/* One for the process, set by rh_terminal_init(). */
extern struct rh_terminal {
  int color, progress; /* 1: show a progress line */
  uint32_t quiet, verbose;
  uint32_t shares; /* of the work, each as large as that of which progress is reported */
} rh_terminal;

void rh_terminal_init(const rh_typed *typed);

extern const rh_reporter rh_terminal_reporter;

/* Erases the progress line, if there is one. */
void rh_terminal_clear(void);

/* A progress line for a number of steps: "[12/57] cascade V23, about 40 s left". */
void rh_terminal_count(uint32_t done, uint32_t total, double left_s, const char *what,
                       const char *which);

/* Such a line for a turn of a benchmark or a search; RH_E_CANCELLED if the user interrupts. */
rh_status rh_terminal_turn(void *unused, const rh_bench_turn *turn, rh_error *error);

/* A line with only a path, for programs: exact, but plain on a terminal. */
void rh_print_path(const char *path);

/* "redhost: <message>.", on standard error. */
void rh_terminal_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A failure of the program, with the option that helps, if there is one; under it the expression
 * that it quotes, and a caret at the place. */
void rh_terminal_say_error(rh_error *error);

/* The text in a style for standard output, valid as above; itself without colour. */
const char *rh_styled(int style, const char *text);

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
void rh_table_print(rh_table *table, const char *indent);

/* `text`, wrapped; each line after `indent`, but for the first. */
void rh_print_wrapped(const char *text, const char *first, const char *indent, int width);

/* ---- Modes ---- */

typedef struct rh_app {
  const rh_typed *typed;
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

/* ---- The files of --input ---- */

/* Opened to see what they hold, before it is decided how they are read.  Zero-initialised is empty.
 * It must not be moved once it is open. */
typedef struct rh_inputs {
  char *copy; /* of the list, cut into names */
  uint32_t n;
  const char *names[RH_MOST_OPERANDS];
  rh_feed feeds[RH_MOST_OPERANDS];
  rh_array arrays[RH_MOST_OPERANDS]; /* of several; their regions have become parts of one */
  int are_large; /* more than fits in memory, or a pipe that goes on after its first part */
} rh_inputs;

/* RH_E_USAGE for operands, or an array and labels of its elements, of different shapes or orders,
 * for they are paired as they are stored.  Raw data have no shape: only their number counts, which
 * is compared where it is known for all.  Labels may have one dimension. */
rh_status rh_check_paired(const rh_feed *one, const rh_feed *other, int are_labels,
                          rh_error *error);

/* ---- The operator of --map, --reduce, --finalize, --let and lists of --op and --input ---- */

/* Does the command line name one? */
int rh_user_operator_is_wanted(const rh_typed *typed);

/* Asks where a list of operators means one after the other, not one pass. */
int rh_user_operator_is_one(const rh_typed *typed);

/* Makes it, to be destroyed by the caller, for the types of the inputs; inputs null: for operands
 * of one type, as many as the map names. */
rh_status rh_user_operator_define(const rh_app *app, const rh_typed *typed, const rh_inputs *inputs,
                                  rh_type type, rh_custom **made, rh_error *error);

/* RH_E_PLUGIN if a law of it is broken, unless the user accepts that. */
rh_status rh_user_operator_trust(const rh_app *app, const rh_custom *self, rh_error *error);

/* ---- --axis, --length, --segments, --starts with --stops, and --by ---- */

/* Which elements make a segment, and the shape of what they come to.  Zero-initialised is empty. */
typedef struct rh_shape {
  rh_layout layout;
  uint64_t *offsets, *stops; /* of the layout; or null */
  rh_axes axes;              /* of --axis */
  int is_scattered;          /* 1: the layout is that of a copy of them */
  rh_array labels;           /* of --by: one of each element; or empty */

  uint32_t n_dimensions; /* of the results */
  uint64_t lengths[RH_NPY_MOST_DIMENSIONS];
  int fortran_order; /* the results are in the order of the data */
  char words[200];   /* "along axis 1 of (3, 4)" */
} rh_shape;

/* Enters the layout into *spec, which has the operator and n.  If the data are generated, `inputs`
 * are empty. */
rh_status rh_shape_open(rh_shape *shape, const rh_app *app, const rh_inputs *inputs,
                        rh_job_spec *spec, rh_error *error);
void rh_shape_finish(rh_shape *shape);

/* On standard error: an index into a file in Fortran order, integers that wrap. */
void rh_note_operator(const rh_app *app, const rh_inputs *inputs, const rh_job_spec *spec);

/* ---- Strategies and operators, for --list, --ops and --info ---- */

/* The problem size for --list: --run's default. */
enum { RH_DEFAULT_LOG2_SIZE = 24 };

/* The offer that represents the strategy: that by app->own, if there is such; else that of --op, or
 * sum, and --type, or f32 (i32 for operators on integers); if it is declined, and --type (and --op)
 * is not given, the first accepted one. */
const rh_offer *rh_offer_for(const rh_app *app, const rh_entry *entry);

/* rh_strategies_select() among the registry's. */
rh_status rh_registry_select(const rh_registry *registry, const char *list, unsigned char *selected,
                             rh_error *error);

/* "all" or the names of the operators (types) that are served with any type (operator). */
const char *rh_offer_words(const rh_entry *entry, int of_ops);

/* The launches, and whether the host finishes: "1", "1+host", "host". */
const char *rh_offer_passes(const rh_answer *answer);

/* Where the command line has an operator that is not built in: makes it, which is app->own then,
 * for operands of --type, else of f32, or the first type that it has; and asks every strategy
 * whether it can reduce the default number of elements by it.  Opens the plugins that came with
 * redhost in this process; others decline. */
rh_status rh_own_offers_ask(rh_app *app, rh_error *error);
static inline void rh_app_finish(rh_app *app) { rh_custom_destroy(app->own); }

/* A strategy, and whether it can serve --op and --type on the registry's device. */
json_t *rh_json_strategy(const rh_app *app, const rh_entry *entry);

/* --info of an operator. */
rh_status rh_operator_page(const rh_app *app, const rh_catalog_entry *entry, rh_error *error);

/* ---- The options of --bench and --tune ---- */

/* Before anything else happens.  RH_E_USAGE for malformed or contradictory options. */
rh_status rh_bench_settings_parse(rh_bench_settings *settings, const rh_app *app, rh_error *error);
void rh_bench_settings_finish(rh_bench_settings *settings);

/* The devices that --device names, malloc'ed; null and *n = 1 if there are no devices and none was
 * requested. */
rh_status rh_bench_devices(const rh_app *app, const rh_cl_device ***devices, uint32_t *n,
                           rh_error *error);

/* ---- Where --bench writes: standard output or --output, --export, --resume ---- */

/* RH_FORMAT_*, of --format or --json; 0: a table. */
uint32_t rh_bench_format(const rh_typed *typed);

/* Can every output be written?  RH_E_FILE, before anything is measured; RH_E_USAGE for an unknown
 * format or file name suffix. */
rh_status rh_bench_output_check(const rh_typed *typed, rh_error *error);

/* *results has tool, settings and device.  Takes over the rows of the file to resume, before
 * anything that takes time; RH_E_FILE if it is from another build, another device or other
 * settings. */
rh_status rh_bench_output_take_over(const char *path, rh_records *results, rh_error *error);

/* Writes all results to all destinations. */
rh_status rh_bench_output_all(const rh_app *app, const rh_records *results, rh_error *error);

/* ---- The process: a message for its crash, its signals, and its stack ---- */

/* A driver's compiler replaces the handlers of most signals by its own: those of LLVM swallow the
 * first SIGQUIT, and let an abort() end the process before our handler can say why.  So the program
 * has a sigaction() and a signal() of its own, which drivers find before the C library's. */

/* From here on a crash while `redhost` uses an OpenCL device gives a message and exit status 3,
 * because drivers abort if memory is short, also in their own threads.  Without a device it
 * remains a crash.  exit(), called by somebody else's code, gives a message and exit status 5.
 * null: the work is done. */
void rh_crash_watch(const rh_context *context);

/* For pthread_cleanup_push(), around the work: the same for pthread_exit(). */
void rh_crash_on_thread_end(void *unused);

/* From here on the crash of this rank of a job, or exit() called by somebody else's code, gives a
 * sentence that names it, and exit status 5.  MPI and drivers have handlers of their own, so this
 * is called after they have been opened; again if something has changed.  strategy: whose code runs
 * from here on, or null.  is_watched: another rank says how this one has ended. */
void rh_crash_watch_rank(uint32_t number, const char *host, const char *strategy, int is_watched);

/* The rank ends in order. */
void rh_crash_leave_rank(void);

/* For the program itself: as sigaction() of the C library. */
int rh_signal_action(int number, const struct sigaction *action, struct sigaction *old);
/* From here on nothing else that the process loads can change what the signal does. */
void rh_signal_hold(int number);

/* Other libraries use these for messages among processes: a job's. */
void rh_signals_release_user(void);

/* Calls main(argc, argv), in a thread of its own if this stack may not grow to a usual size; and
 * returns what it returns.  Threads that are started with the default size get that size, too:
 * those of drivers and plugins among them. */
int rh_with_stack(int (*main)(int argc, char **argv), int argc, char **argv);
