/* V01 to V09: the file, without running its code. */
#include "../../core/base/error.h"
#include "../../core/base/trust.h"
#include "../../core/plug/elf.h"
#include "image.h"
#include "libraries.h"
#include "trial.h"

#include <stdio.h>
#include <string.h>

/* Reads the file for a test; RH_SKIP where V01 fails. */
static rh_outcome read_image(rh_trial *trial, rh_image *image) {
  if (rh_elf_check(trial->path, &trial->error) == RH_OK &&
      rh_image_read(image, trial->path, &trial->error) == RH_OK)
    return RH_PASS;
  *image = (rh_image){0};
  return rh_trial_skip(trial, "%s", trial->error.message);
}

rh_outcome rh_v01_machine(rh_trial *trial) {
  rh_image image;
  if (rh_elf_check(trial->path, &trial->error) != RH_OK)
    return rh_trial_fail(trial, "%s", trial->error.message);
  if (rh_image_read(&image, trial->path, &trial->error) != RH_OK)
    return rh_trial_fail(trial, "%s", trial->error.message);
  rh_image_finish(&image);
  return RH_PASS;
}

/* Appends a name if the line has room. */
static void add_name(rh_text *names, const char *name) {
  if (names->length < 200) rh_text_add(names, "%s%s", names->length ? " " : "", name);
}

rh_outcome rh_v02_exports(rh_trial *trial) {
  rh_image image;
  rh_text names = {0};
  rh_outcome outcome = read_image(trial, &image);
  int is_plugin = rh_image_defines(&image, RH_PLUGIN_SYMBOL);
  int is_transport = !is_plugin && rh_image_defines(&image, RH_TRANSPORT_SYMBOL);
  const char *own = is_transport ? RH_TRANSPORT_SYMBOL : RH_PLUGIN_SYMBOL;
  for (uint32_t k = 0; k < image.n_symbols; k++)
    if (image.symbols[k].defined && strcmp(image.symbols[k].name, own) != 0)
      add_name(&names, image.symbols[k].name);
  if (outcome == RH_PASS && !is_plugin && !is_transport)
    outcome = rh_trial_fail(trial, "does not export %s", RH_PLUGIN_SYMBOL);
  else if (outcome == RH_PASS && names.length)
    outcome = rh_trial_fail(trial, "also exports %s: build with -fvisibility=hidden",
                            rh_text_get(&names));
  rh_text_finish(&names);
  rh_image_finish(&image);
  return outcome;
}

/* Symbol versions are not compared.  Undefined weak symbols are the linker's own hooks, and may
 * be missing. */
rh_outcome rh_v03_undefined(rh_trial *trial) {
  rh_image image;
  rh_text names = {0};
  rh_outcome outcome = read_image(trial, &image);
  rh_libraries libraries;
  if (outcome != RH_PASS) return outcome;
  if (rh_libraries_read(&libraries, &image, trial->path, &trial->error) != RH_OK)
    outcome = rh_trial_skip(trial, "%s in the usual directories", trial->error.message);
  for (uint32_t k = 0; outcome == RH_PASS && k < image.n_symbols; k++) {
    const rh_image_symbol *symbol = &image.symbols[k];
    if (!symbol->defined && !symbol->weak && !rh_libraries_define(&libraries, symbol->name))
      add_name(&names, symbol->name);
  }
  if (names.length)
    outcome = rh_trial_fail(
        trial,
        "needs %s, which no library that it names defines: link with -z defs to see it earlier",
        rh_text_get(&names));
  rh_text_finish(&names);
  rh_libraries_finish(&libraries);
  rh_image_finish(&image);
  return outcome;
}

static int is_openmp(const char *soname) {
  return strncmp(soname, "libgomp.", 8) == 0 || strncmp(soname, "libomp.", 7) == 0 ||
         strncmp(soname, "libiomp", 7) == 0;
}

/* The file name of an OpenCL loader other than the host's, or null. */
static const char *second_loader(const rh_libraries *libraries) {
  for (uint32_t k = 0; k < libraries->n; k++) {
    const char *soname = strrchr(libraries->paths[k], '/') + 1;
    if (strcmp(soname, "libOpenCL.so.1") != 0 &&
        rh_image_defines(&libraries->images[k], "clGetPlatformIDs"))
      return soname;
  }
  return NULL;
}

/* Handles of one loader are invalid for another.  V03 reports libraries that are not found. */
static rh_outcome judge_loaders(rh_trial *trial, const rh_image *image) {
  rh_libraries libraries;
  rh_outcome outcome = RH_PASS;
  const char *loader = rh_libraries_read(&libraries, image, trial->path, &trial->error) == RH_OK
                           ? second_loader(&libraries)
                           : NULL;
  if (loader)
    outcome = rh_trial_fail(
        trial,
        "needs %s, which defines clGetPlatformIDs: a second OpenCL loader beside the host's "
        "libOpenCL.so.1",
        loader);
  rh_libraries_finish(&libraries);
  return outcome;
}

rh_outcome rh_v04_needed(rh_trial *trial) {
  rh_image image;
  rh_text names = {0};
  const char *openmp = NULL;
  rh_outcome outcome = read_image(trial, &image);
  for (uint32_t k = 0; k < image.n_needed; k++) {
    if (is_openmp(image.needed[k])) openmp = image.needed[k];
    if (!rh_library_is_ordinary(image.needed[k])) add_name(&names, image.needed[k]);
  }
  if (outcome == RH_PASS) outcome = judge_loaders(trial, &image);
  if (outcome != RH_PASS)
    ; /* skipped, or failed already */
  else if (openmp)
    outcome = rh_trial_warn(
        trial,
        "needs %s: a process must not have two OpenMP runtimes, and another plugin may need the "
        "other",
        openmp);
  else if (names.length)
    outcome = rh_trial_warn(trial, "needs %s, which not every system has", rh_text_get(&names));
  rh_text_finish(&names);
  rh_image_finish(&image);
  return outcome;
}

rh_outcome rh_v05_static_tls(rh_trial *trial) {
  rh_image image;
  rh_outcome outcome = read_image(trial, &image);
  if (image.static_tls)
    outcome = rh_trial_fail(
        trial, "needs static thread-local storage, of which a process has little left when "
               "plugins are loaded: compile without -ftls-model=initial-exec");
  rh_image_finish(&image);
  return outcome;
}

rh_outcome rh_v06_hardened(rh_trial *trial) {
  rh_image image;
  rh_outcome outcome = read_image(trial, &image);
  if (outcome != RH_PASS) return outcome;
  if (image.text_relocations)
    outcome = rh_trial_fail(trial, "relocates its code: compile with -fPIC");
  else if (image.executable_stack)
    outcome = rh_trial_fail(trial, "makes the stack executable: link with -z noexecstack");
  else if (!image.relro || !image.bind_now)
    outcome = rh_trial_fail(trial, "leaves its tables writable: link with -z relro -z now");
  rh_image_finish(&image);
  return outcome;
}

rh_outcome rh_v07_unique(rh_trial *trial) {
  rh_image image;
  rh_text names = {0};
  rh_outcome outcome = read_image(trial, &image);
  for (uint32_t k = 0; k < image.n_symbols; k++)
    if (image.symbols[k].unique) add_name(&names, image.symbols[k].name);
  if (names.length)
    outcome = rh_trial_fail(trial, "has unique symbols (%s): compile with -fno-gnu-unique",
                            rh_text_get(&names));
  rh_text_finish(&names);
  rh_image_finish(&image);
  return outcome;
}

/* The fault of one element of a run path; null: none. */
static const char *judge_path(const char *element, size_t length) {
  char path[4096], why[RH_TRUST_BYTES];
  if (length == 0) return "is empty, which means the current directory";
  if (strncmp(element, "$ORIGIN", 7) == 0 || strncmp(element, "${ORIGIN}", 9) == 0) return NULL;
  if (element[0] != '/')
    return "is relative: the current directory would decide which library is loaded";
  snprintf(path, sizeof path, "%.*s", (int)length, element);
  if (rh_trust_path(path, 0, NULL, why, sizeof why) != 0) return "can be changed by others";
  return NULL;
}

rh_outcome rh_v08_rpath(rh_trial *trial) {
  rh_image image;
  rh_outcome outcome = read_image(trial, &image);
  for (const char *at = image.rpath; at && outcome == RH_PASS;) {
    size_t length = strcspn(at, ":");
    const char *wrong = judge_path(at, length);
    if (wrong)
      outcome =
          rh_trial_fail(trial, "run path '%s': '%.*s' %s", image.rpath, (int)length, at, wrong);
    at = at[length] ? at + length + 1 : NULL;
  }
  rh_image_finish(&image);
  return outcome;
}

rh_outcome rh_v09_imports(rh_trial *trial) {
  static const char *const doubtful[] = {
      "exit",      "_exit",  "abort",     "fork",        "vfork", "system", "popen",  "execve",
      "setlocale", "signal", "sigaction", "sigprocmask", "chdir", "setenv", "putenv", "umask"};
  rh_image image;
  rh_text names = {0};
  rh_outcome outcome = read_image(trial, &image);
  for (uint32_t k = 0; k < image.n_symbols; k++)
    for (size_t j = 0; j < sizeof doubtful / sizeof *doubtful; j++)
      if (!image.symbols[k].defined && strcmp(image.symbols[k].name, doubtful[j]) == 0)
        add_name(&names, doubtful[j]);
  if (names.length)
    outcome =
        rh_trial_warn(trial, "imports %s, which a reduction should not need", rh_text_get(&names));
  rh_text_finish(&names);
  rh_image_finish(&image);
  return outcome;
}
