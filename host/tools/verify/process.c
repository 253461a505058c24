#include "process.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

unsigned rh_process_threads(void) {
  unsigned n = 0;
  DIR *directory = opendir("/proc/self/task");
  while (directory && readdir(directory)) n++;
  if (directory) closedir(directory);
  return n > 2 ? n - 2 : 0; /* "." and ".." */
}

/* ---- Mappings ---- */

/* "7f0000000000-7f0000001000 rw-p 00000000 00:00 0          /path" */
static int read_mapping(char *line, rh_mapping *mapping) {
  enum { FIELDS_BEFORE_PATH = 5 };
  char *at;
  line[strcspn(line, "\n")] = 0;
  uint64_t start = strtoull(line, &at, 16);
  if (*at != '-') return 0;
  uint64_t end = strtoull(at + 1, &at, 16);
  if (strlen(at) < 5) return 0;
  const char *rights = at + 1, *path = line;
  for (int k = 0; k < FIELDS_BEFORE_PATH; k++) {
    path += strcspn(path, " ");
    path += strspn(path, " ");
  }
  *mapping = (rh_mapping){.start = start,
                          .bytes = end - start,
                          .is_writable = rights[1] == 'w',
                          .is_executable = rights[2] == 'x',
                          .is_private = rights[3] == 'p',
                          .path = path};
  return 1;
}

void rh_process_each_mapping(void (*take)(void *user, const rh_mapping *mapping), void *user) {
  char *line = NULL;
  size_t capacity = 0;
  FILE *maps = fopen("/proc/self/maps", "re");
  while (maps && getline(&line, &capacity, maps) > 0) {
    rh_mapping mapping;
    if (read_mapping(line, &mapping)) take(user, &mapping);
  }
  if (maps) fclose(maps);
  free(line);
}

typedef struct wanted {
  const char *path;
  int found;
} wanted;

static void compare_path(void *user, const rh_mapping *mapping) {
  wanted *w = user;
  if (strcmp(w->path, mapping->path) == 0) w->found = 1;
}

int rh_process_maps(const char *path) {
  wanted w = {path, 0};
  rh_process_each_mapping(compare_path, &w);
  return w.found;
}

/* ---- Children ---- */

void rh_process_adopt_orphans(void) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
}

static int has_children(void) {
  siginfo_t info;
  return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0 || errno != ECHILD;
}

/* "PID (NAME) STATE PARENT ..."; a name may hold anything. */
static int read_stat(const char *pid, char *name, size_t bytes, char *state, int *parent) {
  char path[64], line[512] = "";
  snprintf(path, sizeof path, "/proc/%.16s/stat", pid);
  FILE *file = fopen(path, "re");
  if (!file) return 0;
  size_t length = fread(line, 1, sizeof line - 1, file);
  fclose(file);
  line[length] = 0;
  char *begin = strchr(line, '('), *end = strrchr(line, ')');
  if (!begin || !end || sscanf(end + 1, " %c %d", state, parent) != 2) return 0;
  snprintf(name, bytes, "%.*s", (int)(end - begin - 1), begin + 1);
  return 1;
}

/* Not all kernels list the children of a task, so if there is a child, all processes are
 * searched. */
void rh_process_each_child(void (*take)(void *user, pid_t pid, char state, const char *name),
                           void *user) {
  struct dirent *entry;
  DIR *directory = has_children() ? opendir("/proc") : NULL;
  while (directory && (entry = readdir(directory))) {
    char name[64], state;
    int parent;
    if (!isdigit((unsigned char)entry->d_name[0])) continue;
    if (read_stat(entry->d_name, name, sizeof name, &state, &parent) && parent == (int)getpid())
      take(user, (pid_t)atoi(entry->d_name), state, name);
  }
  if (directory) closedir(directory);
}
