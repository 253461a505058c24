/* V58: what a phase does to the process. */
#include "state.h"

#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

IN_RUN(blocks_in_run, "V58: blocks a signal by a raw system call in run") {
  const uint64_t mask = (uint64_t)1 << (SIGTERM - 1);
  syscall(SYS_rt_sigprocmask, SIG_BLOCK, &mask, NULL, 8);
}

IN_RUN(closes_input, "V58: closes standard input in run") { close(0); }

/* V58: leaves a daemon behind in the first setup: two forks and setsid(). */
static long daemon_fork_raw(void) { return syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL); }

IN_SETUP(daemon, "leaves a daemon behind in the first setup") {
  static int has_forked;
  if (has_forked) return;
  has_forked = 1;
  long child = daemon_fork_raw();
  if (child) {
    waitpid((pid_t)child, NULL, 0);
    return;
  }
  setsid();
  if (daemon_fork_raw() != 0) _exit(0);
  alarm(60);
  for (;;) pause();
}

/* V58: leaves a file open after a failed setup. */
BUT_SETUP(descriptor_on_failure) {
  int file = open("/dev/null", O_RDONLY | O_CLOEXEC);
  RH_TRY(right_setup(host, problem, values, instance));
  close(file);
  return RH_OK;
}

IN_RUN(descriptor_per_run, "V58: every run duplicates a descriptor") {
  if (dup(0) < 0) return;
}

IN_SETUP(forks, "V58: leaves a child process behind in the first setup") {
  static int has_forked;
  if (has_forked || daemon_fork_raw() != 0) {
    has_forked = 1;
    return;
  }
  alarm(60);
  for (;;) pause();
}

IN_TEARDOWN(ignores_sigsegv, "V58: ignores SIGSEGV from teardown on") { signal(SIGSEGV, SIG_IGN); }

IN_RUN(interval_timer, "V58: starts an interval timer in run") {
  const struct itimerval long_from_now = {.it_value = {.tv_sec = 1000}};
  setitimer(ITIMER_PROF, &long_from_now, NULL);
}

IN_SETUP(keeps_descriptor, "V58: opens a file in the first setup and never closes it") {
  static int file = -1;
  if (file < 0) file = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
}

IN_SETUP(keeps_file_mapped, "V58: maps a file in the first setup and leaves it mapped") {
  static void *mapped;
  if (mapped) return;
  int file = memfd_create("zoo", MFD_CLOEXEC);
  if (ftruncate(file, 4096) == 0)
    mapped = (void *)syscall(SYS_mmap, NULL, 4096, PROT_READ, MAP_SHARED, file, 0);
  close(file);
}

IN_SETUP(keeps_memory_mapped, "V58: maps memory in the first setup and leaves it mapped") {
  static void *mapped;
  if (!mapped)
    mapped = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* V58: its kernel prints. */
BUT_SETUP(kernel_prints) {
  const char *source = RIGHT_KERNEL(WALK, STORE " if (lid == 0) printf(\"done\\n\");");
  return right_setup_of(host, problem, source, instance);
}

IN_RUN(late_umask, "V58: changes the umask in its 57th run, and in no other") {
  static int runs;
  if (++runs == 57) umask(0);
}

IN_SETUP(locks_future, "V58: locks all future memory in setup") { mlockall(MCL_FUTURE); }

IN_SETUP(locks_memory, "V58: locks a page into memory in setup") {
  static char page[8192];
  mlock(page, 4096);
}

IN_SETUP(lowers_limit, "V58: lowers the limit of open files in setup") {
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur--;
  setrlimit(RLIMIT_NOFILE, &limit);
}

IN_TEARDOWN(lowers_priority, "V58: lowers the process's priority in teardown") {
  if (nice(1) == -1) return;
}

IN_RUN(memory_per_run_raw, "V58: every run maps memory by a raw system call and forgets ") {
  syscall(SYS_mmap, NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

IN_SETUP(no_new_privileges, "V58: gives up new privileges in setup") {
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

IN_SETUP(not_dumpable, "V58: makes the process undumpable in setup") { prctl(PR_SET_DUMPABLE, 0); }

IN_RUN(pins_thread, "V58: pins the caller's thread to one CPU in run") {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET((size_t)sched_getcpu(), &one);
  sched_setaffinity(0, sizeof one, &one);
}

IN_SETUP(posix_timer, "V58: creates a timer in setup and never deletes it") {
  timer_t timer;
  struct sigevent nothing = {.sigev_notify = SIGEV_NONE};
  timer_create(CLOCK_MONOTONIC, &nothing, &timer);
}

IN_SETUP(prints_in_setup, "V58: prints to standard error in the first setup") {
  static int has_printed;
  if (!has_printed++) fputs("set up\n", stderr);
}

IN_TEARDOWN(process_locale, "V58: changes the locale of the process in teardown") {
  setlocale(LC_ALL, "C.UTF-8");
}

IN_RUN(puts_in_run, "V58: prints to standard output in run") { fputs("a run\n", stdout); }

IN_SETUP(raw_chdir, "V58: changes the working directory by a raw system call in s") {
  syscall(SYS_chdir, "/");
}

IN_SETUP(raw_sigaction, "V58: ignores SIGINT by a raw system call in setup") {
  const unsigned long action[8] = {(unsigned long)SIG_IGN};
  syscall(SYS_rt_sigaction, SIGINT, action, NULL, 8);
}

IN_RUN(raw_umask, "V58: changes the umask by a raw system call in run") { syscall(SYS_umask, 0); }

IN_SETUP(rebuffers_output, "V58: makes standard output unbuffered in setup") {
  setvbuf(stdout, NULL, _IONBF, 0);
}

IN_RUN(renames_thread, "V58: renames the caller's thread in run") { prctl(PR_SET_NAME, "zoo"); }

IN_SETUP(replaces_input, "V58: puts another file in place of standard input in setup") {
  int other = open("/dev/zero", O_RDONLY | O_CLOEXEC);
  dup2(other, 0);
  close(other);
}

IN_SETUP(sets_alarm, "V58: sets an alarm in setup that fires long after the run") { alarm(1000); }

IN_SETUP(signal_stack, "V58: sets a signal stack for its thread in setup") {
  static char memory[1 << 16];
  const stack_t stack = {.ss_sp = memory, .ss_size = sizeof memory};
  sigaltstack(&stack, NULL);
}

IN_RUN(thread_locale, "V58: gives its thread another locale in run") {
  uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

/* V58: the first run starts a thread that never ends. */
static void *wait_for_ever(void *nothing) {
  for (;;) pause();
  return nothing;
}

IN_RUN(thread_once, "the first run starts a thread that never ends") {
  static int is_started;
  pthread_t thread;
  if (!is_started && pthread_create(&thread, NULL, wait_for_ever, NULL) == 0)
    pthread_detach(thread);
  is_started = 1;
}

IN_RUN(time_zone, "V58: changes the time zone in run, and restores the variable only") {
  setenv("TZ", "Asia/Tokyo", 1);
  tzset();
  unsetenv("TZ");
}

IN_SETUP(unblocks_input, "V58: makes standard input non-blocking in setup") {
  fcntl(0, F_SETFL, O_NONBLOCK);
}

IN_SETUP(unsets_variable, "V58: removes an environment variable in setup") { unsetenv("HOME"); }

IN_SETUP(writable_code, "V58: maps memory that is writable and executable in the firs") {
  static int is_mapped;
  const int all = PROT_READ | PROT_WRITE | PROT_EXEC;
  if (!is_mapped) syscall(SYS_mmap, NULL, 4096, all, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  is_mapped = 1;
}

IN_TEARDOWN(writes_in_teardown, "V58: writes to standard output by a raw system call in teard") {
  syscall(SYS_write, 1, "x", 1);
}

IN_TEARDOWN(zombie, "V58: starts a process in teardown and does not wait for it") {
  if (daemon_fork_raw() == 0) _exit(0);
}

RIGHT_PLUGIN;
