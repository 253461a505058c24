#include "io.h"

#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>

/* MOST: several files at once; PROBES: so many pages are looked at. */
enum { MOST = 16, PROBES = 64 };

/* A view that is watched.  The handler reads it, so its fields are atomic. */
typedef struct guarded {
  atomic_int is_used;
  atomic_uintptr_t begin, end;  /* of whole pages; 0: none */
  atomic_uint_fast64_t torn_at; /* the byte of the first fault, plus 1; 0: none */
} guarded;

static guarded views[MOST];
static struct sigaction before; /* the handler that was there */
static uintptr_t page_size;

static guarded *find(uintptr_t address) {
  for (uint32_t k = 0; k < MOST; k++)
    if (address >= atomic_load(&views[k].begin) && address < atomic_load(&views[k].end))
      return &views[k];
  return NULL;
}

/* Zeros from the page of `address` to the end.  mmap() is a plain system call: it may be called
 * here, though no standard says so. */
static int put_zeros(guarded *view, uintptr_t address) {
  uintptr_t begin = atomic_load(&view->begin), end = atomic_load(&view->end);
  uintptr_t page = address / page_size * page_size;
  uint_fast64_t none = 0;
  atomic_compare_exchange_strong(&view->torn_at, &none, page - begin + 1);
  void *at = (void *)page;
  return mmap(at, end - page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == at;
}

static void on_bus_error(int number, siginfo_t *info, void *context) {
  uintptr_t address = (uintptr_t)info->si_addr;
  guarded *view = find(address);
  if (view && put_zeros(view, address)) return;
  if (before.sa_flags & SA_SIGINFO) {
    before.sa_sigaction(number, info, context);
  } else if (before.sa_handler == SIG_DFL || before.sa_handler == SIG_IGN) {
    signal(number, SIG_DFL); /* the instruction is repeated, and ends the process */
  } else {
    before.sa_handler(number);
  }
}

static void install(void) {
  struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO}, old;
  sigemptyset(&action.sa_mask);
  if (sigaction(SIGBUS, NULL, &old) != 0) return;
  if ((old.sa_flags & SA_SIGINFO) && old.sa_sigaction == on_bus_error) return;
  before = old;
  sigaction(SIGBUS, &action, NULL);
}

void rh_view_guard_again(void) {
  for (uint32_t k = 0; k < MOST; k++)
    if (atomic_load(&views[k].end)) {
      install();
      return;
    }
}

static uint64_t whole_pages(uint64_t bytes) {
  return (bytes + page_size - 1) / page_size * page_size;
}

int rh_view_open(rh_view *view, int fd, uint64_t bytes) {
  *view = (rh_view){0};
  page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
  if (bytes == 0 || bytes > SIZE_MAX - page_size) return 0;
  uint32_t guard = 0;
  while (guard < MOST && atomic_exchange(&views[guard].is_used, 1)) guard++;
  if (guard == MOST) return 0;
  void *address = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, fd, 0);
  if (address == MAP_FAILED) {
    atomic_store(&views[guard].is_used, 0);
    return 0;
  }
  atomic_store(&views[guard].torn_at, 0);
  atomic_store(&views[guard].begin, (uintptr_t)address);
  atomic_store(&views[guard].end, (uintptr_t)address + whole_pages(bytes));
  *view = (rh_view){address, bytes, guard};
  install();
  return 1;
}

void rh_view_close(rh_view *view) {
  guarded *mine = &views[view->guard];
  if (!view->address) return;
  munmap(view->address, view->bytes);
  atomic_store(&mine->end, 0);
  atomic_store(&mine->begin, 0);
  atomic_store(&mine->is_used, 0);
  *view = (rh_view){0};
}

int rh_view_is_cached(const rh_view *view, uint64_t at, uint64_t bytes) {
  uint64_t first = at / page_size, pages = whole_pages(at + bytes) / page_size - first;
  uint64_t probes = pages < PROBES ? pages : PROBES;
  for (uint64_t k = 0; k < probes; k++) {
    unsigned char is_there = 0;
    uint64_t page = first + (pages - 1) * k / (probes > 1 ? probes - 1 : 1);
    if (mincore(view->address + page * page_size, page_size, &is_there) != 0 || !(is_there & 1))
      return 0;
  }
  return 1;
}

int rh_view_is_torn(const rh_view *view, uint64_t *at) {
  uint64_t torn_at = view->address ? atomic_load(&views[view->guard].torn_at) : 0;
  *at = torn_at ? torn_at - 1 : 0;
  return torn_at != 0;
}

/* Only pages that are whole: what is beside these bytes may still be needed. */
void rh_view_leave(const rh_view *view, uint64_t at, uint64_t bytes) {
  uint64_t begin = whole_pages(at), end = (at + bytes) / page_size * page_size;
  if (end > begin) madvise(view->address + begin, end - begin, MADV_DONTNEED);
}
