/* A plugin's own OpenCL calls, which pass the host's services by: what they launch, build and
 * obtain is counted like theirs. */
#ifndef RH_VERIFY_RAW_H
#define RH_VERIFY_RAW_H

#include <redhost/redhost.h>

typedef struct rh_raw_seen {
  uint32_t launches;
  uint64_t local_bytes;  /* the most that one launch asked for in its arguments */
  uint64_t buffer_bytes; /* obtained, all together */
  uint64_t code;         /* hash of every source and its options; 0: none */
} rh_raw_seen;

/* Counts the calls of the plugin in the file, until rh_imports_restore(). */
void rh_raw_watch(const char *path);
/* Counted since the last call of this. */
rh_raw_seen rh_raw_take(void);

/* No instance lives: what was set for its kernels says nothing about the next one's. */
void rh_raw_forget_kernels(void);

#endif
