/* Counts a plugin's own calls into libraries by redirecting its import table to counters.  Calls
 * between libraries are not seen. */
#pragma once

#include <redhost/redhost.h>

/* Counts the file's calls of memory functions (malloc etc.) and of OpenCL until
 * rh_imports_restore(). 0 if this machine's relocations are not supported. */
int rh_imports_watch(const char *path);

/* An imported function, its replacement, and where to put the function itself; null: nowhere. */
typedef struct rh_redirect {
  const char *name;
  void (*to)(void);
  void (**real)(void);
} rh_redirect;

/* Redirects these functions until rh_imports_restore(). 0 if this machine's relocations are not
 * supported. */
int rh_imports_redirect(const char *path, const rh_redirect *table, size_t n);
void rh_imports_restore(void);

typedef struct rh_imports_seen {
  unsigned memory, waits, opencl; /* waits: clFinish etc.; opencl: those that query must not call */
  const char *last;               /* the name of the last of these, or "" */
  uint32_t launches;
  uint64_t buffer_bytes; /* allocated in total */
  uint64_t code;         /* hash of every source and its options; 0: none */
} rh_imports_seen;

/* Mappings that the file made by mmap and has not unmapped; negative if it unmapped one in
 * parts. */
int rh_imports_mapped(void);

/* The counts since the last call. */
rh_imports_seen rh_imports_take(void);
