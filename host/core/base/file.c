#include "base.h"

/* 0, or -1 with errno and nothing to free. */
static int read_sized(int fd, size_t size, char **text, size_t *bytes) {
  *text = malloc(size + 1);
  if (*text && rh_read_all(fd, *text, size, 0, bytes) == 0) {
    (*text)[*bytes] = 0;
    return 0;
  }
  int saved = errno;
  free(*text);
  *text = NULL;
  errno = saved;
  return -1;
}

static rh_status read_regular(int fd, const rh_file_kind *kind, char **text, size_t *bytes,
                              rh_error *error) {
  struct stat st;
  if (fstat(fd, &st) != 0) return rh_fail(error, RH_E_FILE, "cannot be read: %s", strerror(errno));
  if (!S_ISREG(st.st_mode))
    return rh_fail(error, kind->wrong, "%s; expected %s",
                   S_ISDIR(st.st_mode) ? "is a directory" : "is not a regular file", kind->name);
  if ((uint64_t)st.st_size > kind->most)
    return rh_fail(error, kind->wrong, "has %lld bytes; %s has at most %zu", (long long)st.st_size,
                   kind->name, kind->most);
  if (read_sized(fd, (size_t)st.st_size, text, bytes) == 0) return RH_OK;
  return rh_fail(error, errno == ENOMEM ? RH_E_NOMEM : RH_E_FILE, "cannot be read: %s",
                 strerror(errno));
}

rh_status rh_file_read(const char *path, const rh_file_kind *kind, char **text, size_t *bytes,
                       rh_error *error) {
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return rh_fail(error, RH_E_FILE, "cannot be opened: %s", strerror(errno));
  rh_status status = read_regular(fd, kind, text, bytes, error);
  close(fd);
  return status;
}

static void explain(char *why, const char *text) { snprintf(why, RH_FILE_WHY_BYTES, "%s", text); }

/* RH_FILE_OK, or why the open file must not be used. */
static rh_file_state judge_file(const char *path, const struct stat *st, size_t most, char *why) {
  static const char says[] = "is not trusted: ";
  if (!S_ISREG(st->st_mode)) {
    explain(why, "is not a regular file");
    return RH_FILE_REFUSED;
  }
  explain(why, says);
  switch (rh_trust_path(path, 0, st, why + sizeof says - 1, RH_FILE_WHY_BYTES - sizeof says + 1)) {
  case 0: break;
  case RH_TRUST_REPLACED: return RH_FILE_REPLACED;
  case RH_TRUST_UNKNOWN: return RH_FILE_UNREAD;
  default: return RH_FILE_REFUSED;
  }
  explain(why, "is far too large");
  return (unsigned long long)st->st_size > most ? RH_FILE_REFUSED : RH_FILE_OK;
}

/* Distinguishes faults of the file from others, such as too many open files. */
static rh_file_state state_by(int opening_failed) {
  switch (opening_failed) {
  case ENOENT:
  case ENOTDIR: return RH_FILE_ABSENT;
  case EACCES: /* its owner or mode */
  case ELOOP:
  case ENXIO: return RH_FILE_REFUSED; /* not a regular file */
  default: return RH_FILE_UNREAD;
  }
}

static rh_file_state read_once(const char *path, size_t most, char **data, size_t *bytes,
                               char *why) {
  struct stat st;
  *data = NULL;
  *bytes = 0;
  explain(why, "cannot be opened");
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return state_by(errno);
  explain(why, "cannot be examined");
  rh_file_state state = fstat(fd, &st) == 0 ? judge_file(path, &st, most, why) : RH_FILE_UNREAD;
  if (state == RH_FILE_OK) {
    explain(why, "cannot be read");
    state = read_sized(fd, (size_t)st.st_size, data, bytes) == 0 ? RH_FILE_OK : RH_FILE_UNREAD;
  }
  close(fd);
  return state;
}

/* Writers replace a file atomically, so a reader that has opened the old file reads the new one
 * instead. */
rh_file_state rh_file_read_own(const char *path, size_t most, char **data, size_t *bytes,
                               char why[RH_FILE_WHY_BYTES]) {
  enum { TRIES = 100 };
  for (int k = 0; k < TRIES; k++) {
    rh_file_state state = read_once(path, most, data, bytes, why);
    if (state != RH_FILE_REPLACED) return state;
  }
  return RH_FILE_UNREAD;
}

/* -1: the file system has no files without a name, or they could not be linked later. */
static int open_unnamed(const char *path) {
  RH_FREED(char) directory = rh_path_beside(path, ".");
  if (!directory || access("/proc/self/fd", X_OK) != 0) return -1;
  return open(directory, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
}

int rh_new_file_begin(rh_new_file *file, const char *path) {
  *file = (rh_new_file){.fd = open_unnamed(path)};
  if (file->fd >= 0) return 0;
  file->temporary = rh_path_beside(path, ".redhost-XXXXXX");
  if (file->temporary) file->fd = mkostemp(file->temporary, O_CLOEXEC);
  if (file->fd >= 0) return 0;
  int saved = errno;
  free(file->temporary);
  file->temporary = NULL;
  errno = saved;
  return -1;
}

static int link_open(int fd, const char *path) {
  char of[64];
  snprintf(of, sizeof of, "/proc/self/fd/%d", fd);
  return linkat(AT_FDCWD, of, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
}

/* A name in the same directory.  0, or -1 with errno and no name. */
static int name_beside(rh_new_file *file, const char *path) {
  char name[64];
  int status = -1;
  errno = EEXIST;
  for (unsigned k = 0; status != 0 && errno == EEXIST && k < 1000; k++) {
    free(file->temporary);
    snprintf(name, sizeof name, ".redhost-%d-%u", (int)getpid(), k);
    file->temporary = rh_path_beside(path, name);
    if (file->temporary) status = link_open(file->fd, file->temporary);
  }
  int saved = errno;
  if (status != 0) free(file->temporary);
  if (status != 0) file->temporary = NULL;
  errno = saved;
  return status;
}

/* A link replaces nothing, so where another file has the name it is a rename that replaces it. */
int rh_new_file_end(rh_new_file *file, const char *path) {
  if (!file->temporary && link_open(file->fd, path) == 0) return 0;
  if (!file->temporary && (errno != EEXIST || name_beside(file, path) != 0)) return -1;
  if (rename(file->temporary, path) != 0) return -1;
  free(file->temporary);
  file->temporary = NULL;
  return 0;
}

void rh_new_file_drop(rh_new_file *file) {
  if (file->temporary) unlink(file->temporary);
  free(file->temporary);
  file->temporary = NULL;
}

int rh_file_write(const char *path, const void *data, size_t bytes) {
  rh_new_file file;
  char *directory = rh_path_beside(path, "");
  int made = directory ? rh_path_make_dirs(directory) : -1;
  free(directory);
  if (made != 0 || rh_new_file_begin(&file, path) != 0) return -1;
  int result = rh_write_all(file.fd, data, bytes, RH_BYTES_HERE);
  if (result == 0) result = rh_new_file_end(&file, path);
  int saved = errno;
  close(file.fd);
  rh_new_file_drop(&file);
  errno = saved;
  return result;
}

int rh_write_all(int fd, const void *from, size_t bytes, uint64_t at) {
  for (size_t done = 0; done < bytes;) {
    const char *rest = (const char *)from + done;
    ssize_t wrote = at == RH_BYTES_HERE ? write(fd, rest, bytes - done)
                                        : pwrite(fd, rest, bytes - done, (off_t)(at + done));
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return -1;
    done += (size_t)wrote;
  }
  return 0;
}

int rh_read_all(int fd, void *to, size_t bytes, uint64_t at, size_t *done) {
  for (*done = 0; *done < bytes;) {
    ssize_t got = pread(fd, (char *)to + *done, bytes - *done, (off_t)(at + *done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) break;
    *done += (size_t)got;
  }
  return 0;
}
