#include "internal.h"

#include <link.h>
#include <sys/mman.h>

static rh_imports_seen seen = {.last = ""};
static int mapped;

rh_imports_seen rh_imports_take(void) {
  rh_imports_seen taken = seen;
  taken.mapped = __atomic_load_n(&mapped, __ATOMIC_ACQUIRE);
  seen = (rh_imports_seen){.last = ""};
  return taken;
}

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
  seen.code = rh_hash(seen.code, text, bytes);
}

static void note_sources(cl_uint n, const char **strings, const size_t *lengths) {
  for (cl_uint k = 0; strings && k < n; k++)
    if (strings[k]) note_code(strings[k], lengths && lengths[k] ? lengths[k] : strlen(strings[k]));
}

/* clang-format off */
/* X(type, name, parameters, arguments, what is noted): functions that take note, and call what the
 * plugin imports. */
#define WATCHED_LIST(X) \
  X(void *, malloc, (size_t bytes), (bytes), note_memory("malloc")) \
  X(void *, calloc, (size_t n, size_t bytes), (n, bytes), note_memory("calloc")) \
  X(void *, realloc, (void *old, size_t bytes), (old, bytes), note_memory("realloc")) \
  X(void *, aligned_alloc, (size_t alignment, size_t bytes), (alignment, bytes), \
    note_memory("aligned_alloc")) \
  X(int, posix_memalign, (void **to, size_t alignment, size_t bytes), (to, alignment, bytes), \
    note_memory("posix_memalign")) \
  X(cl_int, clFinish, (cl_command_queue queue), (queue), note_opencl("clFinish", 1)) \
  X(cl_int, clWaitForEvents, (cl_uint n, const cl_event *events), (n, events), \
    note_opencl("clWaitForEvents", 1)) \
  X(cl_int, clEnqueueReadBuffer, \
    (cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t bytes, \
     void *to, cl_uint n, const cl_event *events, cl_event *event), \
    (queue, buffer, blocking, offset, bytes, to, n, events, event), \
    note_opencl("clEnqueueReadBuffer", blocking != CL_FALSE)) \
  X(cl_int, clGetPlatformIDs, (cl_uint n, cl_platform_id *platforms, cl_uint *found), \
    (n, platforms, found), note_opencl("clGetPlatformIDs", 0)) \
  X(cl_int, clGetDeviceIDs, \
    (cl_platform_id platform, cl_device_type type, cl_uint n, cl_device_id *devices, \
     cl_uint *found), \
    (platform, type, n, devices, found), note_opencl("clGetDeviceIDs", 0)) \
  X(cl_int, clGetDeviceInfo, \
    (cl_device_id device, cl_device_info what, size_t bytes, void *to, size_t *needed), \
    (device, what, bytes, to, needed), note_opencl("clGetDeviceInfo", 0)) \
  X(cl_int, clEnqueueNDRangeKernel, \
    (cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset, \
     const size_t *global, const size_t *local, cl_uint n, const cl_event *events, \
     cl_event *event), \
    (queue, kernel, dimensions, offset, global, local, n, events, event), seen.launches++) \
  X(cl_int, clBuildProgram, \
    (cl_program program, cl_uint n, const cl_device_id *devices, const char *options, \
     void (*notify)(cl_program, void *), void *user), \
    (program, n, devices, options, notify, user), \
    if (options) note_code(options, strlen(options))) \
  X(cl_mem, clCreateBuffer, \
    (cl_context context, cl_mem_flags flags, size_t bytes, void *host, cl_int *code), \
    (context, flags, bytes, host, code), note_opencl("clCreateBuffer", 0); \
    note_memory("clCreateBuffer"); \
    seen.buffer_bytes += flags & CL_MEM_USE_HOST_PTR ? 0 : bytes) \
  X(cl_program, clCreateProgramWithSource, \
    (cl_context context, cl_uint n, const char **strings, const size_t *lengths, cl_int *code), \
    (context, n, strings, lengths, code), note_sources(n, strings, lengths))
/* clang-format on */

#define X(type, name, params, args, note)                                                          \
  static type(*real_##name) params;                                                                \
  static type watch_##name params {                                                                \
    note;                                                                                          \
    return real_##name args;                                                                       \
  }
WATCHED_LIST(X)
#undef X

static void *watch_mmap(void *address, size_t bytes, int protection, int flags, int fd, off_t at) {
  note_memory("mmap");
  void *memory = mmap(address, bytes, protection, flags, fd, at);
  if (memory != MAP_FAILED && !(flags & MAP_FIXED))
    __atomic_fetch_add(&mapped, 1, __ATOMIC_RELAXED);
  return memory;
}

static int watch_munmap(void *address, size_t bytes) {
  int code = munmap(address, bytes);
  if (code == 0) __atomic_fetch_sub(&mapped, 1, __ATOMIC_RELAXED);
  return code;
}

typedef void function(void);

#define X(type, name, params, args, note)                                                          \
  {#name, (function *)watch_##name, (function **)&real_##name},
static const rh_redirect watched[] = {WATCHED_LIST(X){"mmap", (function *)watch_mmap, NULL},
                                      {"mmap64", (function *)watch_mmap, NULL},
                                      {"munmap", (function *)watch_munmap, NULL}};
#undef X

/* ---- The table of imports ---- */

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

/* An entry of the dynamic section, to some of whose addresses the loader adds the base: an address,
 * or a number of bytes; 0: there is none. */
static uintptr_t entry_of(const struct link_map *map, ElfW(Sxword) tag, int is_address) {
  for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++)
    if (entry->d_tag == tag)
      return entry->d_un.d_ptr + (is_address && entry->d_un.d_ptr < map->l_addr ? map->l_addr : 0);
  return 0;
}

int rh_imports_redirect(const char *path, const rh_redirect *table, size_t n) {
  static const ElfW(Sxword) tables[][2] = {{DT_JMPREL, DT_PLTRELSZ}, {DT_RELA, DT_RELASZ}};
  rh_dl dl;
  if (rh_dl_open(&dl, path, NULL) != RH_OK) return 0;
  const struct link_map *map = dl.handle; /* as the handles of glibc and of musl are */
  const ElfW(Sym) *symbols = (const void *)entry_of(map, DT_SYMTAB, 1);
  const char *strings = (const void *)entry_of(map, DT_STRTAB, 1);
  for (size_t t = 0; t < RH_COUNT(tables); t++) {
    const ElfW(Rela) *entries = (const void *)entry_of(map, tables[t][0], 1);
    size_t bytes = entries ? entry_of(map, tables[t][1], 0) : 0;
    for (size_t k = 0; k < bytes / sizeof *entries; k++) {
      /* of 32 bits, whose symbols stand elsewhere, none has a name */
      const char *name = strings + symbols[(uint64_t)entries[k].r_info >> 32].st_name;
      for (size_t j = 0; j < n; j++)
        if (strcmp(table[j].name, name) == 0)
          redirect(map->l_addr + entries[k].r_offset, &table[j]);
    }
  }
  rh_dl_close(&dl);
  return 1;
}

int rh_imports_watch(const char *path) {
  int found = rh_imports_redirect(path, watched, RH_COUNT(watched));
  rh_imports_take();
  return found;
}
