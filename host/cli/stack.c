#include "stack.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>

enum { ENOUGH = 1 << 20, USUAL = 8 << 20, GUARD = 1 << 16 };

static struct {
  int (*main)(int argc, char **argv);
  int argc, status;
  char **argv;
} call;

static void call_main(void) {
  call.status = call.main(call.argc, call.argv);
}

/* Only the thread's stack changes: signals and all else stay as they are. */
static int call_elsewhere(void *stack) {
  ucontext_t here, there;
  if (getcontext(&there) != 0) return call.main(call.argc, call.argv);
  there.uc_stack = (stack_t){.ss_sp = stack, .ss_size = USUAL};
  there.uc_link = &here;
  makecontext(&there, call_main, 0);
  if (swapcontext(&here, &there) != 0) return call.main(call.argc, call.argv);
  return call.status;
}

static void enlarge_threads(void) {
#ifdef __GLIBC__
  pthread_attr_t attributes;
  size_t size;
  if (pthread_getattr_default_np(&attributes) != 0) return;
  if (pthread_attr_getstacksize(&attributes, &size) == 0 && size < ENOUGH &&
      pthread_attr_setstacksize(&attributes, USUAL) == 0)
    pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
#endif
}

int rh_with_stack(int (*main)(int argc, char **argv), int argc, char **argv) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= ENOUGH) return main(argc, argv);
  enlarge_threads();
  void *stack = mmap(NULL, USUAL, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED) return main(argc, argv);
  mprotect(stack, GUARD, PROT_NONE); /* its end */
  call.main = main;
  call.argc = argc;
  call.argv = argv;
  return call_elsewhere(stack);
}
