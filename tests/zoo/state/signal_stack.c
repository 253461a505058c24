/* V58: sets a signal stack for its thread in setup. */
#include "state.h"
#include <signal.h>

IN_SETUP("signal_stack", "sets a signal stack for its thread in setup") {
  static char memory[1 << 16];
  const stack_t stack = {.ss_sp = memory, .ss_size = sizeof memory};
  sigaltstack(&stack, NULL);
}
