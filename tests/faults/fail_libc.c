/* The functions of the C library that can fail: each calls the real one, unless it is its turn to
 * fail. */
#include "fault.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* NAME fails with `result` and errno `code`. */
#define FAILS(type, name, parameters, arguments, result, code)                                     \
  type name parameters {                                                                           \
    REAL(type, name, parameters)                                                                   \
    if (!fault_is_due(#name, CALLER)) return real arguments;                                       \
    errno = code;                                                                                  \
    return result;                                                                                 \
  }

/* The same for functions that return the error number. */
#define RETURNS(name, parameters, arguments, code)                                                 \
  int name parameters {                                                                            \
    REAL(int, name, parameters)                                                                    \
    return fault_is_due(#name, CALLER) ? code : real arguments;                                    \
  }

/* ---- Memory: by the C library's other names, because dlsym allocates memory ---- */

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t n, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);

#define NO_MEMORY(name, call)                                                                      \
  if (!fault_is_due(name, CALLER)) return call;                                                    \
  errno = ENOMEM;                                                                                  \
  return NULL

void *malloc(size_t bytes) { NO_MEMORY("malloc", __libc_malloc(bytes)); }

void *calloc(size_t n, size_t bytes) { NO_MEMORY("calloc", __libc_calloc(n, bytes)); }

void *realloc(void *memory, size_t bytes) { NO_MEMORY("realloc", __libc_realloc(memory, bytes)); }

void *aligned_alloc(size_t alignment, size_t bytes) {
  NO_MEMORY("aligned_alloc", __libc_memalign(alignment, bytes));
}

RETURNS(posix_memalign, (void **to, size_t alignment, size_t bytes), (to, alignment, bytes), ENOMEM)
FAILS(char *, strdup, (const char *s), (s), NULL, ENOMEM)
FAILS(char *, strndup, (const char *s, size_t n), (s, n), NULL, ENOMEM)
FAILS(int, vasprintf, (char **to, const char *format, va_list args), (to, format, args), -1, ENOMEM)

int asprintf(char **to, const char *format, ...) {
  REAL(int, vasprintf, (char **, const char *, va_list))
  va_list args;
  if (fault_is_due("asprintf", CALLER)) {
    errno = ENOMEM;
    return -1;
  }
  va_start(args, format);
  int result = real(to, format, args);
  va_end(args);
  return result;
}

FAILS(void *, mmap, (void *at, size_t bytes, int protection, int flags, int fd, off_t offset),
      (at, bytes, protection, flags, fd, offset), MAP_FAILED, ENOMEM)
FAILS(int, munmap, (void *at, size_t bytes), (at, bytes), -1, ENOMEM)
FAILS(int, mprotect, (void *at, size_t bytes, int protection), (at, bytes, protection), -1, ENOMEM)
FAILS(locale_t, newlocale, (int mask, const char *name, locale_t base), (mask, name, base), 0,
      ENOMEM)

void *mremap(void *at, size_t bytes, size_t more, int flags, ...) {
  REAL(void *, mremap, (void *, size_t, size_t, int, ...))
  if (!fault_is_due("mremap", CALLER)) return real(at, bytes, more, flags);
  errno = ENOMEM;
  return MAP_FAILED;
}

/* ---- Files ---- */

static mode_t mode_of(int flags, va_list args) {
  return flags & (O_CREAT | __O_TMPFILE) ? va_arg(args, mode_t) : 0;
}

#define OPENS(name)                                                                                \
  int name(const char *path, int flags, ...) {                                                     \
    REAL(int, name, (const char *, int, ...))                                                      \
    va_list args;                                                                                  \
    va_start(args, flags);                                                                         \
    mode_t mode = mode_of(flags, args);                                                            \
    va_end(args);                                                                                  \
    return fault_is_due(#name, CALLER) ? errno = EMFILE, -1 : real(path, flags, mode);             \
  }
OPENS(open)
OPENS(open64)

int openat(int at, const char *path, int flags, ...) {
  REAL(int, openat, (int, const char *, int, ...))
  va_list args;
  va_start(args, flags);
  mode_t mode = mode_of(flags, args);
  va_end(args);
  if (!fault_is_due("openat", CALLER)) return real(at, path, flags, mode);
  errno = EMFILE;
  return -1;
}

int fcntl(int fd, int command, ...) {
  REAL(int, fcntl, (int, int, ...))
  va_list args;
  va_start(args, command);
  void *argument = va_arg(args, void *); /* a number passes the same way */
  va_end(args);
  if (!fault_is_due("fcntl", CALLER)) return real(fd, command, argument);
  errno = EMFILE;
  return -1;
}

FAILS(FILE *, fopen, (const char *path, const char *mode), (path, mode), NULL, EMFILE)
FAILS(FILE *, fdopen, (int fd, const char *mode), (fd, mode), NULL, ENOMEM)
FAILS(int, fflush, (FILE * file), (file), EOF, EIO)
FAILS(int, stat, (const char *path, struct stat *to), (path, to), -1, EIO)
FAILS(int, lstat, (const char *path, struct stat *to), (path, to), -1, EIO)
FAILS(int, fstat, (int fd, struct stat *to), (fd, to), -1, EIO)
FAILS(int, fstatat, (int at, const char *path, struct stat *to, int flags), (at, path, to, flags),
      -1, EIO)
FAILS(int, access, (const char *path, int mode), (path, mode), -1, EIO)
/* Only for one file, if one is named: the number of reads of a channel depends on how its answers
 * arrive. */
ssize_t read(int fd, void *to, size_t bytes) {
  REAL(ssize_t, read, (int, void *, size_t))
  if (!fault_is_file(fd) || !fault_is_due("read", CALLER)) return real(fd, to, bytes);
  errno = EIO;
  return -1;
}

ssize_t pread(int fd, void *to, size_t bytes, off_t at) {
  REAL(ssize_t, pread, (int, void *, size_t, off_t))
  if (!fault_is_file(fd) || !fault_is_due("pread", CALLER)) return real(fd, to, bytes, at);
  errno = EIO;
  return -1;
}
FAILS(ssize_t, write, (int fd, const void *from, size_t bytes), (fd, from, bytes), -1, EIO)
FAILS(ssize_t, pwrite, (int fd, const void *from, size_t bytes, off_t at), (fd, from, bytes, at),
      -1, EIO)
FAILS(size_t, fread, (void *to, size_t size, size_t n, FILE *file), (to, size, n, file), 0, EIO)
FAILS(off_t, lseek, (int fd, off_t at, int whence), (fd, at, whence), -1, EIO)
FAILS(int, ftruncate, (int fd, off_t bytes), (fd, bytes), -1, ENOSPC)
FAILS(int, mkdir, (const char *path, mode_t mode), (path, mode), -1, EROFS)
FAILS(int, rename, (const char *from, const char *to), (from, to), -1, EROFS)
FAILS(int, unlink, (const char *path), (path), -1, EROFS)
FAILS(int, linkat, (int a, const char *from, int b, const char *to, int flags),
      (a, from, b, to, flags), -1, EROFS)
FAILS(int, memfd_create, (const char *name, unsigned flags), (name, flags), -1, ENOSYS)
FAILS(DIR *, opendir, (const char *path), (path), NULL, EMFILE)
FAILS(struct dirent *, readdir, (DIR * directory), (directory), NULL, EIO)
FAILS(char *, realpath, (const char *path, char *to), (path, to), NULL, EIO)
FAILS(ssize_t, readlink, (const char *path, char *to, size_t bytes), (path, to, bytes), -1, EIO)
FAILS(char *, getcwd, (char *to, size_t bytes), (to, bytes), NULL, ENOENT)
FAILS(int, scandirat,
      (int at, const char *path, struct dirent ***to, int (*take)(const struct dirent *),
       int (*order)(const struct dirent **, const struct dirent **)),
      (at, path, to, take, order), -1, ENOMEM)

/* ---- Processes, channels and threads ---- */

FAILS(void *, dlopen, (const char *path, int flags), (path, flags), NULL, ENOMEM)
FAILS(int, pipe, (int ends[2]), (ends), -1, EMFILE)
FAILS(int, pipe2, (int ends[2], int flags), (ends, flags), -1, EMFILE)
FAILS(int, socketpair, (int domain, int type, int protocol, int ends[2]),
      (domain, type, protocol, ends), -1, EMFILE)
FAILS(ssize_t, send, (int fd, const void *from, size_t bytes, int flags), (fd, from, bytes, flags),
      -1, ENOBUFS)
FAILS(int, dup2, (int from, int to), (from, to), -1, EMFILE)
FAILS(int, poll, (struct pollfd * fds, nfds_t n, int milliseconds), (fds, n, milliseconds), -1,
      ENOMEM)
FAILS(pid_t, waitpid, (pid_t pid, int *status, int options), (pid, status, options), -1, ECHILD)
FAILS(int, waitid, (idtype_t type, id_t id, siginfo_t *info, int options),
      (type, id, info, options), -1, ECHILD)
FAILS(int, setrlimit, (__rlimit_resource_t what, const struct rlimit *to), (what, to), -1, EPERM)
FAILS(int, clock_gettime, (clockid_t clock, struct timespec *to), (clock, to), -1, EINVAL)
RETURNS(posix_spawn,
        (pid_t * pid, const char *path, const posix_spawn_file_actions_t *actions,
         const posix_spawnattr_t *attributes, char *const argv[], char *const environment[]),
        (pid, path, actions, attributes, argv, environment), EAGAIN)
RETURNS(posix_spawn_file_actions_init, (posix_spawn_file_actions_t * actions), (actions), ENOMEM)
RETURNS(posix_spawn_file_actions_adddup2, (posix_spawn_file_actions_t * actions, int from, int to),
        (actions, from, to), ENOMEM)
RETURNS(posix_spawn_file_actions_addopen,
        (posix_spawn_file_actions_t * actions, int fd, const char *path, int flags, mode_t mode),
        (actions, fd, path, flags, mode), ENOMEM)
RETURNS(posix_spawnattr_init, (posix_spawnattr_t * attributes), (attributes), ENOMEM)
RETURNS(pthread_create,
        (pthread_t * thread, const pthread_attr_t *attributes, void *(*run)(void *),
         void *argument),
        (thread, attributes, run, argument), EAGAIN)
