/* V01 to V09: the file, without running its code. */
#include "internal.h"

/* Reads the file for a test.  V01 says what is wrong with one that cannot be read. */
static rh_status with_image(rh_trial *trial, rh_status (*judge)(rh_trial *, const rh_image *)) {
  RH_FINISHED(rh_image) image = {0};
  if (rh_image_read(&image, trial->path, &trial->error) != RH_OK)
    return rh_trial_skip(trial, "%s", trial->error.message);
  return judge(trial, &image);
}

RH_TEST(01, "built for this machine", RH_FILE_TEST) {
  RH_FINISHED(rh_image) image = {0};
  return rh_image_read(&image, trial->path, &trial->error);
}

/* A test of what was read. */
#define IMAGE_TEST(number, title, ...)                                                             \
  static rh_status judge_v##number(rh_trial *trial, const rh_image *image);                        \
  RH_TEST_IS(number, title, with_image(trial, judge_v##number), __VA_ARGS__)                       \
  static rh_status judge_v##number(rh_trial *trial, const rh_image *image)

/* ---- Symbols ---- */

enum { NAMES_BYTES = 256 };

/* Adds a symbol's name, if there is room. */
static void add_name(char names[NAMES_BYTES], const rh_image_symbol *symbol) {
  size_t length = strlen(names);
  if (length + strlen(symbol->name) + 2 < NAMES_BYTES)
    snprintf(names + length, NAMES_BYTES - length, "%s%s", length ? " " : "", symbol->name);
}

IMAGE_TEST(02, "exports its descriptor and nothing else", RH_FILE_TEST) {
  char names[NAMES_BYTES] = "";
  int is_plugin = rh_image_defines(image, RH_PLUGIN_SYMBOL);
  const char *own = is_plugin ? RH_PLUGIN_SYMBOL : RH_TRANSPORT_SYMBOL;
  if (!rh_image_defines(image, own))
    return rh_trial_fail(trial, "does not export %s", RH_PLUGIN_SYMBOL);
  for (const rh_image_symbol *symbol = image->symbols; symbol->name; symbol++)
    if (symbol->defined && strcmp(symbol->name, own) != 0) add_name(names, symbol);
  if (!*names) return RH_OK;
  return rh_trial_fail(trial, "also exports %s: build with -fvisibility=hidden", names);
}

/* Symbol versions are not compared.  Undefined weak symbols are the linker's own hooks, and may
 * be missing. */
IMAGE_TEST(03, "every undefined symbol is in a library that it names", RH_FILE_TEST) {
  char names[NAMES_BYTES] = "";
  RH_FINISHED(rh_libraries) libraries = {.n = 0};
  if (rh_libraries_read(&libraries, trial->path, &trial->error) != RH_OK)
    return rh_trial_skip(trial, "%s in the usual directories", trial->error.message);
  for (const rh_image_symbol *symbol = image->symbols; symbol->name; symbol++) {
    int found = symbol->defined || symbol->weak;
    for (uint32_t k = 0; k < libraries.n && !found; k++)
      found = rh_image_defines(&libraries.list[k], symbol->name);
    if (!found) add_name(names, symbol);
  }
  if (!*names) return RH_OK;
  return rh_trial_fail(
      trial,
      "needs %s, which no library that it names defines: link with -z defs to see it earlier",
      names);
}

IMAGE_TEST(07, "no unique symbols, which keep a library loaded", RH_FILE_TEST) {
  char names[NAMES_BYTES] = "";
  for (const rh_image_symbol *symbol = image->symbols; symbol->name; symbol++)
    if (symbol->unique) add_name(names, symbol);
  if (!*names) return RH_OK;
  return rh_trial_fail(trial, "has unique symbols (%s): compile with -fno-gnu-unique", names);
}

IMAGE_TEST(09, "imports no function that needs a reason", RH_LOADING_TEST) {
  static const char *const doubtful[] = {
      "exit",      "_exit",  "abort",     "fork",        "vfork", "system", "popen",  "execve",
      "setlocale", "signal", "sigaction", "sigprocmask", "chdir", "setenv", "putenv", "umask"};
  char names[NAMES_BYTES] = "";
  for (const rh_image_symbol *symbol = image->symbols; symbol->name; symbol++)
    for (size_t k = 0; k < RH_COUNT(doubtful); k++)
      if (!symbol->defined && strcmp(symbol->name, doubtful[k]) == 0) add_name(names, symbol);
  if (!*names) return RH_OK;
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
    const char *soname = rh_path_name(libraries->list[k].path);
    if (strcmp(soname, "libOpenCL.so.1") != 0 &&
        rh_image_defines(&libraries->list[k], "clGetPlatformIDs"))
      return soname;
  }
  return NULL;
}

/* V03 reports libraries that are not found. */
IMAGE_TEST(04, "needs only ordinary libraries", RH_FILE_TEST) {
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

IMAGE_TEST(05, "no static thread-local storage", RH_FILE_TEST) {
  if (!image->static_tls) return RH_OK;
  return rh_trial_fail(trial,
                       "needs static thread-local storage, of which a process has little left when "
                       "plugins are loaded: compile without -ftls-model=initial-exec");
}

IMAGE_TEST(06, "no text relocations, no executable stack, RELRO", RH_FILE_TEST) {
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

IMAGE_TEST(08, "no run path that is empty, relative or writable by others", RH_FILE_TEST) {
  for (const char *at = image->rpath; at;) {
    size_t length = strcspn(at, ":");
    const char *wrong = judge_path(at, length);
    if (wrong)
      return rh_trial_fail(trial, "run path '%s': '%.*s' %s", image->rpath, (int)length, at, wrong);
    at = at[length] ? at + length + 1 : NULL;
  }
  return RH_OK;
}
