#include "signals.h"

static volatile sig_atomic_t is_held[_NSIG];

void rh_signals_hold(void) {
  static const int numbers[] = {SIGABRT, SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGPIPE,
                                SIGUSR1, SIGUSR2, SIGXCPU, SIGXFSZ, SIGTRAP, SIGSYS};
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) is_held[numbers[k]] = 1;
}

void rh_signals_release_user(void) {
  is_held[SIGUSR1] = is_held[SIGUSR2] = 0;
}

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
  sigemptyset(&action.sa_mask);
  return sigaction(number, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}

#else

int rh_signal_action(int number, const struct sigaction *action, struct sigaction *old) {
  return sigaction(number, action, old);
}

#endif
