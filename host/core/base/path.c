#include "base.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/auxv.h>

const char *rh_env(const char *name) {
  const char *value = getenv(name);
  return value && *value ? value : NULL;
}

int rh_is_privileged(void) { return getauxval(AT_SECURE) != 0; }

/* Is `path`, without links, below `directory`? */
static int is_below(const char *path, const char *directory) {
  RH_FREED(char) real = directory ? realpath(directory, NULL) : NULL;
  size_t length = real ? strlen(real) : 0;
  return length > 1 && strncmp(path, real, length) == 0 && path[length] == '/';
}

rh_status rh_path_check_privileges(const char *path, rh_error *error) {
  if (!rh_is_privileged()) return RH_OK;
  RH_FREED(char) real = realpath(path, NULL);
  RH_FREED(char) library = rh_path_library_dir();
  if (real && (is_below(real, library) || is_below(real, REDHOST_LIB_DIR))) return RH_OK;
  return rh_fail(error, RH_E_PLUGIN,
                 "is not loaded, because the program runs with raised privileges: then only what "
                 "was installed with redhost is");
}

char *rh_path_join(const char *directory, const char *name) {
  char *path;
  size_t length = strlen(directory);
  const char *slash = length && directory[length - 1] == '/' ? "" : "/";
  return asprintf(&path, "%s%s%s", directory, slash, name) < 0 ? NULL : path;
}

const char *rh_path_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

char *rh_path_beside(const char *path, const char *name) {
  char *beside;
  int directory = *name == '/' ? 0 : (int)(rh_path_name(path) - path);
  return asprintf(&beside, "%.*s%s", directory, path, name) < 0 ? NULL : beside;
}

/* The XDG base directory specification requires that a relative path in the variable is ignored. */
static char *xdg(const char *variable, const char *below_home) {
  const char *value = rh_env(variable);
  if (value && value[0] == '/') return strdup(value);
  const char *home = rh_env("HOME");
  return home && home[0] == '/' ? rh_path_join(home, below_home) : NULL;
}

char *rh_path_data_home(void) { return xdg("XDG_DATA_HOME", ".local/share"); }

char *rh_path_cache(void) {
  RH_FREED(char) base = xdg("XDG_CACHE_HOME", ".cache");
  return base ? rh_path_join(base, "redhost") : NULL;
}

char *rh_path_search(const char *name, int mode) {
  struct stat info;
  const char *at = rh_env("PATH");
  for (size_t length; at && *at; at += length + (at[length] == ':')) {
    length = strcspn(at, ":");
    RH_FREED(char) directory = length ? strndup(at, length) : NULL;
    char *path = directory ? rh_path_join(directory, name) : NULL;
    if (path && stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, mode) == 0)
      return path;
    free(path);
  }
  return NULL;
}

/* The directory of `file`, malloc'ed; null if it cannot be found. */
static char *directory_of(const char *file) {
  char *path = realpath(file, NULL), *slash = path ? strrchr(path, '/') : NULL;
  if (slash) *slash = 0;
  return path;
}

char *rh_path_library_dir(void) {
  static const char here; /* any address inside this code will do */
  Dl_info info;
  struct link_map *object = NULL;
  if (!dladdr1(&here, &info, (void **)&object, RTLD_DL_LINKMAP) || !object) return NULL;
  if (object->l_name[0]) return directory_of(object->l_name);
  /* dladdr gives no path for a program.  With raised privileges the file's location cannot be
   * trusted: another user may have linked the file into their own directory. */
  if (rh_is_privileged()) return strdup(REDHOST_LIB_DIR);
  RH_FREED(char) bin = directory_of("/proc/self/exe");
  /* Where no /proc is mounted, as in a bare chroot, by the name that it was started by. */
  if (!bin) bin = directory_of((const char *)getauxval(AT_EXECFN));
  RH_FREED(char) beside = bin ? rh_path_join(bin, REDHOST_LIB_FROM_BIN) : NULL;
  char *library = beside ? realpath(beside, NULL) : NULL;
  return library ? library : rh_copy_string(beside);
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
