#include "records.h"

#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>

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

static char *folder_of(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? strndup(path, (size_t)(slash - path) + 1) : strdup("./");
}

static const char *name_in(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/* A file without a name, of which nothing is left however the program ends.  -1: not here. */
static int open_unnamed(const char *path) {
  char *folder = folder_of(path);
  int fd = -1;
  if (folder && access("/proc/self/fd", X_OK) == 0)
    fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  free(folder);
  return fd;
}

/* A file in the same directory, which takes the other's place at the end.  -1 with errno. */
static int open_beside(rh_draft *draft, const struct stat *old) {
  struct stat made;
  int fd = open_unnamed(draft->path);
  draft->is_unnamed = fd >= 0;
  if (fd < 0 && asprintf(&draft->temporary, "%s.XXXXXX", draft->path) < 0) {
    draft->temporary = NULL;
    return -1;
  }
  if (fd < 0) fd = mkostemp(draft->temporary, O_CLOEXEC);
  int is_alike =
      fd >= 0 && (!old || (fstat(fd, &made) == 0 && (made.st_gid == old->st_gid ||
                                                     fchown(fd, (uid_t)-1, old->st_gid) == 0)));
  if (is_alike) {
    set_mode(fd, old);
    return fd;
  }
  int code = errno;
  if (fd >= 0 && draft->temporary) unlink(draft->temporary);
  if (fd >= 0) close(fd);
  free(draft->temporary);
  draft->temporary = NULL;
  draft->is_unnamed = 0;
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
  if (exists && S_ISDIR(there.st_mode)) errno = EISDIR;
  else if (!exists || S_ISREG(there.st_mode))
    draft->out = begin_regular(draft, path, exists ? &there : NULL);
  else if ((fd = open(path, O_WRONLY | O_CLOEXEC)) >= 0) draft->out = fdopen(fd, "w");
  if (draft->out) return 0;
  int code = errno;
  rh_draft_finish(draft);
  errno = code;
  return -1;
}

/* Succeeds where the file system cannot tell. */
static int allocate(int fd, uint64_t bytes) {
  struct rlimit most;
  if (bytes > INT64_MAX || (getrlimit(RLIMIT_FSIZE, &most) == 0 && bytes > most.rlim_cur)) {
    errno = EFBIG;
    return -1;
  }
  if (bytes == 0 || fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, (off_t)bytes) == 0) return 0;
  return errno == ENOSPC || errno == EDQUOT || errno == EFBIG ? -1 : 0;
}

/* Of a file that will be overwritten: what the file system has free. */
static int has_room(const char *path, uint64_t bytes) {
  struct statvfs about;
  struct stat old;
  if (statvfs(path, &about) != 0 || stat(path, &old) != 0) return 1;
  return bytes / about.f_frsize <= about.f_bavail + (uint64_t)old.st_blocks * 512 / about.f_frsize;
}

int rh_draft_reserve(rh_draft *draft, uint64_t bytes) {
  if (draft->is_unnamed || draft->temporary) return allocate(fileno(draft->out), bytes);
  if (!draft->path || has_room(draft->path, bytes)) return 0;
  errno = ENOSPC;
  return -1;
}

int rh_draft_is_same(const rh_draft *a, const rh_draft *b) {
  struct stat one, other;
  if (!a->path || !b->path) return 0; /* devices */
  if (stat(a->path, &one) == 0 && stat(b->path, &other) == 0)
    return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
  if (strcmp(name_in(a->path), name_in(b->path)) != 0) return 0;
  char *folder = folder_of(a->path), *folder_b = folder_of(b->path);
  int is_same = folder && folder_b && stat(folder, &one) == 0 && stat(folder_b, &other) == 0 &&
                one.st_dev == other.st_dev && one.st_ino == other.st_ino;
  free(folder);
  free(folder_b);
  return is_same;
}

/* As cp does: the file stays, with its owner, its mode and its names.  It is not touched before
 * there is room for all. */
static int overwrite(const rh_draft *draft) {
  int fd = open(draft->path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  int status = allocate(fd, draft->bytes);
  if (status == 0) status = rh_write_all(fd, draft->text, draft->bytes, 0);
  if (status == 0) status = ftruncate(fd, (off_t)draft->bytes);
  int code = errno;
  if (close(fd) != 0) return -1;
  errno = code;
  return status;
}

/* A name for what has none, in the same directory. */
static int name_it(rh_draft *draft, int fd) {
  char of[64], *folder = folder_of(draft->path);
  snprintf(of, sizeof of, "/proc/self/fd/%d", fd);
  int status = -1;
  errno = ENOMEM;
  for (unsigned k = 0; folder && status != 0 && k < 1000; k++) {
    free(draft->temporary);
    if (asprintf(&draft->temporary, "%s.redhost-%d-%u", folder, (int)getpid(), k) < 0) {
      draft->temporary = NULL;
      break;
    }
    status = linkat(AT_FDCWD, of, AT_FDCWD, draft->temporary, AT_SYMLINK_FOLLOW);
    if (status != 0 && errno != EEXIST) break;
  }
  int code = errno;
  if (status != 0) {
    free(draft->temporary);
    draft->temporary = NULL;
  }
  free(folder);
  errno = code;
  return status;
}

/* Changes the old file only after everything has been written. */
int rh_draft_end(rh_draft *draft) {
  FILE *out = draft->out;
  errno = 0;
  if (fflush(out) != 0) return -1;
  if (draft->is_unnamed && name_it(draft, fileno(out)) != 0) return -1;
  draft->out = NULL;
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

int rh_save(const char *path, const void *bytes, uint64_t size) {
  rh_draft draft = {0};
  int failed = rh_draft_begin(&draft, path) != 0 || fwrite(bytes, 1, size, draft.out) != size ||
               rh_draft_end(&draft) != 0;
  int why = errno;
  rh_draft_finish(&draft);
  return failed ? why : 0;
}
