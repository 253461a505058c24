/* Counts what a plugin launches, builds and allocates by calling OpenCL directly, bypassing the
 * host's services. */
#pragma once

#include <redhost/redhost.h>

typedef struct rh_raw_seen {
  uint32_t launches;
  uint64_t local_bytes;  /* the maximum of one launch, from its arguments */
  uint64_t buffer_bytes; /* allocated in total */
  uint64_t code;         /* hash of every source and its options; 0: none */
} rh_raw_seen;

/* Counts the calls of the plugin in the file, until rh_imports_restore(). */
void rh_raw_watch(const char *path);
/* The counts since the last call. */
rh_raw_seen rh_raw_take(void);

/* To be called when no instance is left, because the next one's kernels may have the same
 * handles. */
void rh_raw_forget_kernels(void);
