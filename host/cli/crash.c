#include "crash.h"
#include "../core/cl/drivers.h"

#include <signal.h>
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

static const rh_redhost *volatile watched;
static char limits[512]; /* formatted in advance, because a handler must not allocate memory */

static void write_text(const char *text) {
  if (write(STDERR_FILENO, text, strlen(text)) < 0) _exit(3);
}

static void on_crash(int number) {
  const rh_redhost *redhost = watched;
  char digits[3] = {(char)('0' + number / 10), (char)('0' + number % 10), 0};
  static atomic_flag taken = ATOMIC_FLAG_INIT;
  if (!redhost || !redhost->device) {
    signal(number, SIG_DFL);
    raise(number);
    return;
  }
  /* If several threads crash, only the first writes the message. */
  while (atomic_flag_test_and_set(&taken)) pause();
  write_text("redhost: the process crashed (signal ");
  write_text(number < 10 ? digits + 1 : digits);
  write_text(") while device ");
  write_text(redhost->device->label);
  write_text(" was in use, in its driver or in a strategy");
  write_text(limits);
  write_text(".\n");
  _exit(3);
}

void rh_crash_watch(const rh_redhost *redhost) {
  static const int numbers[] = {SIGABRT, SIGSEGV, SIGILL, SIGFPE};
  static char stack[1 << 14]; /* the normal stack may have overflowed */
  const stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
  struct sigaction action = {.sa_handler = on_crash, .sa_flags = SA_ONSTACK};
  rh_text text = {0};
  watched = redhost;
  if (SANITIZED || !redhost) return;
  rh_cl_drivers_limits(&text);
  snprintf(limits, sizeof limits, "%s", rh_text_get(&text));
  rh_text_finish(&text);
  sigaltstack(&other, NULL);
  sigemptyset(&action.sa_mask);
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
    sigaction(numbers[k], &action, NULL);
}
