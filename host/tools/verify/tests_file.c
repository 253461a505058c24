/* V01 to V09: the file, without running its code. */
#include "internal.h"

/* Reads the file for a test.  V01 says what is wrong with one that cannot be read. */
static rh_status with_image(rh_trial *trial,
                            rh_status (*judge)(rh_trial *trial, const rh_image *image)) {
  RH_FINISHED(rh_image) image = {0};
  if (rh_image_read(&image, trial->path, &trial->error) != RH_OK)
    return rh_trial_skip(trial, "%s", trial->error.message);
  return judge(trial, &image);
}

static rh_status is_readable(rh_trial *trial, const rh_image *image) {
  (void)trial;
  (void)image;
  return RH_OK;
}

rh_status rh_v01_machine(rh_trial *trial) {
  if (with_image(trial, is_readable) == RH_OK) return RH_OK;
  return rh_trial_fail(trial, "%s", trial->error.message);
}

/* A test of what was read. */
#define IMAGE_TEST(name)                                                                           \
  static rh_status name##_of(rh_trial *trial, const rh_image *image);                              \
  rh_status name(rh_trial *trial) { return with_image(trial, name##_of); }                         \
  static rh_status name##_of(rh_trial *trial, const rh_image *image)

/* ---- Symbols ---- */

/* The names of the symbols that are `wanted`, as far as a line has room. */
static const char *names_of(const rh_image *image, char names[256], const void *user,
                            int (*wanted)(const rh_image_symbol *symbol, const void *user)) {
  enum { ROOM = 256 };
  size_t length = 0;
  names[0] = 0;
  for (uint32_t k = 0; k < image->n_symbols; k++) {
    const rh_image_symbol *symbol = &image->symbols[k];
    if (wanted(symbol, user) && length + strlen(symbol->name) + 2 < ROOM)
      length +=
          (size_t)snprintf(names + length, ROOM - length, "%s%s", length ? " " : "", symbol->name);
  }
  return length ? names : NULL;
}

static int is_another_export(const rh_image_symbol *symbol, const void *own) {
  return symbol->defined && strcmp(symbol->name, own) != 0;
}

IMAGE_TEST(rh_v02_exports) {
  char names[256];
  int is_plugin = rh_image_defines(image, RH_PLUGIN_SYMBOL);
  if (!is_plugin && !rh_image_defines(image, RH_TRANSPORT_SYMBOL))
    return rh_trial_fail(trial, "does not export %s", RH_PLUGIN_SYMBOL);
  if (!names_of(image, names, is_plugin ? RH_PLUGIN_SYMBOL : RH_TRANSPORT_SYMBOL,
                is_another_export))
    return RH_OK;
  return rh_trial_fail(trial, "also exports %s: build with -fvisibility=hidden", names);
}

/* Symbol versions are not compared.  Undefined weak symbols are the linker's own hooks, and may
 * be missing. */
static int is_nowhere(const rh_image_symbol *symbol, const void *libraries) {
  return !symbol->defined && !symbol->weak && !rh_libraries_define(libraries, symbol->name);
}

IMAGE_TEST(rh_v03_undefined) {
  char names[256];
  RH_FINISHED(rh_libraries) libraries = {.n = 0};
  if (rh_libraries_read(&libraries, trial->path, &trial->error) != RH_OK)
    return rh_trial_skip(trial, "%s in the usual directories", trial->error.message);
  if (names_of(image, names, &libraries, is_nowhere))
    return rh_trial_fail(
        trial,
        "needs %s, which no library that it names defines: link with -z defs to see it earlier",
        names);
  return RH_OK;
}

static int is_unique(const rh_image_symbol *symbol, const void *user) {
  (void)user;
  return (int)symbol->unique;
}

IMAGE_TEST(rh_v07_unique) {
  char names[256];
  if (!names_of(image, names, NULL, is_unique)) return RH_OK;
  return rh_trial_fail(trial, "has unique symbols (%s): compile with -fno-gnu-unique", names);
}

static int is_doubtful(const rh_image_symbol *symbol, const void *user) {
  static const char *const doubtful[] = {
      "exit",      "_exit",  "abort",     "fork",        "vfork", "system", "popen",  "execve",
      "setlocale", "signal", "sigaction", "sigprocmask", "chdir", "setenv", "putenv", "umask"};
  (void)user;
  for (size_t k = 0; k < sizeof doubtful / sizeof *doubtful; k++)
    if (!symbol->defined && strcmp(symbol->name, doubtful[k]) == 0) return 1;
  return 0;
}

IMAGE_TEST(rh_v09_imports) {
  char names[256];
  if (!names_of(image, names, NULL, is_doubtful)) return RH_OK;
  return rh_trial_warn(trial, "imports %s, which a reduction should not need", names);
}

/* ---- Libraries ---- */

static int is_openmp(const char *soname) {
  return strncmp(soname, "libgomp.", 8) == 0 || strncmp(soname, "libomp.", 7) == 0 ||
         strncmp(soname, "libiomp", 7) == 0;
}

/* The file name of an OpenCL loader other than the host's, or null.  Handles of one loader are
 * invalid for another. */
static const char *second_loader(const rh_libraries *libraries) {
  for (uint32_t k = 0; k < libraries->n; k++) {
    const char *soname = strrchr(libraries->paths[k], '/') + 1;
    if (strcmp(soname, "libOpenCL.so.1") != 0 &&
        rh_image_defines(&libraries->images[k], "clGetPlatformIDs"))
      return soname;
  }
  return NULL;
}

/* V03 reports libraries that are not found. */
IMAGE_TEST(rh_v04_needed) {
  RH_FINISHED(rh_libraries) libraries = {.n = 0};
  const char *unusual = NULL;
  for (uint32_t k = 0; k < image->n_needed; k++)
    if (!rh_library_is_ordinary(image->needed[k]) && !(unusual && is_openmp(unusual)))
      unusual = image->needed[k];
  const char *loader = rh_libraries_read(&libraries, trial->path, &trial->error) == RH_OK
                           ? second_loader(&libraries)
                           : NULL;
  if (loader)
    return rh_trial_fail(
        trial,
        "needs %s, which defines clGetPlatformIDs: a second OpenCL loader beside the host's "
        "libOpenCL.so.1",
        loader);
  if (unusual)
    return rh_trial_warn(trial, "needs %s, %s", unusual,
                         is_openmp(unusual)
                             ? "an OpenMP runtime: a process must not have two, and another "
                               "plugin may need another"
                             : "which not every system has");
  return RH_OK;
}

/* ---- How it is linked ---- */

IMAGE_TEST(rh_v05_static_tls) {
  if (!image->static_tls) return RH_OK;
  return rh_trial_fail(trial,
                       "needs static thread-local storage, of which a process has little left when "
                       "plugins are loaded: compile without -ftls-model=initial-exec");
}

IMAGE_TEST(rh_v06_hardened) {
  if (image->text_relocations)
    return rh_trial_fail(trial, "relocates its code: compile with -fPIC");
  if (image->executable_stack)
    return rh_trial_fail(trial, "makes the stack executable: link with -z noexecstack");
  if (image->relro && image->bind_now) return RH_OK;
  return rh_trial_fail(trial, "leaves its tables writable: link with -z relro -z now");
}

/* The fault of one element of a run path; null: none. */
static const char *judge_path(const char *element, size_t length) {
  char path[4096], why[RH_TRUST_BYTES];
  if (length == 0) return "is empty, which means the current directory";
  if (strncmp(element, "$ORIGIN", 7) == 0 || strncmp(element, "${ORIGIN}", 9) == 0) return NULL;
  if (element[0] != '/')
    return "is relative: the current directory would decide which library is loaded";
  snprintf(path, sizeof path, "%.*s", (int)length, element);
  return rh_trust_path(path, 0, NULL, why, sizeof why) != 0 ? "can be changed by others" : NULL;
}

IMAGE_TEST(rh_v08_rpath) {
  for (const char *at = image->rpath; at;) {
    size_t length = strcspn(at, ":");
    const char *wrong = judge_path(at, length);
    if (wrong)
      return rh_trial_fail(trial, "run path '%s': '%.*s' %s", image->rpath, (int)length, at, wrong);
    at = at[length] ? at + length + 1 : NULL;
  }
  return RH_OK;
}
