/* The threads, mappings and child processes of this process. */
#pragma once

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

/* From here on, orphaned descendants become children of this process, so that daemons are seen. */
void rh_process_adopt_orphans(void);
/* state: 'Z' for a zombie. */
void rh_process_each_child(void (*take)(void *user, pid_t pid, char state, const char *name),
                           void *user);
