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

/* ---- Lines ---- */

int rh_state_has(const rh_text *lines, const char *line, size_t length) {
  for (const char *at = lines->s, *end; at && (end = strchr(at, '\n')); at = end + 1)
    if ((size_t)(end - at) == length && memcmp(at, line, length) == 0) return 1;
  return 0;
}

unsigned rh_state_count(int part) {
  rh_text lines = {0};
  unsigned n = 0;
  rh_state_parts[part].take(&lines);
  for (const char *at = lines.s; at && (at = strchr(at, '\n')); at++) n++;
  rh_text_finish(&lines);
  return n;
}

/* Adds a line, once. */
__attribute__((format(printf, 2, 3))) static void add(rh_text *to, const char *format, ...) {
  char *line = NULL;
  va_list args;
  va_start(args, format);
  int length = vasprintf(&line, format, args);
  va_end(args);
  if (length < 0) return;
  for (char *at = line; *at; at++)
    if (*at == '\n') *at = ' ';
  if (!rh_state_has(to, line, (size_t)length)) rh_text_add(to, "%s\n", line);
  free(line);
}

/* Adds the lines of a file that begin with one of the words, which end with null. */
static void add_file(rh_text *to, const char *path, const char *const *words) {
  char line[256];
  FILE *file = fopen(path, "re");
  while (file && fgets(line, sizeof line, file)) {
    line[strcspn(line, "\n")] = 0;
    for (const char *const *word = words; *word; word++)
      if (strncmp(line, *word, strlen(*word)) == 0) add(to, "%s", line);
  }
  if (file) fclose(file);
}

/* Calls `take` with each name in a directory, but for that of its own descriptor. */
static void each_name(const char *path, void (*take)(rh_text *to, const char *name), rh_text *to) {
  DIR *directory = opendir(path);
  for (const struct dirent *entry; directory && (entry = readdir(directory));)
    if (entry->d_name[0] != '.' &&
        (strcmp(path, "/proc/self/fd") != 0 || atoi(entry->d_name) != dirfd(directory)))
      take(to, entry->d_name);
  if (directory) closedir(directory);
}

/* ---- The standard streams ---- */

/* The number of bytes written is known if the stream is a file, as under --verify. */
static void add_stream(rh_text *to, const char *name, FILE *stream, int fd) {
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

static void take_streams(rh_text *to) {
  add_stream(to, "stdin", stdin, 0);
  add_stream(to, "stdout", stdout, STDOUT_FILENO);
  add_stream(to, "stderr", stderr, STDERR_FILENO);
}

/* ---- Other processes and threads ---- */

/* "PID (NAME) STATE PARENT ..."; a name may hold anything. */
static void take_process(rh_text *to, const char *pid) {
  char path[64], line[512] = "";
  int parent = 0;
  snprintf(path, sizeof path, "/proc/%.16s/stat", pid);
  FILE *file = *pid >= '0' && *pid <= '9' ? fopen(path, "re") : NULL;
  if (!file) return;
  line[fread(line, 1, sizeof line - 1, file)] = 0;
  fclose(file);
  char *end = strrchr(line, ')');
  if (!end || sscanf(end + 1, " %*c %d", &parent) != 1 || parent != (int)getpid()) return;
  end[1] = 0;
  add(to, "%s", line);
}

/* Some kernels do not list the children of a task, so if there is a child, all processes are
 * searched. */
static void take_children(rh_text *to) {
  siginfo_t info;
  if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0)
    each_name("/proc", take_process, to);
}

static void take_thread(rh_text *to, const char *id) { add(to, "thread %s", id); }

static void take_threads(rh_text *to) { each_name("/proc/self/task", take_thread, to); }

/* ---- Signals and timers ---- */

/* All actions but the defaults, and what is blocked.  libc installs its own handlers for 32 and 33
 * when a thread is cancelled or ids are set.  The kernel's struct begins with the handler
 * everywhere but on MIPS. */
static void add_actions(rh_text *to) {
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
static void take_signals(rh_text *to) {
  static const enum __itimer_which timers[] = {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF};
  static const char *const names[] = {"alarm", "timer of CPU time", "timer of CPU and system time"};
  add_actions(to);
  add_file(to, "/proc/thread-self/status", (const char *const[]){"SigBlk:", NULL});
  add_file(to, "/proc/self/timers", (const char *const[]){"ID:", NULL});
  for (int k = 0; k < 3; k++) {
    struct itimerval value;
    if (getitimer(timers[k], &value) == 0 && (value.it_value.tv_sec || value.it_value.tv_usec))
      add(to, "%s, every %ld.%06ld s", names[k], (long)value.it_interval.tv_sec,
          (long)value.it_interval.tv_usec);
  }
}

/* ---- Environment, locale, directories ---- */

static void take_environment(rh_text *to) {
  for (char **variable = environ; variable && *variable; variable++) add(to, "%s", *variable);
}

static void take_locale(rh_text *to) {
  locale_t own = uselocale((locale_t)0);
  const char *domain = textdomain(NULL);
  add(to, "locale of the process %s", setlocale(LC_ALL, NULL));
  if (own != LC_GLOBAL_LOCALE) add(to, "locale of the thread %p", (void *)own);
  add(to, "messages of %s", domain ? domain : "");
  add(to, "time zone %s %s, %ld s", tzname[0], tzname[1], timezone);
}

static void take_directories(rh_text *to) {
  static const char *const links[] = {"/proc/self/cwd", "/proc/self/root"};
  char target[4096];
  for (int k = 0; k < 2; k++) {
    ssize_t length = readlink(links[k], target, sizeof target);
    add(to, "%s %.*s", links[k] + 11, length > 0 ? (int)length : 0, target);
  }
  add_file(to, "/proc/self/status", (const char *const[]){"Umask:", NULL});
}

/* ---- What the kernel keeps of a process ---- */

/* A page is mapped meanwhile, because mlockall(MCL_FUTURE) affects new mappings only. */
static void take_attributes(rh_text *to) {
  enum { PAGE = 4096 };
  static const char *const keys[] = {
      "Name:", "Uid:", "Gid:", "VmLck:", "CapEff:", "NoNewPrivs:", "Seccomp:", "Cpus_allowed_list:",
      NULL};
  int death = 0;
  stack_t stack = {0};
  void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  add_file(to, "/proc/thread-self/status", keys);
  if (page != MAP_FAILED) munmap(page, PAGE);
  add_file(to, "/proc/self/limits", (const char *const[]){"Max ", NULL});
  prctl(PR_GET_PDEATHSIG, &death);
  add(to, "dumpable %d, signal when the parent ends %d", prctl(PR_GET_DUMPABLE), death);
  add(to, "process group %d, session %d", (int)getpgrp(), (int)getsid(0));
  add(to, "nice %d, policy %d", getpriority(PRIO_PROCESS, 0), sched_getscheduler(0));
  if (sigaltstack(NULL, &stack) == 0 && !(stack.ss_flags & SS_DISABLE))
    add(to, "signal stack of %zu bytes at %p", stack.ss_size, stack.ss_sp);
}

static void take_floating(rh_text *to) {
  rh_fpstate state = rh_fpstate_save();
  add(to, "%#x %#x", state.words[0], state.words[1]);
}

/* ---- Descriptors ---- */

static void take_descriptor(rh_text *to, const char *number) {
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

static void take_descriptors(rh_text *to) { each_name("/proc/self/fd", take_descriptor, to); }

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
static uint64_t take_mappings(rh_text *to, int part, const rh_text *without) {
  unsigned long long start, end, bytes = 0;
  char *line = NULL, rights[5];
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
    else if (part == RH_STATE_FILES && !is_not_its_own(path) &&
             !rh_state_has(without, path, strlen(path)))
      add(to, "%s", path);
  }
  if (maps) fclose(maps);
  free(line);
  return bytes;
}

static void take_code(rh_text *to) { take_mappings(to, RH_STATE_CODE, NULL); }

static void take_libraries(rh_text *to) { take_mappings(to, RH_STATE_LIBRARIES, NULL); }

static void take_files(rh_text *to) {
  rh_text libraries = {0};
  take_libraries(&libraries);
  take_mappings(to, RH_STATE_FILES, &libraries);
  rh_text_finish(&libraries);
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

#define RH_X(NAME, name, words, how) {take_##name, words, how},
const rh_state_part rh_state_parts[RH_STATE_PARTS] = {RH_STATE_LIST(RH_X)};
#undef RH_X
