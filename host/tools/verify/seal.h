/* A thread from which nothing can be learnt but what it was given: system calls, the processor's
 * clock, the environment and the functions that tell of the world end it, by name. */
#ifndef RH_VERIFY_SEAL_H
#define RH_VERIFY_SEAL_H

#include <stddef.h>

typedef struct rh_sealed {
  char broken[96]; /* "calls getenv()"; "" where `work` came to its end */
  int started;     /* 0: no thread could be had, and `work` was not called */
  int watches;     /* system calls are seen on this machine */
} rh_sealed;

/* Calls `work` on such a thread and waits for its end.  The functions are those that the plugin in
 * the file `path` calls itself.
 * [one at a time in a process] */
void rh_seal(const char *path, void (*work)(void *user), void *user, rh_sealed *sealed);

#endif
