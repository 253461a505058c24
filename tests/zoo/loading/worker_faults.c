/* Strategies whose functions have the faults that --isolate protects from; otherwise they are
 * correct. */
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

static rh_status crash_in_setup(const rh_host *host, const rh_problem *problem,
                                const int64_t *params, void **self) {
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

static rh_status log_much(const rh_host *host, const rh_problem *problem, const int64_t *params,
                          void **self) {
  log_lines(host, 250);
  return zoo_setup(host, problem, params, self);
}

static rh_status log_for_ever(const rh_host *host, const rh_problem *problem, const int64_t *params,
                              void **self) {
  while (host->log) log_lines(host, 1);
  return zoo_setup(host, problem, params, self);
}

static rh_status fail_in_setup(const rh_host *host, const rh_problem *problem,
                               const int64_t *params, void **self) {
  (void)problem;
  (void)params;
  (void)self;
  return host->fail(host, RH_E_NOMEM, 0, "no room for the \033[31mtable\nof tiles");
}

static rh_status decline_in_setup(const rh_host *host, const rh_problem *problem,
                                  const int64_t *params, void **self) {
  (void)problem;
  (void)params;
  (void)self;
  return host->fail(host, RH_DECLINED, 0, "the groups are too small");
}

static rh_status crash_in_run(void *self, const rh_run *run) {
  crash(NULL);
  return zoo_run(self, run);
}

static rh_status abort_in_run(void *self, const rh_run *run) {
  fputs("tiles.c:7: tile > 0 does not hold\nmore of it\n", stderr);
  abort();
  return zoo_run(self, run);
}

static rh_status crash_in_thread(void *self, const rh_run *run) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, crash, NULL) == 0) pthread_join(thread, NULL);
  return zoo_run(self, run);
}

static rh_status exit_in_run(void *self, const rh_run *run) {
  exit(0);
  return zoo_run(self, run);
}

static rh_status end_thread_in_run(void *self, const rh_run *run) {
  pthread_exit(NULL);
  return zoo_run(self, run);
}

/* A copy of the process leaves by exit(). */
static rh_status exit_in_copy(void *self, const rh_run *run) {
  if (fork() == 0) exit(0);
  return zoo_run(self, run);
}

/* Statuses that a plugin must not return. */
static rh_status return_wrong(void *self, const rh_run *run) {
  zoo_run(self, run);
  return RH_E_WRONG;
}

static rh_status return_77(void *self, const rh_run *run) {
  zoo_run(self, run);
  return 77;
}

static rh_status decline_in_run(void *self, const rh_run *run) {
  zoo_run(self, run);
  return RH_DECLINED;
}

static rh_status return_plugin_in_setup(const rh_host *host, const rh_problem *problem,
                                        const int64_t *params, void **self) {
  zoo_setup(host, problem, params, self);
  return RH_E_PLUGIN;
}

static rh_status hang_in_run(void *self, const rh_run *run) {
  while (self) pause();
  return zoo_run(self, run);
}

/* The first run is correct, and a later one hangs. */
static rh_status hang_later(void *self, const rh_run *run) {
  static int runs;
  return runs++ == 0 ? zoo_run(self, run) : hang_in_run(self, run);
}

static rh_status print(void *self, const rh_run *run) {
  static int printed;
  if (!printed++) {
    printf("hello from \033[2J run\n"); /* stays in stdio's buffer until the process ends */
    fprintf(stderr, "and so on\n");
  }
  return zoo_run(self, run);
}

/* More than a pipe's capacity. */
static rh_status print_much(void *self, const rh_run *run) {
  static int lines;
  while (lines++ < 100000) puts("0123456789");
  return zoo_run(self, run);
}

static rh_status print_for_ever(void *self, const rh_run *run) {
  while (self) puts("again");
  return zoo_run(self, run);
}

static rh_status scribble(void *self, const rh_run *run) {
  for (int fd = 1; fd < 1024; fd++)
    if (write(fd, "scribble\n", 9) < 0) continue;
  return zoo_run(self, run);
}

/* Writes to the low descriptors, but not to the hidden channel. */
static rh_status scribble_low(void *self, const rh_run *run) {
  for (int fd = 1; fd < 6; fd++)
    if (write(fd, "scribble\n", 9) < 0 || ftruncate(fd, 0) != 0) continue;
  return zoo_run(self, run);
}

static rh_status close_all(void *self, const rh_run *run) {
  for (int fd = 0; fd < 1024; fd++) close(fd);
  return zoo_run(self, run);
}

static rh_status write_input(void *self, const rh_run *run) {
  rh_status status = zoo_run(self, run);
  memset((void *)(uintptr_t)run->host_input, 0x55, (size_t)run->n);
  return status;
}

static rh_status lie(void *self, const rh_run *run) {
  (void)self;
  memset(run->host_result, 0x11, 4);
  return RH_OK;
}

/* A valid answer of the protocol, but one line too early. */
static rh_status forge(void *self, const rh_run *run) {
  static const char lines[] = "closed\ntaken 1e-6 host 1\n";
  for (int fd = 100; fd < 104; fd++)
    if (write(fd, lines, sizeof lines - 1) < 0) continue;
  return zoo_run(self, run);
}

static rh_status leave_orphan(void *self, const rh_run *run) {
  static int left;
  if (!left++ && fork() == 0)
    for (;;) pause();
  return zoo_run(self, run);
}

static rh_status hang_with_orphan(void *self, const rh_run *run) {
  leave_orphan(self, run);
  return hang_in_run(self, run);
}

/* A process in the same group, one in its own session, and an orphan. */
static rh_status hang_with_daemons(void *self, const rh_run *run) {
  for (int kind = 0; kind < 3; kind++) {
    if (fork() != 0) continue;
    if (kind > 0) setsid();
    if (kind > 1 && fork() != 0) _exit(0);
    for (;;) pause();
  }
  return hang_in_run(self, run);
}

static rh_status crash_at_exit(void *self, const rh_run *run) {
  is_to_crash_at_exit = 1;
  return zoo_run(self, run);
}

static rh_status crash_late_at_exit(void *self, const rh_run *run) {
  seconds_at_exit = 1;
  return crash_at_exit(self, run);
}

static rh_status hang_at_exit(void *self, const rh_run *run) {
  is_to_hang_at_exit = 1;
  return zoo_run(self, run);
}

static void crash_in_teardown(void *self) {
  (void)self;
  crash(NULL);
}

static const void *serve_any(const char *id) {
  return strcmp(id, RH_EXTENSION_OPERANDS) == 0 ? id : NULL;
}

#define FAULT(name_, setup_, run_, teardown_)                                                      \
  static const rh_strategy of_##name_ = {.struct_size = sizeof(rh_strategy),                       \
                                         .device_kinds = RH_DEVICE_HOST,                           \
                                         .name = "worker_" #name_,                                 \
                                         ZOO_TEXTS,                                                \
                                         .promises = RH_KEEPS_ORDER,                               \
                                         .determinism = RH_BITS_SAME_EVERYWHERE,                   \
                                         .query = zoo_query,                                       \
                                         .setup = setup_,                                          \
                                         .run = run_,                                              \
                                         .teardown = teardown_,                                    \
                                         .extension = serve_any}

FAULT(right, zoo_setup, zoo_run, NULL);
FAULT(crash_in_setup, crash_in_setup, zoo_run, NULL);
FAULT(log_much, log_much, zoo_run, NULL);
FAULT(log_for_ever, log_for_ever, zoo_run, NULL);
FAULT(fail_in_setup, fail_in_setup, zoo_run, NULL);
FAULT(decline_in_setup, decline_in_setup, zoo_run, NULL);
FAULT(crash_in_run, zoo_setup, crash_in_run, NULL);
FAULT(abort_in_run, zoo_setup, abort_in_run, NULL);
FAULT(crash_in_thread, zoo_setup, crash_in_thread, NULL);
FAULT(exit_in_run, zoo_setup, exit_in_run, NULL);
FAULT(end_thread_in_run, zoo_setup, end_thread_in_run, NULL);
FAULT(exit_in_copy, zoo_setup, exit_in_copy, NULL);
FAULT(return_wrong, zoo_setup, return_wrong, NULL);
FAULT(return_77, zoo_setup, return_77, NULL);
FAULT(decline_in_run, zoo_setup, decline_in_run, NULL);
FAULT(return_plugin_in_setup, return_plugin_in_setup, zoo_run, NULL);
FAULT(hang_in_run, zoo_setup, hang_in_run, NULL);
FAULT(hang_later, zoo_setup, hang_later, NULL);
FAULT(print, zoo_setup, print, NULL);
FAULT(print_much, zoo_setup, print_much, NULL);
FAULT(print_for_ever, zoo_setup, print_for_ever, NULL);
FAULT(scribble, zoo_setup, scribble, NULL);
FAULT(scribble_low, zoo_setup, scribble_low, NULL);
FAULT(close_all, zoo_setup, close_all, NULL);
FAULT(write_input, zoo_setup, write_input, NULL);
FAULT(lie, zoo_setup, lie, NULL);
FAULT(forge, zoo_setup, forge, NULL);
FAULT(leave_orphan, zoo_setup, leave_orphan, NULL);
FAULT(hang_with_orphan, zoo_setup, hang_with_orphan, NULL);
FAULT(hang_with_daemons, zoo_setup, hang_with_daemons, NULL);
FAULT(crash_at_exit, zoo_setup, crash_at_exit, NULL);
FAULT(crash_late_at_exit, zoo_setup, crash_late_at_exit, NULL);
FAULT(hang_at_exit, zoo_setup, hang_at_exit, NULL);
FAULT(crash_in_teardown, zoo_setup, zoo_run, crash_in_teardown);

static const rh_strategy *const strategies[] = {
    &of_right,
    &of_crash_in_setup,
    &of_log_much,
    &of_log_for_ever,
    &of_fail_in_setup,
    &of_decline_in_setup,
    &of_crash_in_run,
    &of_abort_in_run,
    &of_crash_in_thread,
    &of_exit_in_run,
    &of_end_thread_in_run,
    &of_exit_in_copy,
    &of_return_wrong,
    &of_return_77,
    &of_decline_in_run,
    &of_return_plugin_in_setup,
    &of_hang_in_run,
    &of_hang_later,
    &of_print,
    &of_print_for_ever,
    &of_scribble,
    &of_scribble_low,
    &of_close_all,
    &of_write_input,
    &of_lie,
    &of_forge,
    &of_leave_orphan,
    &of_print_much,
    &of_hang_with_orphan,
    &of_hang_with_daemons,
    &of_crash_at_exit,
    &of_crash_late_at_exit,
    &of_hang_at_exit,
    &of_crash_in_teardown,
};
RH_EXPORT const rh_plugin redhost_plugin_v1 = {
    ZOO_HEAD,
    .min_host_minor = 2,
    .n_strategies = sizeof strategies / sizeof *strategies,
    .strategies = strategies,
    .build = "zoo",
};
