#include "draft.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* mkostemp creates files for their owner only, so the mode is set to the old file's, or a new
 * file's default. */
static void set_mode(int fd, const struct stat *old) {
  mode_t mask = umask(0);
  umask(mask);
  fchmod(fd, old ? old->st_mode & 0777 : 0666 & ~mask);
}

char *rh_draft_target(const char *path) {
  struct stat there;
  return stat(path, &there) == 0 ? realpath(path, NULL) : strdup(path);
}

static int open_beside(rh_draft *draft, const char *path, const struct stat *old) {
  if (old && access(path, W_OK) != 0) return -1; /* write-protected on purpose */
  draft->path = rh_draft_target(path);
  if (!draft->path || asprintf(&draft->temporary, "%s.XXXXXX", draft->path) < 0) {
    draft->temporary = NULL;
    return -1;
  }
  int fd = mkostemp(draft->temporary, O_CLOEXEC);
  if (fd >= 0) {
    set_mode(fd, old);
    return fd;
  }
  free(draft->temporary); /* no file was created */
  draft->temporary = NULL;
  return -1;
}

int rh_draft_begin(rh_draft *draft, const char *path) {
  struct stat there;
  int exists = stat(path, &there) == 0, fd = -1;
  *draft = (rh_draft){0};
  if (exists && S_ISDIR(there.st_mode))
    errno = EISDIR;
  else if (exists && !S_ISREG(there.st_mode))
    fd = open(path, O_WRONLY | O_CLOEXEC);
  else
    fd = open_beside(draft, path, exists ? &there : NULL);
  draft->out = fd >= 0 ? fdopen(fd, "w") : NULL;
  if (draft->out) return 0;
  int code = errno;
  if (fd >= 0) close(fd);
  rh_draft_finish(draft);
  errno = code;
  return -1;
}

/* Replaces the old file only after everything has been written. */
int rh_draft_end(rh_draft *draft) {
  FILE *out = draft->out;
  draft->out = NULL;
  errno = 0;
  if (fclose(out) != 0) return -1;
  if (draft->temporary && rename(draft->temporary, draft->path) != 0) return -1;
  free(draft->temporary);
  draft->temporary = NULL;
  return 0;
}

void rh_draft_finish(rh_draft *draft) {
  if (draft->out) fclose(draft->out);
  if (draft->temporary) unlink(draft->temporary);
  free(draft->temporary);
  free(draft->path);
  *draft = (rh_draft){0};
}
