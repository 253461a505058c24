/* redhost: the program. */
#include <limits.h>
#include <locale.h>
#include <sys/auxv.h>

#include "../operators/foreign/foreign.h"
#include "../tools/verify/verify.h"
#include "run.h"

static int exit_code(rh_status status) {
  switch (status) {
  case RH_OK: return 0;
  case RH_E_WRONG: return 1;
  case RH_E_USAGE: return 2;
  case RH_E_DEVICE: return 3;
  case RH_DECLINED: return 4;
  case RH_E_FILE: return 6;
  case RH_E_NOISY: return 7;
  case RH_E_CANCELLED: return 130;
  default: return 5;
  }
}

/* --bench, --tune and --plot take lists and parse them themselves. */
static int takes_devices(const rh_typed *typed) {
  return typed->mode == RH_MODE_BENCH || typed->mode == RH_MODE_TUNE;
}

static rh_status parse_problem(rh_app *app, rh_error *error) {
  const rh_typed *typed = app->typed;
  app->op = RH_OP_sum;
  if (takes_devices(typed) || typed->mode == RH_MODE_PLOT) return RH_OK;
  int is_own =
      rh_option_find("map")->value & 1u << typed->mode && rh_user_operator_is_wanted(typed);
  if (typed->texts.op && !is_own)
    RH_TRY(rh_word_parse(&rh_op_words, typed->texts.op, &app->op, error));
  if (typed->type) RH_TRY(rh_word_parse(&rh_type_words, typed->type, &app->type, error));
  return RH_OK;
}

rh_status rh_mode_version(const rh_app *app, rh_error *error) {
  if (app->typed->json) return rh_json_print(json_object(), error);
  printf("redhost %s\n", rh_version());
  return RH_OK;
}

static rh_status dispatch(const rh_app *app, rh_error *error) {
#define RH_X(mode, name) [RH_MODE_##mode] = rh_mode_##name,
  static rh_status (*const modes[])(const rh_app *app, rh_error *error) = {RH_MODES(RH_X)};
#undef RH_X
  return modes[app->typed->mode](app, error);
}

/* The path of this program, for starting children, in PATH_MAX bytes.  Prefers the target of
 * /proc/self/exe: tools such as valgrind show the program there, but executing the link would start
 * the tool. */
static const char *own_path(char *path, size_t size) {
  /* A user who may name the file may replace it. */
  if (rh_is_privileged()) return "/proc/self/exe";
  ssize_t length = readlink("/proc/self/exe", path, size - 1);
  if (length <= 0) { /* no /proc is mounted, as in a bare chroot */
    const char *name = (const char *)getauxval(AT_EXECFN);
    return name && realpath(name, path) ? path : "/proc/self/exe";
  }
  path[length] = 0;
  return access(path, X_OK) == 0 ? path : "/proc/self/exe";
}

static rh_status run_mode(const rh_typed *typed, rh_beside *beside, rh_error *error) {
  rh_app app = {.typed = typed, .beside = beside};
  char program[PATH_MAX];
  rh_options options = {
      .struct_size = sizeof options,
      .device = takes_devices(typed) ? NULL : typed->device,
      .plugin_file = typed->foreign ? typed->foreign : typed->plugin,
      .plugin_path = typed->plugin_path,
      .cache_dir = typed->cache_dir,
      .program = own_path(program, sizeof program),
      .no_cache = typed->no_cache,
      .no_measure = typed->no_measure,
      .reporter = rh_terminal_reporter,
  };
  if (typed->mode >= RH_MODE_COMPLETION) return dispatch(&app, error);
  RH_TRY(parse_problem(&app, error));
  RH_TRY(rh_context_open(&app.context, &options, &rh_choosing, error));
  app.context->looks_first = 1;
  rh_crash_watch(app.context);
  if (typed->transport) rh_signals_release_user();
  rh_status status;
  pthread_cleanup_push(rh_crash_on_thread_end, NULL);
  status = dispatch(&app, error);
  pthread_cleanup_pop(0);
  rh_crash_watch(NULL);
  rh_context_close(app.context);
  return status;
}

/* --run A,B: each as if it were alone.  The first failure is the status, in *first; others are
 * told. */
static rh_status run_one(const rh_typed *all, const char *name, rh_beside *beside,
                         rh_error *first) {
  rh_typed typed = *all;
  rh_error why = {0};
  typed.name = name;
  rh_status status = run_mode(&typed, beside, &why);
  if (status == RH_OK) return RH_OK;
  if (status != RH_E_WRONG) rh_beside_add_failure(beside, name, &why);
  if (first->status == RH_OK) *first = why;
  else if (why.message[0] && strcmp(why.message, first->message) != 0) rh_terminal_say_error(&why);
  return status;
}

static rh_status run_each(const rh_typed *typed, rh_error *error) {
  RH_FINISHED(rh_beside) beside = rh_beside_begin();
  RH_FREED(char) names = NULL;
  if ((typed->input && strcmp(typed->input, "-") == 0) || rh_wants_ranks(typed) || typed->state ||
      rh_shape_is_asked(typed))
    return rh_fail(error, RH_E_USAGE,
                   "--run '%s': standard input, ranks, --partial, --state and segments take one "
                   "strategy",
                   typed->name);
  RH_TRY(rh_list_check("--run", typed->name, error));
  RH_TRY(rh_copy(&names, typed->name, "the strategies' names", error));
  rh_status status = RH_OK;
  for (char *left = names, *name; status != RH_E_CANCELLED && (name = strsep(&left, ","));)
    status = run_one(typed, name, &beside, error);
  if (status != RH_E_CANCELLED && !typed->quiet)
    rh_beside_print(&beside, error->status ? NULL : error);
  return error->status;
}

/* Errors such as a full disk or a closed pipe may only show in the last write. */
static rh_status flush_output(rh_error *error) {
  if (fflush(stdout) == 0 && !ferror(stdout)) return RH_OK;
  return rh_fail(error, RH_E_FILE, "standard output: %s", strerror(errno));
}

/* If standard output or error is closed, the next opened file would get its descriptor.  Opens a
 * placeholder instead, on which every write fails. */
static void hold_standard_files(void) {
  for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
    if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF) continue;
    int null = open("/dev/null", O_RDONLY);
    if (null < 0 || null == fd) continue;
    dup2(null, fd);
    close(null);
  }
}

static int start(int argc, char **argv) {
  rh_typed typed;
  rh_error error = {0};
  rh_fpstate_leave(); /* a library that was preloaded may have changed it */
  /* Exceeding the file size limit (ulimit -f) must be a write error, not a signal. */
  signal(SIGXFSZ, SIG_IGN);
  /* Ignored by the parent, it would take the ends of our children, and of a driver's, from us. */
  signal(SIGCHLD, SIG_DFL);
  /* Internal modes, with which redhost starts itself to examine, run and test plugins. */
  if (argc == 2 && strcmp(argv[1], "--probe") == 0)
    return rh_probe_main(rh_op_find, rh_foreign_open);
  if (argc == 2 && strcmp(argv[1], "--look") == 0) return rh_look_main();
  if (argc == 2 && (strcmp(argv[1], "--work") == 0 || strcmp(argv[1], "--sample") == 0))
    return rh_sample_main(); /* for --run and for --bench */
  if (argc == 2 && strcmp(argv[1], "--trial") == 0) return rh_trial_main();
  if (argc == 4 && strcmp(argv[1], "--rank") == 0) return rh_rank_main(argv[2], argv[3]);
  if (argc == 2 && strcmp(argv[1], "--manual") == 0) { /* for the build */
    rh_manual_print();
    return exit_code(flush_output(&error));
  }
  hold_standard_files();
  /* Keeps the decimal point even if a driver or a plugin calls setlocale(). */
  uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
  rh_status status = rh_options_parse(&typed, argc, argv, &error);
  rh_terminal_catch_interrupt();
  if (status == RH_OK) rh_terminal_init(&typed);
  int are_several = status == RH_OK && typed.mode == RH_MODE_RUN && strchr(typed.name, ',');
  if (status == RH_OK)
    status = are_several ? run_each(&typed, &error) : run_mode(&typed, NULL, &error);
  rh_terminal_clear();
  rh_status flushed = flush_output(status == RH_OK ? &error : NULL);
  if (status == RH_OK) status = flushed;
  /* A write that failed because of the interrupt is not an error of the file. */
  if (status == RH_E_FILE && rh_terminal_was_interrupted())
    status = rh_fail(&error, RH_E_CANCELLED, "interrupted");
  if (status == RH_OK || !error.message[0]) return exit_code(status);
  rh_run_ranks_say(&typed, &error);
  return exit_code(status);
}

int main(int argc, char **argv) { return rh_with_stack(start, argc, argv); }
