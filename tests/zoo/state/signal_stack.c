/* V58: gives its thread a signal stack in setup. */
#include "state.h"
#include <signal.h>

IN_SETUP("signal_stack", "gives its thread a signal stack in setup") {
  static char memory[1 << 16];
  const stack_t stack = {.ss_sp = memory, .ss_size = sizeof memory};
  sigaltstack(&stack, NULL);
}
