#include "internal.h"

#include <CL/cl.h>
#include <link.h>
#include <sys/mman.h>

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
static int live_mappings;

int rh_imports_mapped(void) { return __atomic_load_n(&live_mappings, __ATOMIC_ACQUIRE); }

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

static void note_opencl(const char *name, int waits) {
  seen.opencl++;
  seen.waits += (unsigned)waits;
  seen.last = name;
}

static void note_code(const char *text, size_t bytes) {
  seen.code = rh_random_mix(seen.code + bytes + 1);
  for (size_t k = 0; k < bytes; k++) seen.code = rh_random_mix(seen.code ^ (unsigned char)text[k]);
}

/* A function that takes note, and calls what the plugin imports. */
#define WATCH(type, name, params, args, note)                                                      \
  static type(*real_##name) params;                                                                \
  static type watch_##name params {                                                                \
    note;                                                                                          \
    return real_##name args;                                                                       \
  }

/* clang-format off */
WATCH(void *, malloc, (size_t bytes), (bytes), note_memory("malloc"))
WATCH(void *, calloc, (size_t n, size_t bytes), (n, bytes), note_memory("calloc"))
WATCH(void *, realloc, (void *old, size_t bytes), (old, bytes), note_memory("realloc"))
WATCH(void *, aligned_alloc, (size_t alignment, size_t bytes), (alignment, bytes),
      note_memory("aligned_alloc"))
WATCH(int, posix_memalign, (void **to, size_t alignment, size_t bytes), (to, alignment, bytes),
      note_memory("posix_memalign"))

WATCH(cl_int, clFinish, (cl_command_queue queue), (queue), note_opencl("clFinish", 1))
WATCH(cl_int, clWaitForEvents, (cl_uint n, const cl_event *events), (n, events),
      note_opencl("clWaitForEvents", 1))
WATCH(cl_int, clEnqueueReadBuffer,
      (cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t bytes,
       void *to, cl_uint n, const cl_event *events, cl_event *event),
      (queue, buffer, blocking, offset, bytes, to, n, events, event),
      note_opencl("clEnqueueReadBuffer", blocking != CL_FALSE))
WATCH(cl_int, clGetPlatformIDs, (cl_uint n, cl_platform_id *platforms, cl_uint *found),
      (n, platforms, found), note_opencl("clGetPlatformIDs", 0))
WATCH(cl_int, clGetDeviceIDs,
      (cl_platform_id platform, cl_device_type type, cl_uint n, cl_device_id *devices,
       cl_uint *found),
      (platform, type, n, devices, found), note_opencl("clGetDeviceIDs", 0))
WATCH(cl_int, clGetDeviceInfo,
      (cl_device_id device, cl_device_info what, size_t bytes, void *to, size_t *needed),
      (device, what, bytes, to, needed), note_opencl("clGetDeviceInfo", 0))
WATCH(cl_int, clEnqueueNDRangeKernel,
      (cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
       const size_t *global, const size_t *local, cl_uint n, const cl_event *events,
       cl_event *event),
      (queue, kernel, dimensions, offset, global, local, n, events, event), seen.launches++)
WATCH(cl_int, clBuildProgram,
      (cl_program program, cl_uint n, const cl_device_id *devices, const char *options,
       void (*notify)(cl_program, void *), void *user),
      (program, n, devices, options, notify, user),
      if (options) note_code(options, strlen(options)))
/* clang-format on */

static cl_mem (*real_clCreateBuffer)(cl_context, cl_mem_flags, size_t, void *, cl_int *);
static cl_mem watch_clCreateBuffer(cl_context context, cl_mem_flags flags, size_t bytes, void *host,
                                   cl_int *code) {
  note_opencl("clCreateBuffer", 0);
  note_memory("clCreateBuffer");
  if (!(flags & CL_MEM_USE_HOST_PTR)) seen.buffer_bytes += bytes;
  return real_clCreateBuffer(context, flags, bytes, host, code);
}

static cl_program (*real_clCreateProgramWithSource)(cl_context, cl_uint, const char **,
                                                    const size_t *, cl_int *);
static cl_program watch_clCreateProgramWithSource(cl_context context, cl_uint n,
                                                  const char **strings, const size_t *lengths,
                                                  cl_int *code) {
  for (cl_uint k = 0; strings && k < n; k++)
    if (strings[k]) note_code(strings[k], lengths && lengths[k] ? lengths[k] : strlen(strings[k]));
  return real_clCreateProgramWithSource(context, n, strings, lengths, code);
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

typedef void function(void);
#define WATCHED(name)                                                                              \
  { #name, (function *)watch_##name, (function **)&real_##name }
#define REPLACED(name)                                                                             \
  { #name, (function *)watch_##name, NULL }

static const rh_redirect watched[] = {
    WATCHED(malloc),
    WATCHED(calloc),
    WATCHED(realloc),
    WATCHED(aligned_alloc),
    WATCHED(posix_memalign),
    REPLACED(mmap),
    {"mmap64", (function *)watch_mmap, NULL},
    REPLACED(munmap),
    WATCHED(clFinish),
    WATCHED(clWaitForEvents),
    WATCHED(clEnqueueReadBuffer),
    WATCHED(clCreateBuffer),
    WATCHED(clGetPlatformIDs),
    WATCHED(clGetDeviceIDs),
    WATCHED(clGetDeviceInfo),
    WATCHED(clEnqueueNDRangeKernel),
    WATCHED(clCreateProgramWithSource),
    WATCHED(clBuildProgram),
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
static void redirect(uintptr_t slot, const rh_redirect *how) {
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = slot & ~(page - 1);
  if (n_changed == MOST_CHANGED || mprotect((void *)start, page, PROT_READ | PROT_WRITE) != 0)
    return;
  function **before = &changed[n_changed++].before;
  changed[n_changed - 1].slot = slot;
  memcpy(before, (void *)slot, sizeof *before);
  if (how->real && *before != how->to) *how->real = *before;
  memcpy((void *)slot, &how->to, sizeof how->to);
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
        redirect(base + table[k].r_offset, &wanted->redirects[j]);
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

#else
int rh_imports_redirect(const char *path, const rh_redirect *table, size_t n) {
  (void)path;
  (void)table;
  (void)n;
  return 0;
}
void rh_imports_restore(void) {}
static const rh_redirect watched[1];
#endif

int rh_imports_watch(const char *path) {
  int found = rh_imports_redirect(path, watched, sizeof watched / sizeof *watched);
  rh_imports_take();
  return found;
}
