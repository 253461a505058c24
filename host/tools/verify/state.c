#include "internal.h"

#include <dirent.h>
#include <libintl.h>
#include <locale.h>
#include <malloc.h>
#include <sched.h>
#include <signal.h>
#include <stdio_ext.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <wchar.h>

extern char **environ;

/* ---- Lines: the keys of an object ---- */

/* Adds a line, once; it need not be UTF-8. */
__attribute__((format(printf, 2, 3))) static void add(json_t *to, const char *format, ...) {
  RH_FREED(char) line = NULL;
  va_list args;
  va_start(args, format);
  int length = vasprintf(&line, format, args);
  va_end(args);
  if (length < 0) return;
  for (char *at = line; *at; at++)
    if (*at == '\n') *at = ' ';
  json_object_set_new_nocheck(to, line, json_null());
}

/* Adds the lines of a file; keys: only those of these keys, "Umask:Uid:". */
static void add_file(json_t *to, const char *path, const char *keys) {
  char line[256];
  FILE *file = fopen(path, "re");
  while (file && fgets(line, sizeof line, file)) {
    line[strcspn(line, "\n")] = 0;
    if (!keys || memmem(keys, strlen(keys), line, strcspn(line, ":") + 1)) add(to, "%s", line);
  }
  if (file) fclose(file);
}

/* Calls `take` with each name in a directory, but for that of its own descriptor. */
static void each_name(const char *path, void (*take)(json_t *to, const char *name), json_t *to) {
  DIR *directory = opendir(path);
  for (const struct dirent *entry; directory && (entry = readdir(directory));)
    if (entry->d_name[0] != '.' &&
        (strcmp(path, "/proc/self/fd") != 0 || atoi(entry->d_name) != dirfd(directory)))
      take(to, entry->d_name);
  if (directory) closedir(directory);
}

/* ---- The standard streams ---- */

/* The number of bytes written is known if the stream is a file, as under --verify. */
static void add_stream(json_t *to, const char *name, FILE *stream, int fd) {
  struct stat st;
  if (fd > 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
    add(to, "%lld bytes written to descriptor %d", (long long)st.st_size, fd);
  if (!stream) return;
  /* Buffered text would appear at exit, or mixed with later output. */
  add(to, "%zu bytes waiting in %s", __fpending(stream), name);
  add(to, "%s: %p of descriptor %d, buffer of %zu%s%s", name, (void *)stream, fileno(stream),
      __fbufsize(stream), __flbf(stream) ? ", line by line" : "",
      fwide(stream, 0) > 0 ? ", wide" : "");
}

static void take_streams(json_t *to) {
  add_stream(to, "stdin", stdin, 0);
  add_stream(to, "stdout", stdout, STDOUT_FILENO);
  add_stream(to, "stderr", stderr, STDERR_FILENO);
}

/* ---- Other processes and threads ---- */

/* A line is "PID (NAME) STATE PARENT ...". */
int rh_state_process(const char *pid, char who[512], char *state, int *parent) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
  FILE *file = *pid >= '0' && *pid <= '9' ? fopen(path, "re") : NULL;
  if (!file) return 0;
  who[fread(who, 1, 511, file)] = 0;
  fclose(file);
  char *end = strrchr(who, ')');
  if (!end || sscanf(end + 1, " %c %d", state, parent) != 2) return 0;
  end[1] = 0;
  return 1;
}

static void take_process(json_t *to, const char *pid) {
  char who[512], state;
  int parent;
  if (rh_state_process(pid, who, &state, &parent) && parent == (int)getpid()) add(to, "%s", who);
}

/* Some kernels do not list the children of a task, so if there is a child, all processes are
 * searched. */
static void take_children(json_t *to) {
  siginfo_t info;
  if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0)
    each_name("/proc", take_process, to);
}

static void take_thread(json_t *to, const char *id) { add(to, "thread %s", id); }

static void take_threads(json_t *to) { each_name("/proc/self/task", take_thread, to); }

/* ---- Signals and timers ---- */

/* All actions but the defaults, and what is blocked.  libc installs its own handlers for 32 and 33
 * when a thread is cancelled or ids are set.  The kernel's struct begins with the handler
 * everywhere but on MIPS. */
static void add_actions(json_t *to) {
  enum { SIGNALS = 64, KERNEL_SET_BYTES = 8 };
  for (int number = 1; number <= SIGNALS; number++) {
    unsigned long words[8] = {0};
    if (number == 32 || number == 33 ||
        syscall(SYS_rt_sigaction, number, NULL, words, KERNEL_SET_BYTES) != 0 ||
        words[0] == (unsigned long)SIG_DFL)
      continue;
    add(to, "signal %d (%s) %s by %lx, %lx %lx %lx", number, strsignal(number),
        words[0] == (unsigned long)SIG_IGN ? "ignored" : "handled", words[0], words[1], words[2],
        words[3]);
  }
}

/* The remaining time changes by itself, so only whether a timer runs is recorded. */
static void take_signals(json_t *to) {
  static const enum __itimer_which timers[] = {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF};
  static const char *const names[] = {"alarm", "timer of CPU time", "timer of CPU and system time"};
  add_actions(to);
  add_file(to, "/proc/thread-self/status", "SigBlk:");
  add_file(to, "/proc/self/timers", "ID:");
  for (int k = 0; k < 3; k++) {
    struct itimerval value;
    if (getitimer(timers[k], &value) == 0 && (value.it_value.tv_sec || value.it_value.tv_usec))
      add(to, "%s, every %ld.%06ld s", names[k], (long)value.it_interval.tv_sec,
          (long)value.it_interval.tv_usec);
  }
}

/* ---- Environment, locale, directories ---- */

static void take_environment(json_t *to) {
  for (char **variable = environ; variable && *variable; variable++) add(to, "%s", *variable);
}

static void take_locale(json_t *to) {
  locale_t own = uselocale((locale_t)0);
  const char *domain = textdomain(NULL);
  add(to, "locale of the process %s", setlocale(LC_ALL, NULL));
  if (own != LC_GLOBAL_LOCALE) add(to, "locale of the thread %p", (void *)own);
  add(to, "messages of %s", domain ? domain : "");
  add(to, "time zone %s %s, %ld s", tzname[0], tzname[1], timezone);
}

static void take_directories(json_t *to) {
  static const char *const links[] = {"/proc/self/cwd", "/proc/self/root"};
  char target[4096];
  for (int k = 0; k < 2; k++) {
    ssize_t length = readlink(links[k], target, sizeof target);
    add(to, "%s %.*s", links[k] + 11, length > 0 ? (int)length : 0, target);
  }
  add_file(to, "/proc/self/status", "Umask:");
}

/* ---- What the kernel keeps of a process ---- */

/* A page is mapped meanwhile, because mlockall(MCL_FUTURE) affects new mappings only. */
static void take_attributes(json_t *to) {
  enum { PAGE = 4096 };
  static const char keys[] = "Name:Uid:Gid:VmLck:CapEff:NoNewPrivs:Seccomp:Cpus_allowed_list:";
  int death = 0;
  stack_t stack = {0};
  void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  add_file(to, "/proc/thread-self/status", keys);
  if (page != MAP_FAILED) munmap(page, PAGE);
  add_file(to, "/proc/self/limits", NULL);
  prctl(PR_GET_PDEATHSIG, &death);
  add(to, "dumpable %d, signal when the parent ends %d", prctl(PR_GET_DUMPABLE), death);
  add(to, "process group %d, session %d", (int)getpgrp(), (int)getsid(0));
  add(to, "nice %d, policy %d", getpriority(PRIO_PROCESS, 0), sched_getscheduler(0));
  if (sigaltstack(NULL, &stack) == 0 && !(stack.ss_flags & SS_DISABLE))
    add(to, "signal stack of %zu bytes at %p", stack.ss_size, stack.ss_sp);
}

static void take_floating(json_t *to) { add(to, "%#" PRIx64, rh_fpstate_save().control); }

/* ---- Descriptors ---- */

static void take_descriptor(json_t *to, const char *number) {
  char path[64], target[1024];
  struct stat st = {0};
  int fd = atoi(number);
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(path, target, sizeof target);
  fstat(fd, &st);
  add(to, "descriptor %d: %.*s, position %lld, flags %#x, inode %llu", fd,
      length > 0 ? (int)length : 0, target, (long long)lseek(fd, 0, SEEK_CUR),
      (unsigned)fcntl(fd, F_GETFL), (unsigned long long)st.st_ino);
}

static void take_descriptors(json_t *to) { each_name("/proc/self/fd", take_descriptor, to); }

/* ---- Mappings ---- */

/* Files that libc maps when a locale or character set is first used, and keeps mapped; and device
 * files, which drivers map.  POSIX shared memory is not one of them. */
static int is_not_its_own(const char *path) {
  const char *name = strrchr(path, '/'), *end = strrchr(path, '.');
  if (!name || (strncmp(path, "/dev/", 5) == 0 && strncmp(path, "/dev/shm/", 9) != 0)) return 1;
  return strncmp(name, "/LC_", 4) == 0 || strncmp(name, "/SYS_LC_", 8) == 0 ||
         strcmp(name, "/locale-archive") == 0 || strcmp(name, "/gconv-modules.cache") == 0 ||
         (end && strcmp(end, ".mo") == 0);
}

/* Adds mappings of one kind, and returns the bytes of private memory without a file.  Lines are
 * "7f0000000000-7f0000001000 rw-p 00000000 00:00 0          /path". */
static uint64_t take_mappings(json_t *to, int part, const json_t *without) {
  unsigned long long start, end, bytes = 0;
  RH_FREED(char) line = NULL;
  char rights[5];
  size_t capacity = 0;
  int at = 0;
  FILE *maps = fopen("/proc/self/maps", "re");
  while (maps && getline(&line, &capacity, maps) > 0) {
    line[strcspn(line, "\n")] = 0;
    if (sscanf(line, "%llx-%llx %4s %*s %*s %*s%n", &start, &end, rights, &at) != 3) continue;
    const char *path = line + at + strspn(line + at, " ");
    int is_code = rights[2] == 'x';
    if (rights[1] == 'w' && rights[3] == 'p' && *path != '/') bytes += end - start;
    if (part == RH_STATE_CODE && is_code && rights[1] == 'w')
      add(to, "memory at %llx %s", start, path);
    /* a mapped file with executable code counts as a library */
    else if (part == RH_STATE_LIBRARIES && is_code && !is_not_its_own(path)) add(to, "%s", path);
    else if (part == RH_STATE_FILES && !is_not_its_own(path) && !json_object_get(without, path))
      add(to, "%s", path);
  }
  if (maps) fclose(maps);
  return bytes;
}

static void take_code(json_t *to) { take_mappings(to, RH_STATE_CODE, NULL); }

static void take_libraries(json_t *to) { take_mappings(to, RH_STATE_LIBRARIES, NULL); }

static void take_files(json_t *to) {
  json_auto_t *libraries = rh_state_take(RH_STATE_LIBRARIES);
  take_mappings(to, RH_STATE_FILES, libraries);
}

uint64_t rh_state_other_memory(void) {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
  struct mallinfo2 info = mallinfo2();
  uint64_t of_malloc = info.arena + info.hblkhd, all = take_mappings(NULL, RH_STATE_PARTS, NULL);
  return of_malloc && all > of_malloc ? all - of_malloc : 0;
#else
  return 0;
#endif
}

/* ---- Parts ---- */

/* How a part is compared; 0: any difference counts. */
enum {
  MAY_HOLD = 1 << 0,  /* an instance may have more of it from setup to teardown */
  MAY_GO = 1 << 1,    /* only additions count: drivers end their threads and unmap their files */
  MAY_SETTLE = 1 << 2 /* the kernel or a driver releases it a moment later */
};

static const struct {
  void (*take)(json_t *to); /* adds its lines */
  const char *words;        /* in messages */
  int how;
} parts[] = {
#define RH_X(name, take, words, how) {take, words, how},
    RH_STATE_LIST(RH_X)
#undef RH_X
};

json_t *rh_state_take(int part) {
  json_t *lines = json_object();
  parts[part].take(lines);
  return lines;
}

/* ---- Footprints ---- */

void rh_footprint_allow(rh_footprint *footprint, int part, const char *line) {
  if (!footprint->allowed[part]) footprint->allowed[part] = json_object();
  add(footprint->allowed[part], "%s", line);
}

/* Takes lines from the base that have gone since the plugin's code left, and allows those that are
 * new; but not of the streams, if kernels may print. */
void rh_footprint_enter(rh_footprint *footprint, int kernels_may_print) {
  const char *line;
  json_t *unused;
  for (int part = 0; footprint && part < RH_STATE_PARTS; part++) {
    if (footprint->unsteady >> part & 1) continue;
    json_t *now = rh_state_take(part), *before = footprint->outside[part];
    if (!footprint->base[part]) {
      footprint->base[part] = now;
      continue;
    }
    if (!(kernels_may_print && part == RH_STATE_STREAMS)) {
      json_object_foreach(before, line, unused) {
        if (!json_object_get(now, line)) json_object_del(footprint->base[part], line);
      }
      json_object_foreach(now, line, unused) {
        if (!json_object_get(before, line)) rh_footprint_allow(footprint, part, line);
      }
    }
    json_decref(now);
  }
}

void rh_footprint_leave(rh_footprint *footprint) {
  for (int part = 0; footprint && part < RH_STATE_PARTS; part++) {
    json_decref(footprint->outside[part]);
    footprint->outside[part] = footprint->unsteady >> part & 1 ? NULL : rh_state_take(part);
  }
}

/* The first line that is in neither of the others, or null. */
static const char *first_line(json_t *from, const json_t *without, const json_t *nor) {
  const char *line;
  json_t *unused;
  json_object_foreach(from, line, unused) {
    if (!json_object_get(without, line) && !json_object_get(nor, line)) return line;
  }
  return NULL;
}

/* Sets footprint->part and ->said to the first difference: "setup changes X: now 'x'", "no longer
 * 'y'", or both.  While an instance exists, it may have more of some parts. */
static int differs(rh_footprint *footprint, const char *phase, int ends) {
  for (int part = 0; part < RH_STATE_PARTS; part++) {
    json_t *base = footprint->base[part], *now = footprint->outside[part];
    const int may_hold = parts[part].how & MAY_HOLD, may_go = parts[part].how & MAY_GO;
    const char *gained = may_hold && !ends ? NULL : first_line(now, base, footprint->allowed[part]);
    const char *lost = may_go ? NULL : first_line(base, now, NULL);
    RH_FINISHED(rh_text) said = {0};
    if (!gained && !lost) continue;
    rh_text_add(&said,
                may_hold && ends ? "after %s, %s are not as before: " : "%s changes %s: ", phase,
                parts[part].words);
    if (gained) rh_text_add(&said, "now '%s'", gained);
    if (lost) rh_text_add(&said, "%sno longer '%s'", gained ? ", " : "", lost);
    snprintf(footprint->said, sizeof footprint->said, "%s", rh_text_get(&said));
    footprint->part = part;
    return 1;
  }
  return 0;
}

/* A difference counts only if it persists: the kernel lists a joined thread a moment longer. */
void rh_footprint_judge(rh_footprint *footprint, const char *phase, int ends) {
  enum { LOOKS = 100, PAUSE_US = 5000 };
  if (!footprint) return;
  rh_footprint_leave(footprint);
  int has_changed = !footprint->said[0] && differs(footprint, phase, ends);
  for (int k = 0; has_changed && k < LOOKS && parts[footprint->part].how & MAY_SETTLE; k++) {
    usleep(PAUSE_US);
    rh_footprint_leave(footprint);
    if (!(has_changed = differs(footprint, phase, ends))) footprint->said[0] = 0;
  }
  if (ends) rh_footprint_finish(footprint);
}

void rh_footprint_finish(rh_footprint *footprint) {
  for (int part = 0; part < RH_STATE_PARTS; part++) {
    json_decref(footprint->base[part]);
    json_decref(footprint->allowed[part]);
    json_decref(footprint->outside[part]);
    footprint->base[part] = footprint->allowed[part] = footprint->outside[part] = NULL;
  }
}
