/* V13: a constructor leaves a daemon behind: two forks and setsid(). */
#include "zoo.h"
#include <sys/wait.h>
#include <unistd.h>

ZOO_STRATEGY(daemon_on_load, "daemon_on_load", zoo_query);
ZOO_PLUGIN(daemon_on_load);

ZOO_ON_LOAD {
  pid_t child = fork();
  if (child) {
    waitpid(child, NULL, 0);
    return;
  }
  setsid();
  if (fork() != 0) _exit(0);
  alarm(60);
  for (;;) pause();
}
