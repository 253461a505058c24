#include "process.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

unsigned rh_process_threads(void) {
  unsigned n = 0;
  DIR *directory = opendir("/proc/self/task");
  while (directory && readdir(directory)) n++;
  if (directory) closedir(directory);
  return n > 2 ? n - 2 : 0; /* "." and ".." */
}

/* Calls `take` for each shared object that is mapped, by its path; more than once for most. */
static void each_library(void (*take)(void *user, const char *path), void *user) {
  char line[4352];
  FILE *maps = fopen("/proc/self/maps", "re");
  while (maps && fgets(line, sizeof line, maps)) {
    char *path = strchr(line, '/');
    if (!path || !strstr(path, ".so")) continue;
    path[strcspn(path, "\n")] = 0;
    take(user, path);
  }
  if (maps) fclose(maps);
}

static int has_line(const rh_text *text, const char *line) {
  size_t length = strlen(line);
  for (const char *at = text->s; at && *at; at = strchr(at, '\n') + 1)
    if (strncmp(at, line, length) == 0 && at[length] == '\n') return 1;
  return 0;
}

static void take_library(void *user, const char *path) {
  rh_text *libraries = user;
  if (!has_line(libraries, path)) rh_text_add(libraries, "%s\n", path);
}

typedef struct wanted {
  const char *path;
  int found;
} wanted;

static void compare_library(void *user, const char *path) {
  wanted *w = user;
  if (strcmp(w->path, path) == 0) w->found = 1;
}

int rh_process_maps(const char *path) {
  wanted w = {path, 0};
  each_library(compare_library, &w);
  return w.found;
}

/* "3 -> /tmp/x" for each, but for the one that this very loop has open. */
static void list_descriptors(rh_text *text) {
  DIR *directory = opendir("/proc/self/fd");
  struct dirent *entry;
  while (directory && (entry = readdir(directory))) {
    char path[64], to[1024];
    if (entry->d_name[0] == '.' || atoi(entry->d_name) == dirfd(directory)) continue;
    snprintf(path, sizeof path, "/proc/self/fd/%.16s", entry->d_name);
    ssize_t length = readlink(path, to, sizeof to - 1);
    to[length > 0 ? length : 0] = 0;
    rh_text_add(text, "%s -> %s\n", entry->d_name, to);
  }
  if (directory) closedir(directory);
}

void rh_process_look(rh_process *process) {
  memset(process, 0, sizeof *process);
  for (int number = 1; number < NSIG; number++) sigaction(number, NULL, &process->actions[number]);
  sigprocmask(SIG_SETMASK, NULL, &process->mask);
  process->umask = umask(0);
  umask(process->umask);
  if (!getcwd(process->directory, sizeof process->directory)) process->directory[0] = 0;
  for (char **variable = environ; *variable; variable++)
    rh_text_add(&process->environment, "%s\n", *variable);
  list_descriptors(&process->descriptors);
  each_library(take_library, &process->libraries);
  process->threads = rh_process_threads();
}

void rh_process_finish(rh_process *process) {
  rh_text_finish(&process->environment);
  rh_text_finish(&process->descriptors);
  rh_text_finish(&process->libraries);
}

static int changed_signal(const rh_process *before, const rh_process *after) {
  for (int number = 1; number < NSIG; number++)
    if (before->actions[number].sa_handler != after->actions[number].sa_handler) return number;
  return 0;
}

/* The first line of `after` that `before` has not, and that nobody expects. */
static int new_line(const rh_text *before, const rh_text *after,
                    int (*expected)(void *user, const char *line), void *user, char *line,
                    size_t bytes) {
  for (const char *at = after->s; at && *at; at = strchr(at, '\n') + 1) {
    snprintf(line, bytes, "%.*s", (int)strcspn(at, "\n"), at);
    if (!has_line(before, line) && !(expected && expected(user, line))) return 1;
  }
  return 0;
}

const char *rh_process_differs(const rh_process *before, const rh_process *after,
                               int (*expected)(void *user, const char *path), void *user,
                               char *what, size_t bytes) {
  char line[512];
  int number = changed_signal(before, after);
  if (number)
    snprintf(what, bytes, "what signal %d (%s) does", number, strsignal(number));
  else if (memcmp(&before->mask, &after->mask, sizeof before->mask) != 0)
    snprintf(what, bytes, "the signal mask");
  else if (before->umask != after->umask)
    snprintf(what, bytes, "the umask, from %04o to %04o", before->umask, after->umask);
  else if (strcmp(before->directory, after->directory) != 0)
    snprintf(what, bytes, "the working directory, to %s", after->directory);
  else if (strcmp(rh_text_get(&before->environment), rh_text_get(&after->environment)) != 0)
    snprintf(what, bytes, "the environment");
  else if (new_line(&before->descriptors, &after->descriptors, NULL, NULL, line, sizeof line))
    snprintf(what, bytes, "what is open: %s", line);
  else if (new_line(&after->descriptors, &before->descriptors, NULL, NULL, line, sizeof line))
    snprintf(what, bytes, "what is open: %s is not any more", line);
  else if (before->threads != after->threads)
    snprintf(what, bytes, "the number of threads, from %u to %u", before->threads, after->threads);
  else if (new_line(&before->libraries, &after->libraries, expected, user, line, sizeof line))
    snprintf(what, bytes, "what is loaded: %s", line);
  else
    return NULL;
  return what;
}
