#include "base.h"

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
  RH_TRY(rh_alloc(text, (uint64_t)st.st_size + 1, 1, kind->name, error));
  if (rh_read_all(fd, *text, (size_t)st.st_size, 0, bytes) == 0) return RH_OK;
  rh_fail(error, RH_E_FILE, "cannot be read: %s", strerror(errno));
  free(*text);
  return RH_E_FILE;
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

static rh_file_state read_open(const char *path, int fd, size_t most, unsigned char **data,
                               size_t *bytes, char *why) {
  struct stat st;
  explain(why, "cannot be examined");
  if (fstat(fd, &st) != 0) return RH_FILE_UNREAD;
  rh_file_state state = judge_file(path, &st, most, why);
  if (state != RH_FILE_OK) return state;
  explain(why, "does not fit into memory");
  if (!(*data = malloc((size_t)st.st_size + 1))) return RH_FILE_UNREAD;
  explain(why, "cannot be read");
  if (rh_read_all(fd, *data, (size_t)st.st_size, 0, bytes) == 0) {
    (*data)[*bytes] = 0;
    return RH_FILE_OK;
  }
  free(*data);
  *data = NULL;
  return RH_FILE_UNREAD;
}

static rh_file_state read_once(const char *path, size_t most, unsigned char **data, size_t *bytes,
                               char *why) {
  *data = NULL;
  *bytes = 0;
  explain(why, "cannot be opened");
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return state_by(errno);
  rh_file_state state = read_open(path, fd, most, data, bytes, why);
  close(fd);
  return state;
}

/* Writers replace a file atomically, so a reader that has opened the old file reads the new one
 * instead. */
rh_file_state rh_file_read_own(const char *path, size_t most, unsigned char **data, size_t *bytes,
                               char why[RH_FILE_WHY_BYTES]) {
  enum { TRIES = 100 };
  for (int k = 0; k < TRIES; k++) {
    rh_file_state state = read_once(path, most, data, bytes, why);
    if (state != RH_FILE_REPLACED) return state;
  }
  return RH_FILE_UNREAD;
}

/* Creates an unnamed file, so that an interrupted writer leaves nothing; a named one if the file
 * system does not support that, or without the /proc that link_open() needs. */
static int open_new(const char *directory, char **temporary) {
  *temporary = NULL;
  int has_proc = access("/proc/self/fd", X_OK) == 0;
  int fd = has_proc ? open(directory, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600) : -1;
  if (fd >= 0 || (has_proc && errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) return fd;
  if (asprintf(temporary, "%s/new-XXXXXX", directory) < 0) {
    *temporary = NULL;
    return -1;
  }
  return mkostemp(*temporary, O_CLOEXEC);
}

static int link_open(int fd, const char *path) {
  char self[64];
  snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
  return linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
}

/* An existing file was either unusable, since otherwise this one would not have been written, or
 * another process just wrote it, which is as good. */
static int link_file(int fd, const char *temporary, const char *path) {
  if (temporary) return rename(temporary, path);
  if (link_open(fd, path) == 0) return 0;
  if (errno != EEXIST) return -1;
  unlink(path);
  return link_open(fd, path) == 0 || errno == EEXIST ? 0 : -1;
}

/* An unnamed file cannot replace another, so it is named first. */
static int replace_file(int fd, const char *temporary, const char *path) {
  char *beside;
  if (temporary) return rename(temporary, path);
  if (asprintf(&beside, "%s.new", path) < 0) {
    errno = ENOMEM;
    return -1;
  }
  unlink(beside); /* left by a writer that was interrupted here */
  int result = link_open(fd, beside);
  if (result == 0 && (result = rename(beside, path)) != 0) {
    int saved = errno;
    unlink(beside);
    errno = saved;
  }
  free(beside);
  return result;
}

int rh_file_write(const char *directory, const char *path, const void *const *parts,
                  const size_t *sizes, size_t n, rh_file_meeting meeting) {
  char *temporary;
  if (rh_path_make_dirs(directory) != 0) return -1;
  int fd = open_new(directory, &temporary), result = fd < 0 ? -1 : 0;
  for (size_t k = 0; k < n && result == 0; k++)
    result = rh_write_all(fd, parts[k], sizes[k], RH_BYTES_HERE);
  if (result == 0)
    result = meeting == RH_FILE_REPLACE ? replace_file(fd, temporary, path)
                                        : link_file(fd, temporary, path);
  int saved = errno;
  if (fd >= 0) close(fd);
  if (result != 0 && temporary) unlink(temporary);
  free(temporary);
  errno = saved;
  return result;
}
