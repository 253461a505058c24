/* A sandboxed thread.  It is stopped, and the cause is named, if it makes a system call, reads
 * the processor's clock or the environment, or calls a function that reads the outside world. */
#pragma once

#include <stddef.h>

typedef struct rh_sandbox {
  char violation[96]; /* "calls getenv()", or "" if `work` completed */
  int started;        /* 0: the thread could not be created, and `work` was not called */
  int watches;        /* system calls can be intercepted on this machine */
} rh_sandbox;

/* Calls `work` on such a thread and waits for its end.  Only functions that the plugin in the file
 * `path` calls itself are intercepted.
 * [one at a time in a process] */
void rh_sandbox_run(const char *path, void (*work)(void *user), void *user, rh_sandbox *sandbox);
