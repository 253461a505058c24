#include "imports.h"

#include <CL/cl.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__x86_64__)
enum {
  JUMP_SLOT = R_X86_64_JUMP_SLOT,
  GLOBAL_DATA = R_X86_64_GLOB_DAT,
  IN_DATA = R_X86_64_64 /* a function's address in a table of the plugin's own */
};
#define TYPE(info)   ELF64_R_TYPE(info)
#define SYMBOL(info) ELF64_R_SYM(info)
#elif defined(__aarch64__)
enum {
  JUMP_SLOT = R_AARCH64_JUMP_SLOT,
  GLOBAL_DATA = R_AARCH64_GLOB_DAT,
  IN_DATA = R_AARCH64_ABS64
};
#define TYPE(info)   ELF64_R_TYPE(info)
#define SYMBOL(info) ELF64_R_SYM(info)
#else
#define RELOCATIONS_UNKNOWN
#endif

static rh_imports_seen seen = {.last = ""};
static int live_threads, live_mappings;

int rh_imports_live_threads(void) {
  return __atomic_load_n(&live_threads, __ATOMIC_ACQUIRE);
}

int rh_imports_mapped(void) {
  return __atomic_load_n(&live_mappings, __ATOMIC_ACQUIRE);
}

rh_imports_seen rh_imports_take(void) {
  rh_imports_seen taken = seen;
  seen = (rh_imports_seen){.last = ""};
  return taken;
}

#ifndef RELOCATIONS_UNKNOWN

/* ---- Replacements for the real functions ---- */

static void note_memory(const char *name) {
  __atomic_fetch_add(&seen.memory, 1, __ATOMIC_RELAXED);
  seen.last = name;
}

static void *watch_malloc(size_t bytes) {
  note_memory("malloc");
  return malloc(bytes);
}
static void *watch_calloc(size_t n, size_t bytes) {
  note_memory("calloc");
  return calloc(n, bytes);
}
static void *watch_realloc(void *old, size_t bytes) {
  note_memory("realloc");
  return realloc(old, bytes);
}
static void *watch_aligned_alloc(size_t alignment, size_t bytes) {
  note_memory("aligned_alloc");
  return aligned_alloc(alignment, bytes);
}
static int watch_posix_memalign(void **to, size_t alignment, size_t bytes) {
  note_memory("posix_memalign");
  return posix_memalign(to, alignment, bytes);
}
static void *watch_mmap(void *address, size_t bytes, int protection, int flags, int fd, off_t at) {
  note_memory("mmap");
  void *mapped = mmap(address, bytes, protection, flags, fd, at);
  if (mapped != MAP_FAILED && !(flags & MAP_FIXED))
    __atomic_fetch_add(&live_mappings, 1, __ATOMIC_RELAXED);
  return mapped;
}
static int watch_munmap(void *address, size_t bytes) {
  int code = munmap(address, bytes);
  if (code == 0) __atomic_fetch_sub(&live_mappings, 1, __ATOMIC_RELAXED);
  return code;
}

typedef struct thread_start {
  void *(*routine)(void *);
  void *argument;
} thread_start;

static void *run_thread(void *user) {
  thread_start start = *(thread_start *)user;
  free(user);
  void *result = start.routine(start.argument);
  __atomic_fetch_sub(&live_threads, 1, __ATOMIC_RELEASE);
  return result;
}

static int watch_thread(pthread_t *thread, const pthread_attr_t *attributes,
                        void *(*routine)(void *), void *argument) {
  thread_start *start = malloc(sizeof *start);
  if (!start) return pthread_create(thread, attributes, routine, argument);
  *start = (thread_start){routine, argument};
  __atomic_fetch_add(&live_threads, 1, __ATOMIC_RELEASE);
  int code = pthread_create(thread, attributes, run_thread, start);
  if (code == 0) return 0;
  __atomic_fetch_sub(&live_threads, 1, __ATOMIC_RELEASE);
  free(start);
  return code;
}

static void note_opencl(const char *name, int waits) {
  seen.opencl++;
  seen.waits += (unsigned)waits;
  seen.last = name;
}

static cl_int watch_finish(cl_command_queue queue) {
  note_opencl("clFinish", 1);
  return clFinish(queue);
}
static cl_int watch_wait(cl_uint n, const cl_event *events) {
  note_opencl("clWaitForEvents", 1);
  return clWaitForEvents(n, events);
}
static cl_int watch_read(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                         size_t bytes, void *to, cl_uint n, const cl_event *events,
                         cl_event *event) {
  note_opencl("clEnqueueReadBuffer", blocking != CL_FALSE);
  return clEnqueueReadBuffer(queue, buffer, blocking, offset, bytes, to, n, events, event);
}
static cl_mem watch_create_buffer(cl_context context, cl_mem_flags flags, size_t bytes, void *host,
                                  cl_int *code) {
  note_opencl("clCreateBuffer", 0);
  note_memory("clCreateBuffer");
  return clCreateBuffer(context, flags, bytes, host, code);
}
static cl_int watch_platforms(cl_uint n, cl_platform_id *platforms, cl_uint *found) {
  note_opencl("clGetPlatformIDs", 0);
  return clGetPlatformIDs(n, platforms, found);
}
static cl_int watch_devices(cl_platform_id platform, cl_device_type type, cl_uint n,
                            cl_device_id *devices, cl_uint *found) {
  note_opencl("clGetDeviceIDs", 0);
  return clGetDeviceIDs(platform, type, n, devices, found);
}
static cl_int watch_device_info(cl_device_id device, cl_device_info what, size_t bytes, void *to,
                                size_t *needed) {
  note_opencl("clGetDeviceInfo", 0);
  return clGetDeviceInfo(device, what, bytes, to, needed);
}

typedef void function(void);

static const rh_redirect watched[] = {
    {"malloc", (function *)watch_malloc},
    {"calloc", (function *)watch_calloc},
    {"realloc", (function *)watch_realloc},
    {"aligned_alloc", (function *)watch_aligned_alloc},
    {"posix_memalign", (function *)watch_posix_memalign},
    {"mmap", (function *)watch_mmap},
    {"mmap64", (function *)watch_mmap},
    {"munmap", (function *)watch_munmap},
    {"pthread_create", (function *)watch_thread},
    {"clFinish", (function *)watch_finish},
    {"clWaitForEvents", (function *)watch_wait},
    {"clEnqueueReadBuffer", (function *)watch_read},
    {"clCreateBuffer", (function *)watch_create_buffer},
    {"clGetPlatformIDs", (function *)watch_platforms},
    {"clGetDeviceIDs", (function *)watch_devices},
    {"clGetDeviceInfo", (function *)watch_device_info},
};

/* ---- The table of imports ---- */

typedef struct object {
  dev_t device;
  ino_t inode;
  const rh_redirect *redirects;
  size_t n;
  int found;
} object;

/* The original value of a slot. */
enum { MOST_CHANGED = 256 };
static struct {
  uintptr_t slot;
  function *before;
} changed[MOST_CHANGED];
static size_t n_changed;

/* RELRO has made the table read-only, so the page is made writable for one store. */
static void redirect(uintptr_t slot, function *to) {
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = slot & ~(page - 1);
  if (n_changed == MOST_CHANGED || mprotect((void *)start, page, PROT_READ | PROT_WRITE) != 0)
    return;
  changed[n_changed].slot = slot;
  memcpy(&changed[n_changed++].before, (void *)slot, sizeof to);
  memcpy((void *)slot, &to, sizeof to);
}

void rh_imports_restore(void) {
  while (n_changed) {
    n_changed--;
    memcpy((void *)changed[n_changed].slot, &changed[n_changed].before, sizeof(function *));
  }
}

static void redirect_all(const object *wanted, uintptr_t base, const ElfW(Rela) * table,
                         size_t bytes, const ElfW(Sym) * symbols, const char *strings) {
  for (size_t k = 0; table && k < bytes / sizeof *table; k++) {
    uint32_t type = (uint32_t)TYPE(table[k].r_info);
    if (type != JUMP_SLOT && type != GLOBAL_DATA && type != IN_DATA) continue;
    const char *name = strings + symbols[SYMBOL(table[k].r_info)].st_name;
    for (size_t j = 0; j < wanted->n; j++)
      if (strcmp(wanted->redirects[j].name, name) == 0)
        redirect(base + table[k].r_offset, wanted->redirects[j].to);
  }
}

/* The loader adds the base to some addresses of the dynamic section only. */
static uintptr_t absolute(uintptr_t base, uintptr_t address) {
  return address < base ? base + address : address;
}

static void redirect_object(const object *wanted, uintptr_t base, const ElfW(Dyn) * entry) {
  const ElfW(Rela) *jumps = NULL, *others = NULL;
  const ElfW(Sym) *symbols = NULL;
  const char *strings = NULL;
  size_t jump_bytes = 0, other_bytes = 0;
  for (; entry->d_tag != DT_NULL; entry++) {
    uintptr_t address = absolute(base, entry->d_un.d_ptr);
    switch (entry->d_tag) {
    case DT_JMPREL: jumps = (const void *)address; break;
    case DT_PLTRELSZ: jump_bytes = entry->d_un.d_val; break;
    case DT_RELA: others = (const void *)address; break;
    case DT_RELASZ: other_bytes = entry->d_un.d_val; break;
    case DT_SYMTAB: symbols = (const void *)address; break;
    case DT_STRTAB: strings = (const void *)address; break;
    default: break;
    }
  }
  if (!symbols || !strings) return;
  redirect_all(wanted, base, jumps, jump_bytes, symbols, strings);
  redirect_all(wanted, base, others, other_bytes, symbols, strings);
}

static int visit(struct dl_phdr_info *info, size_t size, void *user) {
  object *wanted = user;
  struct stat st;
  (void)size;
  if (!info->dlpi_name || stat(info->dlpi_name, &st) != 0 || st.st_dev != wanted->device ||
      st.st_ino != wanted->inode)
    return 0;
  for (unsigned k = 0; k < info->dlpi_phnum; k++)
    if (info->dlpi_phdr[k].p_type == PT_DYNAMIC)
      redirect_object(wanted, info->dlpi_addr,
                      (const void *)(info->dlpi_addr + info->dlpi_phdr[k].p_vaddr));
  wanted->found = 1;
  return 1;
}

int rh_imports_redirect(const char *path, const rh_redirect *table, size_t n) {
  struct stat st;
  if (stat(path, &st) != 0) return 0;
  object wanted = {.device = st.st_dev, .inode = st.st_ino, .redirects = table, .n = n};
  dl_iterate_phdr(visit, &wanted);
  return wanted.found;
}

int rh_imports_watch(const char *path) {
  int found = rh_imports_redirect(path, watched, sizeof watched / sizeof *watched);
  rh_imports_take();
  return found;
}

#else
int rh_imports_redirect(const char *path, const rh_redirect *table, size_t n) {
  (void)path;
  (void)table;
  (void)n;
  return 0;
}
void rh_imports_restore(void) {}
int rh_imports_watch(const char *path) {
  (void)path;
  return 0;
}
#endif
