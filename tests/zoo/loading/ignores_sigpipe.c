/* V13: changes a signal's disposition when it is loaded. */
#include "zoo.h"
#include <signal.h>

ZOO_STRATEGY(ignores_sigpipe, "ignores_sigpipe", zoo_query);
ZOO_PLUGIN(ignores_sigpipe);

ZOO_ON_LOAD {
  struct sigaction now;
  if (sigaction(SIGPIPE, NULL, &now) == 0)
    signal(SIGPIPE, now.sa_handler == SIG_IGN ? SIG_DFL : SIG_IGN);
}
