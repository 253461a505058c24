#include "base.h"

#include <sys/mman.h>

static size_t bytes(void) {
  return (size_t)sysconf(_SC_PAGESIZE);
}

const uint32_t *rh_fork_mark(void) {
  uint32_t *mark = mmap(NULL, bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mark == MAP_FAILED) return NULL;
#ifdef MADV_WIPEONFORK
  madvise(mark, bytes(), MADV_WIPEONFORK);
#endif
  *mark = 1;
  return mark;
}

void rh_fork_unmark(const uint32_t *mark) {
  if (mark) munmap((void *)(uintptr_t)mark, bytes());
}
