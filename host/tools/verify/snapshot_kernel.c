/* The parts of the snapshot that are per-process settings in the kernel. */
#include "../../core/base/fpstate.h"
#include "lines.h"
#include "snapshot.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

/* Calls `take` with each line of a file, without its newline. */
static void each_line(const char *path, void (*take)(rh_text *to, char *line), rh_text *to) {
  char *line = NULL;
  size_t capacity = 0;
  FILE *file = fopen(path, "re");
  while (file && getline(&line, &capacity, file) > 0) {
    line[strcspn(line, "\n")] = 0;
    take(to, line);
  }
  if (file) fclose(file);
  free(line);
}

/* ---- Signals and timers ---- */

enum { SIGNALS = 64, KERNEL_SET_BYTES = 8 };

/* libc installs its own handlers for these two when a thread is cancelled or ids are set. */
static int is_libcs(int number) {
  return number == 32 || number == 33;
}

static void signal_key(char *key, size_t bytes, int number) {
  snprintf(key, bytes, "signal %d (%s)", number, strsignal(number));
}

/* All that are not the default.  The kernel's struct begins with the handler everywhere but on
 * MIPS; the rest is compared byte by byte. */
void rh_take_actions(rh_text *to) {
  for (int number = 1; number <= SIGNALS; number++) {
    unsigned long words[8] = {0};
    char key[96];
    if (is_libcs(number) || syscall(SYS_rt_sigaction, number, NULL, words, KERNEL_SET_BYTES) != 0)
      continue;
    if (words[0] == (unsigned long)SIG_DFL) continue;
    signal_key(key, sizeof key, number);
    rh_lines_add(to, key, "%s by %lx, %lx %lx %lx",
                 words[0] == (unsigned long)SIG_IGN ? "ignored" : "handled", words[0], words[1],
                 words[2], words[3]);
  }
}

void rh_take_mask(rh_text *to) {
  uint64_t mask = 0;
  char key[96];
  syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &mask, KERNEL_SET_BYTES);
  for (int number = 1; number <= SIGNALS; number++) {
    if (!(mask >> (number - 1) & 1)) continue;
    signal_key(key, sizeof key, number);
    rh_lines_add(to, key, "blocked");
  }
}

void rh_take_stack(rh_text *to) {
  stack_t stack;
  if (sigaltstack(NULL, &stack) != 0) return;
  if (stack.ss_flags & SS_DISABLE)
    rh_lines_add(to, "signal stack", "none");
  else
    rh_lines_add(to, "signal stack", "%zu bytes at %p", stack.ss_size, stack.ss_sp);
}

static void take_timer_line(rh_text *to, char *line) {
  char key[64];
  if (strncmp(line, "ID:", 3) != 0) return;
  snprintf(key, sizeof key, "timer %.32s", line + 3);
  rh_lines_add(to, key, "there");
}

/* The remaining time changes by itself, so only whether a timer runs is recorded. */
void rh_take_timers(rh_text *to) {
  static const struct {
    enum __itimer_which which;
    const char *key;
  } timers[] = {{ITIMER_REAL, "alarm"},
                {ITIMER_VIRTUAL, "timer of CPU time"},
                {ITIMER_PROF, "timer of CPU and system time"}};
  for (size_t k = 0; k < sizeof timers / sizeof *timers; k++) {
    struct itimerval value;
    if (getitimer(timers[k].which, &value) != 0) continue;
    int is_set = value.it_value.tv_sec || value.it_value.tv_usec;
    rh_lines_add(to, timers[k].key, "%s, every %ld.%06ld s", is_set ? "pending" : "none",
                 (long)value.it_interval.tv_sec, (long)value.it_interval.tv_usec);
  }
  each_line("/proc/self/timers", take_timer_line, to);
}

/* ---- What the kernel keeps of a process ---- */

static void take_status_line(rh_text *to, char *line) {
  static const char *const keys[] = {"Name",       "Umask",   "Uid",
                                     "Gid",        "VmLck",   "CapEff",
                                     "NoNewPrivs", "Seccomp", "Cpus_allowed_list"};
  char *value = strchr(line, ':');
  if (!value) return;
  *value++ = 0;
  value += strspn(value, " \t");
  for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
    if (strcmp(keys[k], line) == 0) rh_lines_add(to, line, "%s", value);
}

/* A page is mapped meanwhile, because mlockall(MCL_FUTURE) affects new mappings only. */
void rh_take_status(rh_text *to) {
  enum { PAGE = 4096 };
  void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  each_line("/proc/thread-self/status", take_status_line, to);
  if (page != MAP_FAILED) munmap(page, PAGE);
}

void rh_take_settings(rh_text *to) {
  int death = 0;
  prctl(PR_GET_PDEATHSIG, &death);
  rh_lines_add(to, "dumpable", "%d", prctl(PR_GET_DUMPABLE));
  rh_lines_add(to, "signal when the parent ends", "%d", death);
  rh_lines_add(to, "process group", "%d", (int)getpgrp());
  rh_lines_add(to, "session", "%d", (int)getsid(0));
}

/* "Max open files            1024                 4096                 files" */
static void take_limit_line(rh_text *to, char *line) {
  enum { KEY = 26 };
  size_t end = KEY;
  if (strlen(line) <= KEY || strncmp(line, "Limit", 5) == 0) return;
  while (end && line[end - 1] == ' ') end--;
  char *value = line + KEY;
  line[end] = 0;
  for (char *at = value + strlen(value); at > value && at[-1] == ' '; at--) at[-1] = 0;
  rh_lines_add(to, line, "%s", value);
}

void rh_take_limits(rh_text *to) {
  each_line("/proc/self/limits", take_limit_line, to);
}

void rh_take_scheduling(rh_text *to) {
  struct sched_param priority = {0};
  sched_getparam(0, &priority);
  rh_lines_add(to, "nice", "%d", getpriority(PRIO_PROCESS, 0));
  rh_lines_add(to, "policy", "%d, priority %d", sched_getscheduler(0), priority.sched_priority);
}

void rh_take_floating(rh_text *to) {
  rh_fpstate state = rh_fpstate_save();
  rh_lines_add(to, "control word", "%#x %#x", state.words[0], state.words[1]);
}
