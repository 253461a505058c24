#include "path.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>

const char *rh_env(const char *name) {
  const char *value = getenv(name);
  return value && *value ? value : NULL;
}

int rh_is_privileged(void) {
  return getauxval(AT_SECURE) != 0;
}

char *rh_path_join(const char *directory, const char *name) {
  char *path;
  size_t length = strlen(directory);
  const char *slash = length && directory[length - 1] == '/' ? "" : "/";
  return asprintf(&path, "%s%s%s", directory, slash, name) < 0 ? NULL : path;
}

/* The XDG base directory specification: a relative path in the variable is to be ignored. */
static char *xdg(const char *variable, const char *below_home) {
  const char *value = rh_env(variable);
  if (value && value[0] == '/') return strdup(value);
  const char *home = rh_env("HOME");
  return home && home[0] == '/' ? rh_path_join(home, below_home) : NULL;
}

char *rh_path_data_home(void) {
  return xdg("XDG_DATA_HOME", ".local/share");
}

char *rh_path_cache(void) {
  char *base = xdg("XDG_CACHE_HOME", ".cache");
  char *path = base ? rh_path_join(base, "redhost") : NULL;
  free(base);
  return path;
}

char *rh_path_library_dir(void) {
  Dl_info info;
  /* Any address inside this library will do. */
  static const char here;
  if (!dladdr(&here, &info) || !info.dli_fname) return NULL;
  char *path = realpath(info.dli_fname, NULL), *slash = path ? strrchr(path, '/') : NULL;
  if (slash) *slash = 0;
  return path;
}

int rh_path_make_dirs(const char *directory) {
  char *path = strdup(directory);
  if (!path) return -1;
  int result = 0;
  for (char *p = path + 1; result == 0; p++) {
    if (*p != '/' && *p != 0) continue;
    char kept = *p;
    *p = 0;
    if (mkdir(path, 0700) != 0 && errno != EEXIST) result = -1;
    *p = kept;
    if (!kept) break;
  }
  int saved = errno;
  free(path);
  errno = saved;
  return result;
}
