/* V58: ignores SIGSEGV from teardown on. */
#include "state.h"
#include <signal.h>

IN_TEARDOWN("ignores_sigsegv", "ignores SIGSEGV from teardown on") {
  signal(SIGSEGV, SIG_IGN);
}
