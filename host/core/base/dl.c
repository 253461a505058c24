#include "base.h"

#include <dlfcn.h>
#include <link.h>
#include <locale.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

/* Sanitizers print a leak's frames at exit, when the code must still be mapped. */
#ifdef REDHOST_KEEP_PLUGINS
enum { OPEN_FLAGS = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE };
#else
enum { OPEN_FLAGS = RTLD_NOW | RTLD_LOCAL };
#endif

static const char no_reason[] = "the loader gives no reason";

/* dlerror in the C locale, because explain() parses it. */
static void loader_said(char *to, size_t bytes) {
  locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = (locale_t)0;
  if (plain) before = uselocale(plain);
  const char *said = dlerror();
  snprintf(to, bytes, "%s", said ? said : no_reason);
  if (plain) {
    uselocale(before);
    freelocale(plain);
  }
}

static const char *libc_version(void) {
#ifdef __GLIBC__
  return gnu_get_libc_version();
#else
  return "another C library";
#endif
}

/* "LIB: version `WANTED' not found (required by ...)" */
static int explain_version(const char *said, rh_error *error) {
  const char *version = strstr(said, ": version `");
  if (!version) return 0;
  const char *wanted = version + strlen(": version `");
  int length = (int)strcspn(wanted, "'");
  if (strncmp(wanted, "GLIBC_", 6) == 0)
    rh_fail(error, RH_E_PLUGIN, "wants %.*s, this is %s", length, wanted, libc_version());
  else
    rh_fail(error, RH_E_PLUGIN, "wants %.*s, which %.*s lacks", length, wanted,
            (int)(version - said), said);
  return 1;
}

/* "LIB: cannot open shared object file: No such file or directory" */
static int explain_missing(const char *path, const char *said, rh_error *error) {
  const char *what = strstr(said, ": cannot open shared object file: No such file");
  if (!what || strncmp(said, path, (size_t)(what - said)) == 0) return 0;
  rh_fail(error, RH_E_PLUGIN, "needs %.*s, which was not found", (int)(what - said), said);
  return 1;
}

/* "FILE: undefined symbol: NAME[, version V]" */
static int explain_undefined(const char *said, rh_error *error) {
  const char *symbol = strstr(said, ": undefined symbol: ");
  if (!symbol) return 0;
  symbol += strlen(": undefined symbol: ");
  rh_fail(error, RH_E_PLUGIN,
          "needs the symbol '%.*s', which nothing defines; plugins get services through rh_host",
          (int)strcspn(symbol, ", ("), symbol);
  return 1;
}

static rh_status explain(const char *path, const char *said, rh_error *error) {
  if (explain_version(said, error) || explain_missing(path, said, error) ||
      explain_undefined(said, error))
    return RH_E_PLUGIN;
  if (strstr(said, "static TLS block"))
    return rh_fail(error, RH_E_PLUGIN,
                   "needs more static thread-local storage than is left (built with "
                   "-ftls-model=initial-exec?)");
  if (strstr(said, "cannot dynamically load position-independent executable"))
    return rh_fail(error, RH_E_PLUGIN, "is a program, not a shared object");
  size_t length = strlen(path);
  if (strncmp(said, path, length) == 0 && strncmp(said + length, ": ", 2) == 0) said += length + 2;
  int is_for_lack = strstr(said, strerror(ENOMEM)) || strcmp(said, no_reason) == 0;
  return rh_fail(error, is_for_lack ? RH_E_NOMEM : RH_E_PLUGIN, "cannot be loaded: %s", said);
}

rh_status rh_dl_open(rh_dl *dl, const char *path, rh_error *error) {
  char said[1024];
  dl->handle = NULL;
  /* dlopen searches the library path for a bare name. */
  if (path[0] != '/') return rh_fail(error, RH_E_PLUGIN, "is not an absolute path");
  RH_TRY(rh_path_check_privileges(path, error));
  dl->handle = dlopen(path, OPEN_FLAGS);
  if (dl->handle) return RH_OK;
  loader_said(said, sizeof said);
  return explain(path, said, error);
}

rh_status rh_dl_open_library(rh_dl *dl, const char *soname, rh_error *error) {
  char said[1024];
  dl->handle = dlopen(soname, OPEN_FLAGS);
  if (dl->handle) return RH_OK;
  loader_said(said, sizeof said);
  return explain_missing("", said, error) ? RH_DECLINED : explain("", said, error);
}

typedef struct loaded {
  const char *name;
  void *handle;
} loaded;

static int open_if_named(struct dl_phdr_info *info, size_t size, void *user) {
  loaded *wanted = user;
  const char *file = rh_path_name(info->dlpi_name);
  (void)size;
  if (strncmp(file, wanted->name, strlen(wanted->name)) == 0)
    wanted->handle = dlopen(info->dlpi_name, OPEN_FLAGS | RTLD_NOLOAD);
  return wanted->handle != NULL;
}

int rh_dl_find_loaded(rh_dl *dl, const char *function, const char *name) {
  loaded wanted = {name, NULL};
  dl->handle = RTLD_DEFAULT;
  if (dlsym(RTLD_DEFAULT, function)) return 1;
  dl_iterate_phdr(open_if_named, &wanted);
  dl->handle = wanted.handle;
  return dl->handle != NULL;
}

rh_status rh_dl_function(const rh_dl *dl, const char *name, void (**function)(void),
                         rh_error *error) {
  Dl_info info;
  ElfW(Sym) *symbol = NULL;
  void *found = dlsym(dl->handle, name);
  if (!found) return rh_fail(error, RH_E_PLUGIN, "has no function '%s'", name);
  if (dladdr1(found, &info, (void **)&symbol, RTLD_DL_SYMENT) && symbol &&
      info.dli_saddr == found && ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT)
    return rh_fail(error, RH_E_PLUGIN, "'%s' is data, not a function", name);
  /* C has no cast from an object pointer to a function pointer */
  memcpy(function, &found, sizeof found);
  return RH_OK;
}

/* Are these two paths of the same file? */
static int same_file(const char *a, const char *b) {
  struct stat of_a, of_b;
  if (stat(a, &of_a) != 0 || stat(b, &of_b) != 0) return 0;
  return of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}

rh_status rh_dl_symbol(const rh_dl *dl, const char *path, const char *name, const void **symbol,
                       rh_error *error) {
  Dl_info info;
  const void *found = dlsym(dl->handle, name);
  if (!found)
    return rh_fail(error, RH_E_PLUGIN, "does not export %s (is it a redhost plugin?)", name);
  if (!dladdr(found, &info) || !info.dli_fname)
    return rh_fail(error, RH_E_PLUGIN, "%s is not in any file", name);
  if (!same_file(info.dli_fname, path))
    return rh_fail(error, RH_E_PLUGIN, "has no %s of its own: the one found is in %s", name,
                   info.dli_fname);
  *symbol = found;
  return RH_OK;
}

int rh_dl_is_from(const void *address, const char *path) {
  Dl_info info;
  return dladdr(address, &info) && info.dli_fname && same_file(info.dli_fname, path);
}

void rh_dl_close(rh_dl *dl) {
  if (dl->handle) dlclose(dl->handle);
  dl->handle = NULL;
}
