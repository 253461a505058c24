/* The state of the process that a plugin has to leave alone. */
#ifndef RH_VERIFY_PROCESS_H
#define RH_VERIFY_PROCESS_H

#include "../base/text.h"
#include <signal.h>
#include <sys/stat.h>

typedef struct rh_process {
  struct sigaction actions[NSIG];
  sigset_t mask;
  mode_t umask;
  char directory[4096];
  rh_text environment, descriptors, libraries;
  unsigned threads;
} rh_process;

void rh_process_look(rh_process *process);
void rh_process_finish(rh_process *process);

/* Null where nothing changed; else what, for people.  Libraries that `expected` (a path) says yes to may be new. */
const char *rh_process_differs(const rh_process *before, const rh_process *after,
                               int (*expected)(void *user, const char *path), void *user,
                               char *what, size_t bytes);

unsigned rh_process_threads(void);
/* Is that file mapped? */
int rh_process_maps(const char *path);

#endif
