#include "snapshot.h"
#include "lines.h"
#include "process.h"

#include <dirent.h>
#include <libintl.h>
#include <locale.h>
#include <malloc.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

extern char **environ;

/* ---- The standard streams ---- */

/* The number of bytes written is known if the stream is a file, as under --verify. */
static void add_written(rh_text *to, const char *key, int fd) {
  struct stat st;
  if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
    rh_lines_add(to, key, "%lld bytes written", (long long)st.st_size);
}

/* Buffered text would appear at exit, or mixed with later output. */
static void add_stream(rh_text *to, const char *name, FILE *stream) {
  char key[48];
  snprintf(key, sizeof key, "text waiting in %s", name);
  rh_lines_add(to, key, "%zu bytes", stream ? __fpending(stream) : 0);
  snprintf(key, sizeof key, "stream %s", name);
  if (stream)
    rh_lines_add(to, key, "%p of descriptor %d, buffer of %zu%s%s", (void *)stream, fileno(stream),
                 __fbufsize(stream), __flbf(stream) ? ", line by line" : "",
                 fwide(stream, 0) > 0 ? ", wide" : "");
}

void rh_take_streams(rh_text *to) {
  struct stat out, err;
  add_written(to, "standard output", STDOUT_FILENO);
  if (fstat(STDOUT_FILENO, &out) != 0 || fstat(STDERR_FILENO, &err) != 0 ||
      out.st_dev != err.st_dev || out.st_ino != err.st_ino)
    add_written(to, "standard error", STDERR_FILENO);
  add_stream(to, "stdin", stdin);
  add_stream(to, "stdout", stdout);
  add_stream(to, "stderr", stderr);
}

/* ---- Other processes and threads ---- */

static void add_child(void *user, pid_t pid, char state, const char *name) {
  char key[32];
  snprintf(key, sizeof key, "process %d", (int)pid);
  rh_lines_add(user, key, "%s%s", name, state == 'Z' ? ", ended and not waited for" : "");
}

void rh_take_children(rh_text *to) {
  rh_process_each_child(add_child, to);
}

void rh_take_threads(rh_text *to) {
  struct dirent *entry;
  DIR *directory = opendir("/proc/self/task");
  while (directory && (entry = readdir(directory))) {
    char path[64], key[32];
    if (entry->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "/proc/self/task/%.16s/comm", entry->d_name);
    snprintf(key, sizeof key, "thread %.16s", entry->d_name);
    rh_lines_add_file(to, key, path);
  }
  if (directory) closedir(directory);
}

/* ---- Environment, locale, directories ---- */

void rh_take_environment(rh_text *to) {
  for (char **variable = environ; variable && *variable; variable++) {
    char *key = strdup(*variable), *value = key ? strchr(key, '=') : NULL;
    if (value) *value++ = 0;
    if (key) rh_lines_add(to, key, "%s", value ? value : "");
    free(key);
  }
}

void rh_take_locale(rh_text *to) {
  locale_t own = uselocale((locale_t)0);
  const char *domain = textdomain(NULL);
  rh_lines_add(to, "process", "%s", setlocale(LC_ALL, NULL));
  if (own == LC_GLOBAL_LOCALE)
    rh_lines_add(to, "thread", "that of the process");
  else
    rh_lines_add(to, "thread", "its own, %p", (void *)own);
  rh_lines_add(to, "messages", "%s", domain ? domain : "");
  rh_lines_add(to, "time zone", "%s %s, %ld s", tzname[0], tzname[1], timezone);
}

static void add_link(rh_text *to, const char *key, const char *path) {
  char target[4096];
  ssize_t length = readlink(path, target, sizeof target - 1);
  if (length >= 0) rh_lines_add(to, key, "%.*s", (int)length, target);
}

void rh_take_directories(rh_text *to) {
  add_link(to, "working directory", "/proc/self/cwd");
  add_link(to, "root directory", "/proc/self/root");
}

/* ---- Descriptors ---- */

static void add_flags(rh_text *value, const char *number) {
  char path[64], line[128], name[8], says[64];
  snprintf(path, sizeof path, "/proc/self/fdinfo/%.16s", number);
  FILE *file = fopen(path, "re");
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, "%7[a-z]: %63s", name, says) == 2 &&
        (strcmp(name, "pos") == 0 || strcmp(name, "flags") == 0))
      rh_text_add(value, ", %s %s", name, says);
  if (file) fclose(file);
}

/* All but the descriptor of this loop's own directory stream. */
void rh_take_descriptors(rh_text *to) {
  struct dirent *entry;
  DIR *directory = opendir("/proc/self/fd");
  while (directory && (entry = readdir(directory))) {
    char path[64], target[1024], key[48];
    struct stat st = {0};
    rh_text value = {0};
    int fd = atoi(entry->d_name);
    if (entry->d_name[0] == '.' || fd == dirfd(directory)) continue;
    snprintf(path, sizeof path, "/proc/self/fd/%.16s", entry->d_name);
    snprintf(key, sizeof key, "descriptor %.16s", entry->d_name);
    ssize_t length = readlink(path, target, sizeof target - 1);
    if (length >= 0) rh_text_append(&value, target, (size_t)length);
    add_flags(&value, entry->d_name);
    fstat(fd, &st);
    rh_lines_add(to, key, "%s, inode %llu", rh_text_get(&value), (unsigned long long)st.st_ino);
    rh_text_finish(&value);
  }
  if (directory) closedir(directory);
}

/* ---- Mappings ---- */

/* Files that libc maps when a locale or character set is first used, and keeps mapped. */
static int is_libcs(const char *path) {
  const char *name = strrchr(path, '/'), *end = strrchr(path, '.');
  return name && (strncmp(name, "/LC_", 4) == 0 || strncmp(name, "/SYS_LC_", 8) == 0 ||
                  strcmp(name, "/locale-archive") == 0 ||
                  strcmp(name, "/gconv-modules.cache") == 0 || (end && strcmp(end, ".mo") == 0));
}

/* Device files, which drivers map.  POSIX shared memory is not one of them. */
static int is_device(const char *path) {
  return strncmp(path, "/dev/", 5) == 0 && strncmp(path, "/dev/shm/", 9) != 0;
}

static void add_code(void *user, const rh_mapping *mapping) {
  char key[64];
  if (!mapping->is_writable || !mapping->is_executable) return;
  snprintf(key, sizeof key, "memory at %llx", (unsigned long long)mapping->start);
  rh_lines_add(user, key, "%s", mapping->path);
}

void rh_take_code(rh_text *to) {
  rh_process_each_mapping(add_code, to);
}

/* A mapped file with executable code counts as a library. */
static void add_library(void *user, const rh_mapping *mapping) {
  if (mapping->path[0] == '/' && mapping->is_executable && !is_device(mapping->path))
    rh_lines_add(user, mapping->path, "%s", "");
}

void rh_take_libraries(rh_text *to) {
  rh_process_each_mapping(add_library, to);
}

/* The segments of one file are adjacent. */
typedef struct files {
  rh_text *to;
  char path[4096];
  int is_library;
} files;

static void end_file(files *f) {
  if (f->path[0] && !f->is_library && !is_device(f->path) && !is_libcs(f->path))
    rh_lines_add(f->to, f->path, "%s", "");
  f->path[0] = 0;
  f->is_library = 0;
}

static void add_segment(void *user, const rh_mapping *mapping) {
  files *f = user;
  if (mapping->path[0] != '/') return;
  if (strcmp(f->path, mapping->path) != 0) {
    end_file(f);
    snprintf(f->path, sizeof f->path, "%s", mapping->path);
  }
  f->is_library |= mapping->is_executable;
}

void rh_take_files(rh_text *to) {
  files f = {.to = to};
  rh_process_each_mapping(add_segment, &f);
  end_file(&f);
}

static void add_private(void *user, const rh_mapping *mapping) {
  if (mapping->is_writable && mapping->is_private && mapping->path[0] != '/')
    *(uint64_t *)user += mapping->bytes;
}

uint64_t rh_snapshot_other_memory(void) {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
  struct mallinfo2 info = mallinfo2();
  uint64_t all = 0, of_malloc = info.arena + info.hblkhd;
  rh_process_each_mapping(add_private, &all);
  return of_malloc && all > of_malloc ? all - of_malloc : 0;
#else
  return 0;
#endif
}

/* ---- The whole ---- */

static const struct {
  void (*take)(rh_text *to);
  const char *words;
  int how;
} parts[] = {
#define RH_X(NAME, name, words, how) {rh_take_##name, words, how},
    RH_SNAPSHOT_LIST(RH_X)
#undef RH_X
};

const char *rh_snapshot_words(int part) {
  return parts[part].words;
}

int rh_snapshot_how(int part) {
  return parts[part].how;
}

void rh_snapshot_take_part(rh_snapshot *snapshot, int part) {
  rh_text_finish(&snapshot->parts[part]);
  parts[part].take(&snapshot->parts[part]);
}

void rh_snapshot_take(rh_snapshot *snapshot, uint32_t without) {
  for (int part = 0; part < RH_SNAPSHOT_PARTS; part++)
    if (!(without >> part & 1)) rh_snapshot_take_part(snapshot, part);
}

void rh_snapshot_finish(rh_snapshot *snapshot) {
  for (int part = 0; part < RH_SNAPSHOT_PARTS; part++) rh_text_finish(&snapshot->parts[part]);
}
