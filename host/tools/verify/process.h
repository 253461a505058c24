/* What runs in this process, what it has mapped, and the processes that it started. */
#ifndef RH_VERIFY_PROCESS_H
#define RH_VERIFY_PROCESS_H

#include <stdint.h>
#include <sys/types.h>

unsigned rh_process_threads(void);

typedef struct rh_mapping {
  uint64_t start, bytes;
  int is_writable, is_executable, is_private;
  const char *path; /* "" for memory without a file; "[heap]" */
} rh_mapping;

void rh_process_each_mapping(void (*take)(void *user, const rh_mapping *mapping), void *user);
/* Is that file mapped? */
int rh_process_maps(const char *path);

/* From here on, a process whose parent ends becomes a child of this one: a daemon can be seen. */
void rh_process_adopt_orphans(void);
/* state: 'Z' for one that ended and was not waited for. */
void rh_process_each_child(void (*take)(void *user, pid_t pid, char state, const char *name),
                           void *user);
#endif
