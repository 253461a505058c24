/* V13: blocks a signal when it is loaded. */
#include "zoo.h"
#include <signal.h>

ZOO_STRATEGY(blocks_signals, "blocks_signals", zoo_query);
ZOO_PLUGIN(blocks_signals);

ZOO_ON_LOAD {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  sigprocmask(SIG_BLOCK, &set, NULL);
}
