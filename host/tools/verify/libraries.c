#include "libraries.h"
#include "../../core/base/error.h"
#include "../../core/base/path.h"
#include "../../core/base/text.h"
#include "../../core/plug/elf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where Debian, Fedora, Arch and similar systems keep libraries for this architecture. */
static const char *const directories[] = {
#if defined(__x86_64__)
    "/lib/x86_64-linux-gnu",
    "/usr/lib/x86_64-linux-gnu",
#elif defined(__aarch64__)
    "/lib/aarch64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
#endif
    "/lib64",
    "/usr/lib64",
    "/lib",
    "/usr/lib",
    "/usr/local/lib"};

static char *if_there(const char *directory, size_t length, const char *soname) {
  char *path = NULL;
  if (asprintf(&path, "%.*s/%s", (int)length, directory, soname) < 0) return NULL;
  if (access(path, R_OK) == 0) return path;
  free(path);
  return NULL;
}

/* A colon-separated list; $ORIGIN is the directory of `user`. */
static char *find_in_list(const char *list, const char *user, const char *soname) {
  const char *slash = strrchr(user, '/');
  int origin_length = slash ? (int)(slash - user) : 0;
  char *found = NULL;
  for (const char *at = list; at && !found;) {
    size_t length = strcspn(at, ":");
    const char *rest = at;
    if (strncmp(at, "$ORIGIN", 7) == 0) rest = at + 7;
    if (strncmp(at, "${ORIGIN}", 9) == 0) rest = at + 9;
    char *directory = NULL;
    if (asprintf(&directory, "%.*s%.*s", rest == at ? 0 : origin_length, user,
                 (int)(length - (size_t)(rest - at)), rest) < 0)
      return NULL;
    found = if_there(directory, strlen(directory), soname);
    free(directory);
    at = at[length] ? at + length + 1 : NULL;
  }
  return found;
}

/* Searches as ld.so does, without its cache, which only lists directories from its own
 * configuration. */
static char *find(const rh_image *of, const char *user, const char *soname) {
  if (strchr(soname, '/')) return if_there("", 0, soname);
  char *found = of->rpath ? find_in_list(of->rpath, user, soname) : NULL;
  const char *path = rh_env("LD_LIBRARY_PATH");
  if (!found && path) found = find_in_list(path, user, soname);
  for (size_t k = 0; !found && k < sizeof directories / sizeof *directories; k++)
    found = if_there(directories[k], strlen(directories[k]), soname);
  return found;
}

static int is_known(const rh_libraries *libraries, const char *path) {
  for (uint32_t k = 0; k < libraries->n; k++)
    if (strcmp(libraries->paths[k], path) == 0) return 1;
  return 0;
}

/* Takes over `path`. */
static void add_library(rh_libraries *libraries, char *path) {
  rh_error unused;
  if (libraries->n < RH_MOST_LIBRARIES && !is_known(libraries, path) &&
      rh_elf_check(path, &unused) == RH_OK &&
      rh_image_read(&libraries->images[libraries->n], path, &unused) == RH_OK)
    libraries->paths[libraries->n++] = path;
  else
    free(path);
}

rh_status rh_libraries_read(rh_libraries *libraries, const rh_image *image, const char *path,
                            rh_error *error) {
  libraries->n = 0;
  for (uint32_t k = 0; k < image->n_needed; k++) {
    char *found = find(image, path, image->needed[k]);
    if (!found)
      return rh_fail(error, RH_E_PLUGIN, "needs %s, which was not found", image->needed[k]);
    add_library(libraries, found);
  }
  for (uint32_t j = 0; j < libraries->n; j++)
    for (uint32_t k = 0; k < libraries->images[j].n_needed; k++) {
      char *found =
          find(&libraries->images[j], libraries->paths[j], libraries->images[j].needed[k]);
      if (found) add_library(libraries, found);
    }
  return RH_OK;
}

int rh_libraries_define(const rh_libraries *libraries, const char *symbol) {
  for (uint32_t k = 0; k < libraries->n; k++)
    if (rh_image_defines(&libraries->images[k], symbol)) return 1;
  return 0;
}

void rh_libraries_finish(rh_libraries *libraries) {
  for (uint32_t k = 0; k < libraries->n; k++) {
    rh_image_finish(&libraries->images[k]);
    free(libraries->paths[k]);
  }
  libraries->n = 0;
}
