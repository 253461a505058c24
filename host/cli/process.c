#include <stdatomic.h>
#include <sys/resource.h>

#include "app.h"

/* ---- Signals ---- */

static volatile sig_atomic_t is_held[_NSIG];

void rh_signal_hold(int number) { is_held[number] = 1; }

void rh_signals_release_user(void) { is_held[SIGUSR1] = is_held[SIGUSR2] = 0; }

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

extern int __sigaction(int number, const struct sigaction *action, struct sigaction *old);

int rh_signal_action(int number, const struct sigaction *action, struct sigaction *old) {
  return __sigaction(number, action, old);
}

/* A caller reads the action of a held signal, and believes that it has set its own. */
__attribute__((visibility("default"))) int sigaction(int number, const struct sigaction *action,
                                                     struct sigaction *old) {
  int held = number > 0 && number < _NSIG && is_held[number];
  return __sigaction(number, held ? NULL : action, old);
}

__attribute__((visibility("default"))) sighandler_t signal(int number, sighandler_t handler) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART}, old;
  return sigaction(number, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}

#else

int rh_signal_action(int number, const struct sigaction *action, struct sigaction *old) {
  return sigaction(number, action, old);
}

#endif

/* ---- Crashes ---- */

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

/* The texts up to null.  A handler has no other way to put a message together. */
static void write_texts(const char *text, ...) {
  va_list more;
  va_start(more, text);
  for (; text; text = va_arg(more, const char *))
    if (write(STDERR_FILENO, text, strlen(text)) < 0) _exit(3);
  va_end(more);
}

/* " (signal 11)"; 0: "" */
static const char *signal_text(int number) {
  static char text[] = " (signal 00)", *digit = text + 9;
  if (!number) return "";
  if (number >= 10) *digit++ = (char)('0' + number / 10);
  *digit++ = (char)('0' + number % 10);
  memcpy(digit, ")", 2);
  return text;
}

static int is_rank(void) { return here.is_open && getpid() == watcher; }

/* `number`: of the signal, or 0 and how it ended otherwise.  Several ranks may end for one reason:
 * one says so. */
__attribute__((noreturn)) static void end_rank(int number, const char *how) {
  if (rh_word_take())
    write_texts("redhost: ", here.name, how, signal_text(number), here.what, "; all ranks end.\n",
                NULL);
  rh_word_hold(); /* mpirun ends all as soon as one has ended, also the one that still writes */
  _exit(RH_RANK_LOST_STATUS);
}

static void on_crash(int number) {
  const rh_context *context = watched;
  static atomic_flag taken = ATOMIC_FLAG_INIT;
  if (is_rank() ? here.is_watched : here.is_open || !context || !context->device) {
    const struct sigaction usual = {.sa_handler = SIG_DFL};
    rh_signal_action(number, &usual, NULL);
    raise(number);
    return;
  }
  /* If several threads crash, only the first writes the message. */
  while (atomic_flag_test_and_set(&taken)) pause();
  if (is_rank()) end_rank(number, " crashed");
  write_texts("redhost: the process crashed", signal_text(number), " while device ",
              context->device->label, " was in use, in its driver or in a strategy", limits, ".\n",
              NULL);
  _exit(3);
}

/* Somebody else's code ends the process, or the thread in which all is done. */
static void on_end(const char *how) {
  if (getpid() != watcher) return;
  if (here.is_open && !here.is_watched) end_rank(0, how);
  if (here.is_open || !watched) return;
  write_texts("redhost: the process", how,
              ", in a strategy or a driver, before its work was done.\n", NULL);
  _exit(5);
}

static void on_exit_call(void) { on_end(" was ended by a call of exit()"); }

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
  const struct sigaction action = {.sa_handler = on_crash, .sa_flags = SA_ONSTACK};
  sigaltstack(&other, NULL);
  for (size_t k = 0; k < n; k++) rh_signal_action(numbers[k], &action, NULL);
}

void rh_crash_watch(const rh_context *context) {
  static const int numbers[] = {SIGABRT, SIGSEGV, SIGILL, SIGFPE};
  /* From here on nothing that the process loads can change what the signals do that end a process
   * from outside, or by abort().  Signals of faults are left out: a driver's handler may mend what
   * an instruction did, and LLVM's lets it be repeated under ours. */
  static const int held[] = {SIGABRT, SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGPIPE,
                             SIGUSR1, SIGUSR2, SIGXCPU, SIGXFSZ, SIGTRAP, SIGSYS};
  RH_FINISHED(rh_text) text = {0};
  watched = context;
  if (context) watch_exit();
  if (SANITIZED || !context) return;
  rh_drivers_limits(&text);
  snprintf(limits, sizeof limits, "%s", rh_text_get(&text));
  handle(numbers, sizeof numbers / sizeof *numbers);
  for (size_t k = 0; k < sizeof held / sizeof *held; k++) rh_signal_hold(held[k]);
}

/* Not SIGFPE: PoCL's handler lets kernels divide integers by zero. */
void rh_crash_watch_rank(uint32_t number, const char *host, const char *strategy, int is_watched) {
  static const int numbers[] = {SIGABRT, SIGSEGV, SIGILL, SIGBUS};
  snprintf(here.name, sizeof here.name, "rank %u (host %s)", number, host);
  if (strategy) snprintf(here.what, sizeof here.what, " while strategy '%s' was in use", strategy);
  else snprintf(here.what, sizeof here.what, " before a strategy was in use");
  here.is_watched = is_watched;
  here.is_open = 1;
  watch_exit();
  if (!SANITIZED) handle(numbers, sizeof numbers / sizeof *numbers);
}

void rh_crash_leave_rank(void) { here.is_open = 0; }

/* ---- The stack ---- */

enum { ENOUGH = 1 << 20, USUAL = 8 << 20 };

typedef struct call {
  int (*main)(int argc, char **argv);
  int argc, status;
  char **argv;
} call;

static void *call_main(void *of) {
  call *self = of;
  self->status = self->main(self->argc, self->argv);
  return NULL;
}

static void enlarge_threads(void) {
#ifdef __GLIBC__
  pthread_attr_t attributes;
  size_t size;
  if (pthread_getattr_default_np(&attributes) != 0) return;
  if (pthread_attr_getstacksize(&attributes, &size) == 0 && size < ENOUGH &&
      pthread_attr_setstacksize(&attributes, USUAL) == 0)
    pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
#endif
}

int rh_with_stack(int (*main)(int argc, char **argv), int argc, char **argv) {
  struct rlimit limit;
  pthread_attr_t attributes;
  pthread_t thread;
  call all = {main, argc, 0, argv};
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= ENOUGH) return main(argc, argv);
  enlarge_threads();
  pthread_attr_init(&attributes);
  int failed = pthread_attr_setstacksize(&attributes, USUAL) ||
               pthread_create(&thread, &attributes, call_main, &all);
  pthread_attr_destroy(&attributes);
  if (failed) return main(argc, argv);
  pthread_join(thread, NULL);
  return all.status;
}
