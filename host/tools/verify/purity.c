/* V22 and V59: query is a pure function of the question. */
#include "internal.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>

extern char **environ;

/* ---- V22 ---- */

/* More often than a 16-bit counter counts; without --quick, a 20-bit one. */
enum { OFTEN = (1 << 17) + 1, OFTEN_AT_LENGTH = (1 << 20) + 1, A_WHILE = 1 << 13, MOST_S = 15 };

static rh_status often(rh_trial *trial, const rh_question *q) {
  uint64_t times = trial->quick ? OFTEN : OFTEN_AT_LENGTH;
  double until = rh_now() + MOST_S;
  if (q->op == 0) return RH_OK; /* the host declines every question itself */
  for (uint64_t k = 0; k < times; k++) {
    if (k % A_WHILE == 0) rh_trial_phase(trial, "query");
    if (k % A_WHILE == 0 && k >= OFTEN && rh_now() > until) return RH_OK;
    if (!rh_asks_again(trial->strategy, q))
      return rh_question_fail(trial, q, "the answer changed within %llu identical questions",
                              (unsigned long long)k + 2);
  }
  return RH_OK;
}

/* Every question twice, and then one often: the first that is accepted, or the last one. */
static rh_status ask_all(rh_trial *trial) {
  rh_question q = rh_first_question(trial), chosen = {.said = RH_DECLINED};
  while (rh_next_question(trial, &q)) {
    if (chosen.said != RH_OK) chosen = q;
    if (!rh_asks_again(trial->strategy, &q))
      return rh_question_fail(trial, &q, "two different answers to the same question");
  }
  return often(trial, &chosen);
}

RH_TEST(22, "query: the same answer 10^5 times, no allocation, no OpenCL", RH_QUERY_TEST) {
  int watched = rh_imports_watch(trial->path);
  rh_fpstate before = rh_fpstate_save();
  rh_status status = ask_all(trial);
  int changed = rh_fpstate_restore(&before);
  rh_imports_seen seen = rh_imports_take();
  RH_TRY(status);
  if (changed) return rh_trial_fail(trial, "changes the floating-point control word");
  if (seen.opencl) return rh_trial_fail(trial, "calls %s", seen.last);
  if (seen.memory) return rh_trial_fail(trial, "allocates memory: %s", seen.last);
  return watched ? RH_OK
                 : rh_trial_skip(trial, "pure; what it calls cannot be watched on this machine");
}

/* ---- V59: the questions and their first answers ---- */

enum { DEVICES = 6, MOST_QUESTIONS = RH_N_ASKED * DEVICES * (RH_MOST_PAIRS + 2 * RH_MAX_PARAMS) };

typedef struct asked {
  rh_trial *trial;
  rh_question *questions;
  uint32_t n;
  uint32_t at; /* the current question */
  int differs; /* its answer has changed */
} asked;

static void collect(asked *a, const rh_question *question) {
  rh_question *q = &a->questions[a->n++];
  *q = *question;
  rh_ask(a->trial->strategy, q);
  a->trial->digest = rh_hash(a->trial->digest, &q->said, sizeof q->said);
  a->trial->digest = rh_hash(a->trial->digest, &q->answer, sizeof q->answer);
}

/* Each with the default parameters, and some with one parameter at its bound. */
static void collect_all(asked *a) {
  const rh_strategy *strategy = a->trial->strategy;
  rh_question q = rh_first_question(a->trial);
  while (rh_next_question(a->trial, &q)) {
    collect(a, &q);
    if (q.op != RH_OP_sum || q.type != RH_TYPE_f32) continue;
    for (uint32_t k = 0; k < 2 * strategy->n_params; k++) {
      const rh_param *param = rh_strategy_param(strategy, k / 2);
      rh_question other = q;
      other.params[k / 2] = k % 2 ? param->max : param->min;
      collect(a, &other);
    }
  }
}

/* Asks everything again in another order: the step is a prime above n. */
static void ask_again(asked *a) {
  enum { STEP = 1000003 };
  a->differs = 0;
  for (uint32_t k = 0; k < a->n && !a->differs; k++) {
    a->at = (a->at + STEP) % a->n;
    a->differs = !rh_asks_again(a->trial->strategy, &a->questions[a->at]);
  }
}

static rh_status judge_again(asked *a, const char *when) {
  if (!a->differs) return RH_OK;
  return rh_question_fail(a->trial, &a->questions[a->at], "another answer when asked again %s",
                          when);
}

static rh_status try_again(asked *a, const char *when) {
  rh_trial_phase(a->trial, "query");
  ask_again(a);
  return judge_again(a, when);
}

/* ---- A thread without the outside world ---- */

/* clang-format off */
/* System calls that the thread itself needs to end, or that reveal nothing. */
#define ALLOWED_LIST(X) \
  X(exit) X(futex) X(madvise) X(munmap) X(rt_sigaction) X(rt_sigprocmask) X(rt_sigreturn) \
  X(sigaltstack)

/* Functions that read the outside world or keep state, perhaps without a system call. */
#define DENIED_LIST(X) \
  X(time) X(gettimeofday) X(clock_gettime) X(clock) X(timespec_get) X(localtime) X(getenv) \
  X(secure_getenv) X(setlocale) X(localeconv) X(nl_langinfo) X(rand) X(random) X(drand48) \
  X(lrand48) X(mrand48) X(srand) X(srandom) X(srand48) X(getrandom) X(arc4random) X(fopen) \
  X(fopen64) X(open) X(open64) X(getpid) X(gettid) X(pthread_self) X(sched_getcpu) X(sysconf) \
  X(get_nprocs) X(dlopen) X(dlsym) X(dl_iterate_phdr) X(syscall) X(printf) X(puts)
/* clang-format on */

/* One thread is sandboxed at a time; a signal handler takes no argument. */
static struct {
  char violation[96]; /* "calls getenv()" */
  int watches;        /* system calls can be intercepted on this machine */
  rh_guard guard;     /* behind it there is no environment */
} sandbox;
static __thread int is_sandboxed;
static __thread sigjmp_buf way_out;

__attribute__((noreturn)) static void violate(const char *what) {
  is_sandboxed = 0;
  snprintf(sandbox.violation, sizeof sandbox.violation, "%s", what);
  siglongjmp(way_out, 1);
}

#define X(name)                                                                                    \
  static void deny_##name(void) {                                                                  \
    if (is_sandboxed) violate("calls " #name "()");                                                \
  }
DENIED_LIST(X)
#undef X

#define X(name) {#name, deny_##name, NULL},
static const rh_redirect denied[] = {DENIED_LIST(X)};
#undef X

/* Permanent for this thread. */
static int forbid_system_calls(void) {
#define X(name)                                                                                    \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1),                                           \
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      ALLOWED_LIST(X) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP)};
#undef X
  struct sock_fprog program = {RH_COUNT(filter), filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}

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

static void on_signal(int number, siginfo_t *info, void *context) {
  enum { PAGE = 4096 };
  const unsigned char *at = info->si_addr, *environment = sandbox.guard.end;
  char what[48];
  snprintf(what, sizeof what, "makes the system call %d (asm/unistd.h)", info->si_syscall);
  if (is_sandboxed && number == SIGSYS) violate(what);
  if (is_sandboxed && info->si_code == SEGV_ACCERR && at >= environment && at < environment + PAGE)
    violate("reads the environment");
  if (is_sandboxed && info->si_code == SI_KERNEL && reads_clock(context))
    violate("reads the processor's clock");
  is_sandboxed = 0;
  signal(number, SIG_DFL); /* anything else crashes when the instruction is repeated */
}

static void *ask_sandboxed(void *user) {
  if (sigsetjmp(way_out, 0) == 0) {
#if defined(PR_SET_TSC)
    prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
#endif
    sandbox.watches = forbid_system_calls();
    is_sandboxed = 1;
    ask_again(user);
  }
  is_sandboxed = 0;
  return NULL;
}

static rh_status in_sandbox(asked *a) {
  struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_NODEFER},
                   old[2];
  pthread_t thread;
  char **environment = environ;
  rh_trial_phase(a->trial, "query");
  sandbox.violation[0] = 0;
  rh_imports_redirect(a->trial->path, denied, RH_COUNT(denied));
  sigaction(SIGSYS, &action, &old[0]);
  sigaction(SIGSEGV, &action, &old[1]);
  if (rh_guard_map(&sandbox.guard, 1, NULL) == RH_OK) environ = (void *)sandbox.guard.end;
  if (pthread_create(&thread, NULL, ask_sandboxed, a) == 0) pthread_join(thread, NULL);
  environ = environment;
  rh_imports_restore();
  sigaction(SIGSYS, &old[0], NULL);
  sigaction(SIGSEGV, &old[1], NULL);
  rh_guard_unmap(&sandbox.guard);
  if (sandbox.violation[0])
    return rh_question_fail(a->trial, &a->questions[a->at], "query %s", sandbox.violation);
  return judge_again(a, "on another thread");
}

/* ---- Under other conditions ---- */

/* Sets an environment variable for every word of the plugin's file that could name one. */
static void set_words(const char *path) {
  char word[64];
  size_t length = 0;
  FILE *file = fopen(path, "rbe");
  for (int c; file && (c = fgetc(file)) != EOF;) {
    if (c == 0 && length >= 3 && length < sizeof word && strncmp(word, "LD_", 3) != 0) {
      word[length] = 0;
      setenv(word, "7", 1);
    }
    if (isupper(c) || c == '_' || (length && isdigit(c))) {
      if (length < sizeof word) word[length] = (char)c;
      length++;
    } else {
      length = c == 0 ? 0 : sizeof word; /* no word until the next end */
    }
  }
  if (file) fclose(file);
}

/* Other environment variables, and another directory. */
static void change_surroundings(const char *path) {
  static const char *const usual[] = {"HOME", "USER", "LOGNAME", "SHELL",   "TERM",
                                      "LANG", "PWD",  "TZ",      "COLUMNS", "PATH"};
  for (size_t k = 0; k < RH_COUNT(usual); k++) setenv(usual[k], "7", 1);
  set_words(path);
  if (chdir("/") != 0) umask(0077);
}

/* The first process also asks again, in every way. */
static rh_status again_in_all_ways(asked *a, double began) {
  RH_TRY(try_again(a, "in another order, with its structs at other addresses"));
  RH_TRY(in_sandbox(a));
  /* by now a plugin could have timed itself; other tests report runs that fail */
  for (int k = 0; k < 3; k++) rh_try_any_problem(a->trial, 1003);
  if (a->trial->device) RH_TRY(try_again(a, "after a run"));
  while (rh_now() < began + 1.05) usleep(20000);
  if (a->trial->channel) change_surroundings(a->trial->path);
  RH_TRY(
      try_again(a, a->trial->channel ? "a second later, in other surroundings" : "a second later"));
  if (sandbox.watches) return RH_OK;
  return rh_trial_skip(a->trial, "pure; system calls cannot be watched on this machine");
}

/* Runs in two processes with different addresses, process ids and environments; the parent
 * compares their answers. */
RH_TEST(59, "query: depends on nothing but the question", RH_NEEDS_NOTHING, RH_OF_STRATEGY, 2, 20,
        1.5, 1.2) {
  asked a = {.trial = trial};
  double began = rh_now();
  if (trial->variant == 1 && trial->channel) change_surroundings(trial->path);
  RH_TRY(rh_trial_load(trial));
  RH_FREED(rh_question) questions = calloc(MOST_QUESTIONS, sizeof *questions);
  if (!questions) return rh_trial_skip(trial, "out of memory");
  a.questions = questions;
  collect_all(&a);
  return trial->variant == 0 && a.n ? again_in_all_ways(&a, began) : RH_OK;
}
