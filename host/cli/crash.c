#include "crash.h"
#include "../core/cl/drivers.h"
#include "../engine/ranks/ranks.h"
#include "../engine/ranks/word.h"
#include "signals.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
enum { SANITIZED = 1 }; /* a sanitizer's report is more detailed */
#else
enum { SANITIZED = 0 };
#endif

static const rh_context *volatile watched;
static pid_t watcher; /* this process; not that of a copy that a strategy has forked */
/* Formatted in advance, because a handler must not allocate memory. */
static char limits[512];

static struct {
  volatile sig_atomic_t is_open, is_watched;
  char name[128], what[128]; /* "rank 1 (host a)", " while strategy 's' was in use" */
} here;

static void write_text(const char *text) {
  if (write(STDERR_FILENO, text, strlen(text)) < 0) _exit(3);
}

static void write_signal(int number) {
  char digits[3] = {(char)('0' + number / 10), (char)('0' + number % 10), 0};
  write_text(" (signal ");
  write_text(number < 10 ? digits + 1 : digits);
  write_text(")");
}

static int is_rank(void) {
  return here.is_open && getpid() == watcher;
}

static void end_as_usual(int number) {
  const struct sigaction usual = {.sa_handler = SIG_DFL};
  rh_signal_action(number, &usual, NULL);
  raise(number);
}

/* `number`: of the signal, or 0 and how it ended otherwise.  Several ranks may end for one reason:
 * one says so. */
static void end_rank(int number, const char *how) {
  if (here.is_watched) {
    end_as_usual(number);
    return;
  }
  if (rh_word_take()) {
    write_text("redhost: ");
    write_text(here.name);
    write_text(how);
    if (number) write_signal(number);
    write_text(here.what);
    write_text("; all ranks end.\n");
  }
  rh_word_hold(); /* mpirun ends all as soon as one has ended, also the one that still writes */
  _exit(RH_RANK_LOST_STATUS);
}

static void on_crash(int number) {
  const rh_context *context = watched;
  static atomic_flag taken = ATOMIC_FLAG_INIT;
  if (!is_rank() && (here.is_open || !context || !context->device)) {
    end_as_usual(number);
    return;
  }
  /* If several threads crash, only the first writes the message. */
  while (atomic_flag_test_and_set(&taken)) pause();
  if (is_rank()) {
    end_rank(number, " crashed");
    return;
  }
  write_text("redhost: the process crashed");
  write_signal(number);
  write_text(" while device ");
  write_text(context->device->label);
  write_text(" was in use, in its driver or in a strategy");
  write_text(limits);
  write_text(".\n");
  _exit(3);
}

/* Somebody else's code ends the process, or the thread in which all is done. */
static void on_end(const char *how) {
  if (getpid() != watcher) return;
  if (here.is_open) {
    if (!here.is_watched) end_rank(0, how);
    return;
  }
  if (!watched) return;
  write_text("redhost: the process");
  write_text(how);
  write_text(", in a strategy or a driver, before its work was done.\n");
  _exit(5);
}

static void on_exit_call(void) {
  on_end(" was ended by a call of exit()");
}

static void watch_exit(void) {
  static int is_known;
  watcher = getpid();
  if (!is_known) atexit(on_exit_call);
  is_known = 1;
}

void rh_crash_on_thread_end(void *unused) {
  (void)unused;
  on_end(" lost its thread by a call of pthread_exit()");
}

static void handle(const int *numbers, size_t n) {
  static char stack[1 << 14]; /* the normal stack may have overflowed */
  const stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
  struct sigaction action = {.sa_handler = on_crash, .sa_flags = SA_ONSTACK};
  sigaltstack(&other, NULL);
  sigemptyset(&action.sa_mask);
  for (size_t k = 0; k < n; k++) rh_signal_action(numbers[k], &action, NULL);
}

void rh_crash_watch(const rh_context *context) {
  static const int numbers[] = {SIGABRT, SIGSEGV, SIGILL, SIGFPE};
  rh_text text = {0};
  watched = context;
  if (context) watch_exit();
  if (SANITIZED || !context) return;
  rh_cl_drivers_limits(&text);
  snprintf(limits, sizeof limits, "%s", rh_text_get(&text));
  rh_text_finish(&text);
  handle(numbers, sizeof numbers / sizeof *numbers);
  rh_signals_hold();
}

/* Not SIGFPE: PoCL's handler lets kernels divide integers by zero. */
void rh_crash_watch_rank(const rh_crash_rank *rank) {
  static const int numbers[] = {SIGABRT, SIGSEGV, SIGILL, SIGBUS};
  snprintf(here.name, sizeof here.name, "rank %u (host %s)", rank->number, rank->host);
  if (rank->strategy)
    snprintf(here.what, sizeof here.what, " while strategy '%s' was in use", rank->strategy);
  else
    snprintf(here.what, sizeof here.what, " before a strategy was in use");
  here.is_watched = rank->is_watched;
  here.is_open = 1;
  watch_exit();
  if (!SANITIZED) handle(numbers, sizeof numbers / sizeof *numbers);
}

void rh_crash_leave_rank(void) {
  here.is_open = 0;
}
