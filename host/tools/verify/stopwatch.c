#include "stopwatch.h"
#include "../../core/base/clock.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <time.h>

enum { NAME = 320, LEAST_MS = 50 };

/* Calls `use` for each process that the main thread of `pid` has started: a process that redhost
 * starts works in its own child (guard.h). */
static void each_child(pid_t pid, void (*use)(pid_t, void *), void *user) {
  char path[NAME];
  int child;
  snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
  FILE *children = fopen(path, "re");
  while (children && fscanf(children, "%d", &child) == 1) use(child, user);
  if (children) fclose(children);
}

/* ---- Processor time ---- */

static void add_busy(pid_t pid, void *total) {
  clockid_t clock;
  struct timespec used;
  if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &used) != 0) return;
  *(double *)total += (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

double rh_busy_s(pid_t pid) {
  double total = 0;
  each_child(pid, add_busy, &total);
  return total;
}

/* ---- Waiting for a processor ---- */

typedef struct shares {
  double ran_s, waited_s;
} shares;

/* Sums over the threads that exist now. */
static void add_shares(pid_t pid, void *user) {
  shares *sum = user;
  char path[NAME];
  snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
  DIR *threads = opendir(path);
  for (struct dirent *one; threads && (one = readdir(threads));) {
    unsigned long long ran, waited;
    if (!isdigit((unsigned char)one->d_name[0])) continue;
    snprintf(path, sizeof path, "/proc/%d/task/%.20s/schedstat", (int)pid, one->d_name);
    FILE *file = fopen(path, "re");
    if (file && fscanf(file, "%llu %llu", &ran, &waited) == 2) {
      sum->ran_s += 1e-9 * (double)ran;
      sum->waited_s += 1e-9 * (double)waited;
    }
    if (file) fclose(file);
  }
  if (threads) closedir(threads);
}

static shares shares_of(pid_t pid) {
  shares sum = {0};
  add_shares(pid, &sum);
  each_child(pid, add_shares, &sum);
  return sum;
}

void rh_stopwatch_start(rh_stopwatch *watch, pid_t pid) {
  shares now = shares_of(pid);
  *watch =
      (rh_stopwatch){.pid = pid, .looked = rh_now(), .ran_s = now.ran_s, .waited_s = now.waited_s};
}

double rh_stopwatch_read(rh_stopwatch *watch) {
  double now = rh_now(), passed = now - watch->looked;
  if (passed < 1e-3 * LEAST_MS) return watch->passed_s;
  shares sum = shares_of(watch->pid);
  /* The sums drop when a thread ends. */
  double ran = sum.ran_s > watch->ran_s ? sum.ran_s - watch->ran_s : 0;
  double waited = sum.waited_s > watch->waited_s ? sum.waited_s - watch->waited_s : 0;
  watch->passed_s += waited > 0 ? passed * ran / (ran + waited) : passed;
  watch->looked = now;
  watch->ran_s = sum.ran_s;
  watch->waited_s = sum.waited_s;
  return watch->passed_s;
}
