#include "sandbox.h"
#include "imports.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

extern char **environ;

/* clang-format off */
/* Needed by the thread itself to end, or harmless because they reveal nothing. */
#define ALLOWED_LIST(X) \
  X(exit) X(futex) X(madvise) X(munmap) X(rt_sigaction) X(rt_sigprocmask) X(rt_sigreturn) \
  X(sigaltstack)

/* System calls that messages name; others are shown as numbers. */
#define NAMED_LIST(X) \
  X(read) X(write) X(openat) X(close) X(fstat) X(newfstatat) X(lseek) X(mmap) X(mprotect) X(brk) \
  X(ioctl) X(pread64) X(readlinkat) X(getdents64) X(getcwd) X(getpid) X(getppid) X(gettid) \
  X(getuid) X(geteuid) X(uname) X(sysinfo) X(times) X(getrusage) X(gettimeofday) \
  X(clock_gettime) X(clock_nanosleep) X(nanosleep) X(sched_yield) X(sched_getaffinity) X(getcpu) \
  X(getrandom) X(socket) X(connect) X(clone) X(execve) X(kill) X(fcntl) X(statx) X(faccessat) \
  X(prctl)

/* Functions that read the outside world or keep state.  Their names say more than the system
 * calls behind them, and some make none. */
#define DENIED_LIST(X) \
  X(time) X(gettimeofday) X(clock_gettime) X(clock) X(timespec_get) X(times) X(ftime) \
  X(localtime) X(localtime_r) X(mktime) X(sleep) X(usleep) X(nanosleep) X(clock_nanosleep) \
  X(getenv) X(secure_getenv) X(setenv) X(putenv) X(unsetenv) X(clearenv) X(setlocale) \
  X(localeconv) X(nl_langinfo) X(fopen) X(fopen64) X(freopen) X(fread) X(fgets) X(getline) \
  X(open) X(open64) \
  X(openat) X(openat64) X(read) X(pread) X(pread64) X(write) X(access) X(stat) X(stat64) \
  X(lstat) X(fstat) X(readlink) X(opendir) X(getcwd) X(ioctl) X(socket) X(printf) \
  X(__printf_chk) X(fprintf) X(__fprintf_chk) X(puts) X(putchar) X(fputs) X(fwrite) X(perror) \
  X(syslog) X(rand) X(random) X(drand48) X(lrand48) X(mrand48) X(srand) X(srandom) X(srand48) \
  X(getrandom) X(getentropy) X(arc4random) X(arc4random_uniform) X(getpid) X(getppid) X(gettid) \
  X(pthread_self) X(sched_getcpu) X(getcpu) X(getuid) X(geteuid) X(gethostname) X(uname) \
  X(sysconf) X(get_nprocs) X(get_nprocs_conf) X(sysinfo) X(getrusage) X(getloadavg) X(dlopen) \
  X(dlsym) X(dladdr) X(dl_iterate_phdr) X(pthread_create) X(fork) X(vfork) X(system) X(popen) \
  X(execve) X(posix_spawn) X(syscall) X(mmap) X(mmap64) X(sbrk) X(signal) X(sigaction)

/* clang-format on */

static struct {
  void (*work)(void *user);
  void *user;
  rh_sandbox *sandbox;
  void *environment; /* a page that cannot be read */
  size_t page;
} state;
static __thread int is_sandboxed;
static __thread sigjmp_buf way_out;

__attribute__((noreturn)) static void violate(const char *does, const char *what,
                                              const char *behind) {
  is_sandboxed = 0;
  snprintf(state.sandbox->violation, sizeof state.sandbox->violation, "%s %s%s", does, what,
           behind);
  siglongjmp(way_out, 1);
}

#define X(name)                                                                                    \
  static void deny_##name(void) {                                                                  \
    if (is_sandboxed) violate("calls", #name, "()");                                               \
  }
DENIED_LIST(X)
#undef X

static const rh_redirect denied[] = {
#define X(name) {#name, deny_##name},
    DENIED_LIST(X)
#undef X
};

/* ---- System calls ---- */

static const char *name_of(int number, char text[32]) {
  static const struct {
    int number;
    const char *name;
  } named[] = {
#define X(name) {SYS_##name, #name},
      NAMED_LIST(X)
#undef X
  };
  for (size_t k = 0; k < sizeof named / sizeof *named; k++)
    if (named[k].number == number) return named[k].name;
  snprintf(text, 32, "number %d", number);
  return text;
}

/* Permanent for this thread. */
static int forbid_system_calls(void) {
#define X(name)                                                                                    \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1),                                           \
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      ALLOWED_LIST(X) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP)};
#undef X
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}

static void on_system_call(int number, siginfo_t *info, void *context) {
  char text[32];
  (void)number;
  (void)context;
  if (is_sandboxed) violate("makes the system call", name_of(info->si_syscall, text), "");
}

/* ---- Reads without a system call ---- */

/* The instruction that faulted reads the processor's clock: rdtsc or rdtscp. */
static int reads_clock(const void *context) {
#if defined(__x86_64__)
  const ucontext_t *at = context;
  const unsigned char *code = (const unsigned char *)at->uc_mcontext.gregs[REG_RIP];
  return code[0] == 0x0f && (code[1] == 0x31 || (code[1] == 0x01 && code[2] == 0xf9));
#else
  (void)context;
  return 0;
#endif
}

static void on_fault(int number, siginfo_t *info, void *context) {
  uintptr_t at = (uintptr_t)info->si_addr, page = (uintptr_t)state.environment;
  if (is_sandboxed && info->si_code == SEGV_ACCERR && at >= page && at < page + state.page)
    violate("reads", "the environment", "");
  if (is_sandboxed && info->si_code == SI_KERNEL && reads_clock(context))
    violate("reads", "the processor's clock", "");
  is_sandboxed = 0;
  signal(number, SIG_DFL); /* anything else crashes when the instruction is repeated */
}

/* ---- The thread ---- */

static void *run_sandboxed(void *user) {
  (void)user;
  if (sigsetjmp(way_out, 0) == 0) {
#if defined(PR_SET_TSC)
    prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
#endif
    state.sandbox->watches = forbid_system_calls();
    is_sandboxed = 1;
    state.work(state.user);
  }
  is_sandboxed = 0;
  return NULL;
}

static void catch_signal(int number, void (*handler)(int, siginfo_t *, void *),
                         struct sigaction *before) {
  struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_NODEFER};
  sigaction(number, &action, before);
}

void rh_sandbox_run(const char *path, void (*work)(void *user), void *user, rh_sandbox *sandbox) {
  struct sigaction on_call, on_segv;
  pthread_t thread;
  char **environment = environ;
  *sandbox = (rh_sandbox){0};
  state.work = work;
  state.user = user;
  state.sandbox = sandbox;
  state.page = (size_t)sysconf(_SC_PAGESIZE);
  state.environment = mmap(NULL, state.page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  rh_imports_redirect(path, denied, sizeof denied / sizeof *denied);
  catch_signal(SIGSYS, on_system_call, &on_call);
  catch_signal(SIGSEGV, on_fault, &on_segv);
  if (state.environment != MAP_FAILED) environ = state.environment;
  sandbox->started = pthread_create(&thread, NULL, run_sandboxed, NULL) == 0;
  if (sandbox->started) pthread_join(thread, NULL);
  environ = environment;
  rh_imports_restore();
  sigaction(SIGSYS, &on_call, NULL);
  sigaction(SIGSEGV, &on_segv, NULL);
  if (state.environment != MAP_FAILED) munmap(state.environment, state.page);
}
