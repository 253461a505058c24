/* Plugins that do harm as soon as they are loaded, otherwise right: one for each VARIANT. */
#include "../rounding.h"
#include "zoo.h"
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__) || defined(__i386__)
#include <xmmintrin.h>
#endif

#define VARIANT(name_) __attribute__((unused)) static void name_(void)

/* V10 crash: A constructor that aborts, like a static initialiser that throws. */
VARIANT(abort_on_load) { abort(); }

/* V13: blocks a signal when it is loaded. */
VARIANT(blocks_signals) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  sigprocmask(SIG_BLOCK, &set, NULL);
}

/* V13: changes the working directory when it is loaded. */
VARIANT(changes_directory) {
  if (chdir("/proc/self")) return;
}

/* V13: changes the umask when it is loaded. */
VARIANT(changes_umask) { umask(umask(0) ^ 0007); }

/* V10 crash: A constructor that dereferences null. */
VARIANT(crash_on_load) {
  volatile int *volatile nowhere = NULL;
  *nowhere = 1;
}

/* V13: a constructor leaves a daemon behind: two forks and setsid(). */
VARIANT(daemon_on_load) {
  pid_t child = fork();
  if (child) {
    waitpid(child, NULL, 0);
    return;
  }
  setsid();
  if (fork() != 0) _exit(0);
  alarm(60);
  for (;;) pause();
}

/* V10 timeout: A constructor that starts processes, two of them in their own sessions and one
 * orphaned, and never returns. */
VARIANT(daemons) {
  volatile int for_ever = 1;
  for (int kind = 0; kind < 3; kind++) {
    if (fork() != 0) continue;
    if (kind > 0) setsid();
    if (kind > 1 && fork() != 0) _exit(0);
    while (for_ever) pause();
  }
  while (for_ever) pause();
}

/* V10 crash: A constructor that ends the process with status 0. */
VARIANT(exit_on_load) { exit(0); }

/* V10: writes to every open descriptor without end. */
VARIANT(flood) {
  static char much[1 << 16];
  memset(much, 'x', sizeof much);
  for (ssize_t wrote = 1; wrote > 0;) {
    wrote = 0;
    for (int fd = 3; fd < 1024; fd++)
      if (write(fd, much, sizeof much) > 0) wrote = 1;
  }
}

/* V10 timeout: A constructor that never returns. */
VARIANT(hang_on_load) {
  volatile int for_ever = 1;
  while (for_ever) {}
}

/* V13: changes a signal's disposition when it is loaded. */
VARIANT(ignores_sigpipe) {
  struct sigaction now;
  if (sigaction(SIGPIPE, NULL, &now) == 0)
    signal(SIGPIPE, now.sa_handler == SIG_IGN ? SIG_DFL : SIG_IGN);
}

/* V10 timeout: A constructor that creates a new process group, which a kill of the old one misses,
 * and never returns. */
VARIANT(leaves_group) {
  volatile int for_ever = 1;
  setpgid(0, 0);
  while (for_ever) {}
}

static int kept;

/* V13: opens a file when it is loaded, and does not close it. */
VARIANT(opens_a_file) { kept = open("/dev/null", O_RDONLY); }

/* V10 crash: leaves a process behind that keeps every descriptor open, and then crashes. */
VARIANT(orphan) {
  if (fork() == 0) {
    sleep(1000);
    _exit(0);
  }
  volatile int *volatile nowhere = NULL;
  *nowhere = 1;
}

/* V11: changes the rounding mode when it is loaded. */
VARIANT(rounds_on_load) { round_upward(); }

/* V10: writes into every descriptor that is open. */
VARIANT(scribbler) {
  for (int fd = 3; fd < 1024; fd++)
    if (write(fd, "scribble\n", 9) < 0) continue;
}

/* V11: sets flush-to-zero when it is loaded, like crtfastmath.o in objects that are linked with
 * -ffast-math. */
VARIANT(sets_ftz) {
#if defined(__x86_64__) || defined(__i386__)
  _mm_setcsr(_mm_getcsr() | 0x8040u);
#elif defined(__aarch64__)
  uint64_t fpcr;
  __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
  fpcr |= 1ull << 24;
  __asm__ volatile("msr fpcr, %0" : : "r"(fpcr));
#else
  round_upward();
#endif
}

/* V12: changes the locale when it is loaded. */
VARIANT(sets_locale) {
  const char *now = setlocale(LC_ALL, NULL);
  setlocale(LC_ALL, now && strcmp(now, "C") == 0 ? "C.UTF-8" : "C");
}

/* V13: sets an environment variable when it is loaded. */
VARIANT(sets_variable) { setenv("ZOO_WAS_HERE", "1", 1); }

/* V10 warn: slow to load; otherwise correct.  It must not be blamed for time_bomb. */
VARIANT(slow_to_load) {
  const struct timespec a_while = {.tv_nsec = 300000000};
  nanosleep(&a_while, NULL);
}

static void *wait_for_ever(void *nothing) {
  pause();
  return nothing;
}

/* V13: starts a thread when it is loaded. */
VARIANT(starts_a_thread) {
  pthread_t thread;
  pthread_create(&thread, NULL, wait_for_ever, NULL);
}

/* Ends the process a moment after it was examined, during the examination of another plugin. */
VARIANT(time_bomb) {
  const struct itimerval soon = {.it_value = {.tv_usec = 100000}};
  setitimer(ITIMER_REAL, &soon, NULL);
}

ZOO_STRATEGY(strategy, ZOO_NAME(ZOO_VARIANT), zoo_query);
ZOO_PLUGIN;

ZOO_ON_LOAD { ZOO_VARIANT(); }
