#include "guard.h"
#include "../../core/base/error.h"

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* How far out of bounds an access may be and still be detected. */
enum { GUARD_BYTES = 1 << 20 };

/* Static, because a signal handler takes no argument. */
static struct {
  unsigned char *begin, *end;
  void *volatile touched;
} guards[RH_MOST_GUARDS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned n_guards;
static struct sigaction before[2];

static void open_side(unsigned char *side) {
  mprotect(side, GUARD_BYTES, PROT_READ | PROT_WRITE);
}

/* After the handler returns, the access is repeated and succeeds.  A fault elsewhere is repeated
 * under the previous action. */
static void on_fault(int signal, siginfo_t *info, void *context) {
  unsigned char *at = info->si_addr;
  (void)context;
  for (int k = 0; k < RH_MOST_GUARDS; k++) {
    unsigned char *begin = guards[k].begin, *end = guards[k].end;
    if (!begin || at < begin - GUARD_BYTES || at >= end + GUARD_BYTES) continue;
    if (!guards[k].touched) guards[k].touched = at;
    open_side(at < begin ? begin - GUARD_BYTES : end);
    return;
  }
  sigaction(signal, &before[signal == SIGBUS], NULL);
}

static void catch_faults(void) {
  struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER};
  sigemptyset(&action.sa_mask);
  sigaction(SIGSEGV, &action, &before[0]);
  sigaction(SIGBUS, &action, &before[1]);
}

static void restore_fault_action(void) {
  sigaction(SIGSEGV, &before[0], NULL);
  sigaction(SIGBUS, &before[1], NULL);
}

static int enter(unsigned char *begin, unsigned char *end) {
  int slot = 0;
  pthread_mutex_lock(&lock);
  while (slot < RH_MOST_GUARDS && guards[slot].begin) slot++;
  if (slot < RH_MOST_GUARDS) {
    guards[slot].touched = NULL;
    guards[slot].end = end;
    guards[slot].begin = begin;
    if (n_guards++ == 0) catch_faults();
  }
  pthread_mutex_unlock(&lock);
  return slot;
}

rh_status rh_guard_map(rh_guard *guard, size_t bytes, rh_error *error) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE), whole = (bytes + page - 1) / page * page;
  if (whole == 0) whole = page;
  *guard = (rh_guard){0};
  unsigned char *mapping = mmap(NULL, whole + 2 * (size_t)GUARD_BYTES, PROT_NONE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) return rh_fail(error, RH_E_NOMEM, "no memory for %zu bytes", bytes);
  unsigned char *begin = mapping + GUARD_BYTES;
  int slot = mprotect(begin, whole, PROT_READ | PROT_WRITE) == 0 ? enter(begin, begin + whole)
                                                                 : RH_MOST_GUARDS;
  if (slot < RH_MOST_GUARDS) {
    *guard = (rh_guard){.begin = begin, .end = begin + whole, .slot = slot};
    return RH_OK;
  }
  munmap(mapping, whole + 2 * (size_t)GUARD_BYTES);
  return rh_fail(error, RH_E_NOMEM, "no memory for %zu bytes between guard pages", bytes);
}

void rh_guard_unmap(rh_guard *guard) {
  if (!guard->begin) return;
  pthread_mutex_lock(&lock);
  guards[guard->slot].begin = NULL;
  if (--n_guards == 0) restore_fault_action();
  pthread_mutex_unlock(&lock);
  munmap(guard->begin - GUARD_BYTES, (size_t)(guard->end - guard->begin) + 2 * (size_t)GUARD_BYTES);
  *guard = (rh_guard){0};
}

int rh_guard_touched(const rh_guard *guard, ptrdiff_t *at) {
  unsigned char *touched = guards[guard->slot].touched;
  if (!touched) return 0;
  *at = touched - guard->begin;
  guards[guard->slot].touched = NULL;
  mprotect(guard->begin - GUARD_BYTES, GUARD_BYTES, PROT_NONE);
  mprotect(guard->end, GUARD_BYTES, PROT_NONE);
  return 1;
}
