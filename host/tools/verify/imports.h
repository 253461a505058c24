/* A plugin's own calls into libraries, counted: its table of imports is made to point at counters.
 * What libraries call among themselves is not seen. */
#ifndef RH_VERIFY_IMPORTS_H
#define RH_VERIFY_IMPORTS_H

#include <redhost/redhost.h>

/* Starts counting, for the rest of the process, the file's calls of memory functions (malloc and
 * its like), of OpenCL (anything that begins with cl), and of pthread_create.  0 where this
 * machine's relocations are not known here. */
int rh_imports_watch(const char *path);

/* A function of the plugin's imports, and what it is to call instead. */
typedef struct rh_redirect {
  const char *name;
  void (*to)(void);
} rh_redirect;

/* Puts these in place until rh_imports_restore().  0 where this machine's relocations are not known
 * here. */
int rh_imports_redirect(const char *path, const rh_redirect *table, size_t n);
void rh_imports_restore(void);

typedef struct rh_imports_seen {
  unsigned memory, waits,
      opencl;       /* waits: clFinish and its like; opencl: all of OpenCL that is watched */
  const char *last; /* the name of the last one; "" */
} rh_imports_seen;

/* Threads that the file started and that have not ended. */
int rh_imports_live_threads(void);

/* Mappings that the file made by mmap and that were not unmapped; below 0 where it unmapped one in
 * parts. */
int rh_imports_mapped(void);

/* Counted since the last call of this. */
rh_imports_seen rh_imports_take(void);

#endif
