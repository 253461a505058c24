#include "draft.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* mkostemp creates files for their owner only, so the mode is set to the old file's, or a new
 * file's default. */
static void set_mode(int fd, const struct stat *old) {
  mode_t mask = umask(0);
  umask(mask);
  fchmod(fd, old ? old->st_mode & 0777 : 0666 & ~mask);
}

/* A link to nothing leads to a file that does not exist yet. */
static char *target_of_nothing(const char *path) {
  int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (fd < 0) return NULL;
  char *target = realpath(path, NULL);
  close(fd);
  if (target) unlink(target);
  return target;
}

static char *find_target(const char *path, const struct stat *old) {
  struct stat link;
  if (old) return realpath(path, NULL);
  return lstat(path, &link) == 0 ? target_of_nothing(path) : strdup(path);
}

/* Would another file in its place have another owner, fewer names or other rights? */
static int is_replaceable(const char *path, const struct stat *old) {
  return old->st_uid == geteuid() && old->st_nlink == 1 &&
         getxattr(path, "system.posix_acl_access", NULL, 0) <= 0;
}

/* A file in the same directory, which takes the other's place at the end.  -1 with errno. */
static int open_beside(rh_draft *draft, const struct stat *old) {
  struct stat made;
  if (asprintf(&draft->temporary, "%s.XXXXXX", draft->path) < 0) {
    draft->temporary = NULL;
    return -1;
  }
  int fd = mkostemp(draft->temporary, O_CLOEXEC);
  int is_alike =
      fd >= 0 && (!old || (fstat(fd, &made) == 0 && (made.st_gid == old->st_gid ||
                                                     fchown(fd, (uid_t)-1, old->st_gid) == 0)));
  if (is_alike) {
    set_mode(fd, old);
    return fd;
  }
  int code = errno;
  if (fd >= 0) {
    unlink(draft->temporary);
    close(fd);
  }
  free(draft->temporary);
  draft->temporary = NULL;
  errno = code;
  return -1;
}

static FILE *begin_regular(rh_draft *draft, const char *path, const struct stat *old) {
  if (old && access(path, W_OK) != 0) return NULL; /* write-protected on purpose */
  draft->path = find_target(path, old);
  if (!draft->path) return NULL;
  int fd = old && !is_replaceable(draft->path, old) ? -1 : open_beside(draft, old);
  if (fd >= 0) return fdopen(fd, "w");
  return old ? open_memstream(&draft->text, &draft->bytes) : NULL;
}

int rh_draft_begin(rh_draft *draft, const char *path) {
  struct stat there;
  int exists = stat(path, &there) == 0, fd;
  *draft = (rh_draft){0};
  if (exists && S_ISDIR(there.st_mode))
    errno = EISDIR;
  else if (!exists || S_ISREG(there.st_mode))
    draft->out = begin_regular(draft, path, exists ? &there : NULL);
  else if ((fd = open(path, O_WRONLY | O_CLOEXEC)) >= 0)
    draft->out = fdopen(fd, "w");
  if (draft->out) return 0;
  int code = errno;
  rh_draft_finish(draft);
  errno = code;
  return -1;
}

/* As cp does: the file stays, with its owner, its mode and its names. */
static int overwrite(const rh_draft *draft) {
  FILE *file = fopen(draft->path, "we");
  if (!file) return -1;
  size_t written = fwrite(draft->text, 1, draft->bytes, file);
  return fclose(file) == 0 && written == draft->bytes ? 0 : -1;
}

/* Changes the old file only after everything has been written. */
int rh_draft_end(rh_draft *draft) {
  FILE *out = draft->out;
  draft->out = NULL;
  errno = 0;
  if (fclose(out) != 0) return -1;
  if (draft->text) return overwrite(draft);
  if (draft->temporary && rename(draft->temporary, draft->path) != 0) return -1;
  free(draft->temporary);
  draft->temporary = NULL;
  return 0;
}

void rh_draft_finish(rh_draft *draft) {
  if (draft->out) fclose(draft->out);
  if (draft->temporary) unlink(draft->temporary);
  free(draft->temporary);
  free(draft->text);
  free(draft->path);
  *draft = (rh_draft){0};
}
