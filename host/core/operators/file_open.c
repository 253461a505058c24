/* Reads operator files. */
#include "../base/error.h"
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static rh_status read_text(FILE *file, const char *path, char **text, size_t *length,
                           rh_error *error) {
  *text = malloc(RH_OPERATOR_FILE_BYTES + 1);
  if (!*text) return rh_fail(error, RH_E_NOMEM, "no memory for %s", path);
  *length = fread(*text, 1, RH_OPERATOR_FILE_BYTES + 1, file);
  if (ferror(file))
    return rh_fail(error, RH_E_FILE, "%s: cannot be read: %s", path, strerror(errno));
  if (*length > RH_OPERATOR_FILE_BYTES)
    return rh_fail(error, RH_E_FILE, "%s: is larger than 1 MiB; expected an operator file", path);
  return RH_OK;
}

/* Without waiting for a pipe's other end. */
static rh_status open_regular(const char *path, FILE **file, rh_error *error) {
  struct stat st;
  int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  int code = fd < 0 || fstat(fd, &st) != 0 ? errno : 0;
  *file = NULL;
  if (!code && S_ISREG(st.st_mode) && !(*file = fdopen(fd, "rb"))) code = errno;
  if (*file) return RH_OK;
  if (fd >= 0) close(fd);
  if (code) return rh_fail(error, RH_E_FILE, "%s: %s", path, strerror(code));
  return rh_fail(error, RH_E_FILE, "%s: %s; expected an operator file", path,
                 S_ISDIR(st.st_mode) ? "is a directory" : "is not a regular file");
}

rh_status rh_definition_read_file(rh_definition *definition, const char *path, rh_error *error) {
  FILE *file;
  char *text;
  size_t length = 0;
  *definition = (rh_definition){0};
  RH_TRY(open_regular(path, &file, error));
  rh_status status = read_text(file, path, &text, &length, error);
  fclose(file);
  if (status == RH_OK) status = rh_definition_read(definition, text, length, path, error);
  free(text);
  return status;
}
