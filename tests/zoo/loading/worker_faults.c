/* Strategies whose functions have the faults that --isolate protects from; otherwise they are
 * correct. */
#include <redhost/kit.h>

#include "zoo.h"
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int *volatile nowhere;
static int is_to_crash_at_exit, is_to_hang_at_exit;
static unsigned seconds_at_exit;

static void *crash(void *unused) {
  *nowhere = 1;
  return unused;
}

__attribute__((destructor)) static void zoo_on_exit(void) {
  if (seconds_at_exit) sleep(seconds_at_exit);
  if (is_to_crash_at_exit) crash(NULL);
  while (is_to_hang_at_exit) pause();
}

static const void *serve_any(const char *id) {
  return strcmp(id, RH_EXTENSION_OPERANDS) == 0 ? id : NULL;
}

#define FAULT(name_, ...)                                                                          \
  ZOO_STRATEGY_BUT(of_##name_, "worker_" #name_, .extension = serve_any, __VA_ARGS__)
/* The heads of a fault's function, which make the strategy, too. */
#define UNUSED __attribute__((unused))
#define SETUP(name_)                                                                               \
  static rh_status name_(const rh_host *, const rh_problem *, const int64_t *, void **);           \
  FAULT(name_, .setup = name_);                                                                    \
  static rh_status name_(UNUSED const rh_host *host, UNUSED const rh_problem *problem,             \
                         UNUSED const int64_t *params, UNUSED void **self)
#define RUN(name_)                                                                                 \
  static rh_status name_(void *, const rh_run *);                                                  \
  FAULT(name_, .run = name_);                                                                      \
  static rh_status name_(UNUSED void *self, UNUSED const rh_run *run)

/* A run is right after this. */
#define BEFORE_RUN(name_)                                                                          \
  static void before_##name_(void *, const rh_run *);                                              \
  RUN(name_) {                                                                                     \
    before_##name_(self, run);                                                                     \
    return zoo_run(self, run);                                                                     \
  }                                                                                                \
  static void before_##name_(UNUSED void *self, UNUSED const rh_run *run)

SETUP(crash_in_setup) {
  crash(NULL);
  return zoo_setup(host, problem, params, self);
}

static rh_status log_lines(const rh_host *host, unsigned n) {
  char text[32];
  for (unsigned k = 1; k <= n; k++) {
    snprintf(text, sizeof text, "line %u", k);
    host->log(host, RH_LOG_WARNING, text);
  }
  return RH_OK;
}

SETUP(log_much) {
  log_lines(host, 250);
  return zoo_setup(host, problem, params, self);
}

SETUP(log_for_ever) {
  while (host->log) log_lines(host, 1);
  return zoo_setup(host, problem, params, self);
}

SETUP(fail_in_setup) {
  return host->fail(host, RH_E_NOMEM, 0, "no room for the \033[31mtable\nof tiles");
}

SETUP(decline_in_setup) { return host->fail(host, RH_DECLINED, 0, "the groups are too small"); }

BEFORE_RUN(crash_in_run) { crash(NULL); }

BEFORE_RUN(abort_in_run) {
  fputs("tiles.c:7: tile > 0 does not hold\nmore of it\n", stderr);
  abort();
}

BEFORE_RUN(crash_in_thread) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, crash, NULL) == 0) pthread_join(thread, NULL);
}

BEFORE_RUN(exit_in_run) { exit(0); }

BEFORE_RUN(end_thread_in_run) { pthread_exit(NULL); }

/* A copy of the process leaves by exit(). */
BEFORE_RUN(exit_in_copy) {
  if (fork() == 0) exit(0);
}

/* Statuses that a plugin must not return. */
RUN(return_wrong) {
  zoo_run(self, run);
  return RH_E_WRONG;
}

RUN(return_77) {
  zoo_run(self, run);
  return 77;
}

RUN(decline_in_run) {
  zoo_run(self, run);
  return RH_DECLINED;
}

SETUP(return_plugin_in_setup) {
  zoo_setup(host, problem, params, self);
  return RH_E_PLUGIN;
}

BEFORE_RUN(hang_in_run) {
  while (self) pause();
}

/* The first run is correct, and a later one hangs. */
RUN(hang_later) {
  static int runs;
  return runs++ == 0 ? zoo_run(self, run) : hang_in_run(self, run);
}

BEFORE_RUN(print) {
  static int printed;
  if (!printed++) {
    printf("hello from \033[2J run\n"); /* stays in stdio's buffer until the process ends */
    fprintf(stderr, "and so on\n");
  }
}

/* More than a pipe's capacity. */
BEFORE_RUN(print_much) {
  static int lines;
  while (lines++ < 100000) puts("0123456789");
}

BEFORE_RUN(print_for_ever) {
  while (self) puts("again");
}

BEFORE_RUN(scribble) {
  for (int fd = 1; fd < 1024; fd++)
    if (write(fd, "scribble\n", 9) < 0) continue;
}

/* Writes to the low descriptors, but not to the hidden channel. */
BEFORE_RUN(scribble_low) {
  for (int fd = 1; fd < 6; fd++)
    if (write(fd, "scribble\n", 9) < 0 || ftruncate(fd, 0) != 0) continue;
}

BEFORE_RUN(close_all) {
  for (int fd = 0; fd < 1024; fd++) close(fd);
}

RUN(write_input) {
  rh_status status = zoo_run(self, run);
  memset((void *)(uintptr_t)run->host_input, 0x55, (size_t)run->n);
  return status;
}

RUN(lie) {
  memset(run->host_result, 0x11, 4);
  return RH_OK;
}

/* A valid answer of the protocol, but one line too early. */
BEFORE_RUN(forge) {
  static const char lines[] = "closed\ntaken 1e-6 host 1\n";
  for (int fd = 100; fd < 104; fd++)
    if (write(fd, lines, sizeof lines - 1) < 0) continue;
}

BEFORE_RUN(leave_orphan) {
  static int left;
  if (!left++ && fork() == 0)
    for (;;) pause();
}

RUN(hang_with_orphan) {
  leave_orphan(self, run);
  return hang_in_run(self, run);
}

/* A process in the same group, one in its own session, and an orphan. */
RUN(hang_with_daemons) {
  for (int kind = 0; kind < 3; kind++) {
    if (fork() != 0) continue;
    if (kind > 0) setsid();
    if (kind > 1 && fork() != 0) _exit(0);
    for (;;) pause();
  }
  return hang_in_run(self, run);
}

BEFORE_RUN(crash_at_exit) { is_to_crash_at_exit = 1; }

RUN(crash_late_at_exit) {
  seconds_at_exit = 1;
  return crash_at_exit(self, run);
}

BEFORE_RUN(hang_at_exit) { is_to_hang_at_exit = 1; }

static void crash_in_teardown(void *self) {
  (void)self;
  crash(NULL);
}

FAULT(right, .run = zoo_run);
FAULT(crash_in_teardown, .teardown = crash_in_teardown);

LISTED_PLUGIN(.abi_minor = RH_ABI_MINOR, .min_host_minor = 2);
