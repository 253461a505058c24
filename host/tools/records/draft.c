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

static char *find_target(const char *path, const struct stat *old) {
  struct stat link;
  if (old) return realpath(path, NULL);
  if (lstat(path, &link) != 0) return strdup(path);
  /* A link to nothing leads to a file that does not exist yet. */
  int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (fd < 0) return NULL;
  char *target = realpath(path, NULL);
  close(fd);
  if (target) unlink(target);
  return target;
}

/* Would another file in its place have another owner, fewer names or other rights? */
static int is_replaceable(const char *path, const struct stat *old) {
  return old->st_uid == geteuid() && old->st_nlink == 1 &&
         getxattr(path, "system.posix_acl_access", NULL, 0) <= 0;
}

/* -1 with errno. */
static int open_beside(rh_draft *draft, const struct stat *old) {
  struct stat made;
  if (rh_new_file_begin(&draft->file, draft->path) != 0) return -1;
  int fd = draft->file.fd;
  if (!old || (fstat(fd, &made) == 0 &&
               (made.st_gid == old->st_gid || fchown(fd, (uid_t)-1, old->st_gid) == 0))) {
    draft->replaces = 1;
    set_mode(fd, old);
    return fd;
  }
  int code = errno;
  close(fd);
  rh_new_file_drop(&draft->file);
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
  if (draft->replaces) return allocate(fileno(draft->out), bytes);
  if (!draft->path || has_room(draft->path, bytes)) return 0;
  errno = ENOSPC;
  return -1;
}

int rh_draft_is_same(const rh_draft *a, const rh_draft *b) {
  struct stat one, other;
  if (!a->path || !b->path) return 0; /* devices */
  if (stat(a->path, &one) == 0 && stat(b->path, &other) == 0)
    return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
  if (strcmp(rh_path_name(a->path), rh_path_name(b->path)) != 0) return 0;
  char *folder = rh_path_beside(a->path, "."), *folder_b = rh_path_beside(b->path, ".");
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

/* Changes the old file only after everything has been written; closing another descriptor of it is
 * what tells of errors on a network's file system. */
int rh_draft_end(rh_draft *draft) {
  FILE *out = draft->out;
  errno = 0;
  if (fflush(out) != 0) return -1;
  if (draft->replaces && close(dup(fileno(out))) != 0) return -1;
  if (draft->replaces && rh_new_file_end(&draft->file, draft->path) != 0) return -1;
  draft->out = NULL;
  if (fclose(out) != 0) return -1;
  return draft->text ? overwrite(draft) : 0;
}

void rh_draft_finish(rh_draft *draft) {
  if (draft->out) fclose(draft->out);
  rh_new_file_drop(&draft->file);
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
