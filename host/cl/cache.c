#include "cache.h"
#include "../base/error.h"
#include "../base/path.h"
#include "../base/report.h"
#include "../base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_ENTRY_BYTES = 1 << 28 };

typedef struct header {
  char magic[8];
  uint64_t key_bytes, data_bytes, checksum;
} header;
static const char magic[8] = "RHPROG1";

/* FNV-1a: names files and finds damage; the key itself decides. */
static uint64_t hash(uint64_t seed, const void *data, size_t bytes) {
  const unsigned char *p = data;
  uint64_t h = seed ^ 0xcbf29ce484222325u;
  for (size_t k = 0; k < bytes; k++) h = (h ^ p[k]) * 0x100000001b3u;
  return h;
}

rh_status rh_cache_init(rh_cache *cache, const rh_options *options, rh_error *error) {
  *cache = (rh_cache){.reporter = &options->reporter};
  if (options->no_cache || rh_env("REDHOST_NO_CACHE")) return RH_OK;
  const char *given = options->cache_dir ? options->cache_dir : rh_env("REDHOST_CACHE_DIR");
  if (given && !*given) return rh_fail(error, RH_E_USAGE, "--cache-dir: an empty name");
  cache->directory = given ? strdup(given) : rh_path_cache();
  if (given && !cache->directory) return rh_fail(error, RH_E_NOMEM, "no memory for a path");
  return RH_OK;
}

void rh_cache_finish(rh_cache *cache) {
  free(cache->directory);
  cache->directory = NULL;
}

static void complain(rh_cache *cache, const char *path, int code) {
  if (cache->complained) return;
  cache->complained = 1;
  rh_report(cache->reporter, RH_LOG_WARNING,
            "%s: %s; going on without storing compiled programs (--cache-dir names another place, "
            "--no-cache needs none)",
            path, strerror(code));
}

static char *entry_path(const rh_cache *cache, const char *key) {
  char *path;
  uint64_t h = hash(0, key, strlen(key));
  return asprintf(&path, "%s/bin/%016" PRIx64, cache->directory, h) < 0 ? NULL : path;
}

/* The whole file, malloc'ed; null where there is none or it is no file of ours. */
static unsigned char *read_file(const char *path, size_t *bytes) {
  struct stat st;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return NULL;
  unsigned char *data = NULL;
  /* What others may write to is no cache: an entry is code that the driver runs. */
  int mine = fstat(fd, &st) == 0 && st.st_uid == geteuid() && !(st.st_mode & (S_IWGRP | S_IWOTH));
  if (mine && S_ISREG(st.st_mode) && st.st_size > 0 && st.st_size < MAX_ENTRY_BYTES)
    data = malloc((size_t)st.st_size);
  size_t done = 0;
  while (data && done < (size_t)st.st_size) {
    ssize_t got = read(fd, data + done, (size_t)st.st_size - done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += (size_t)got;
  }
  close(fd);
  *bytes = done;
  return data;
}

/* Where the program stands in an entry's bytes; null where the entry is damaged or another key's.
 */
static const unsigned char *check_entry(const unsigned char *file, size_t bytes, const char *key,
                                        size_t *data_bytes) {
  header h;
  if (bytes < sizeof h) return NULL;
  memcpy(&h, file, sizeof h);
  size_t rest = bytes - sizeof h, key_bytes = strlen(key);
  if (memcmp(h.magic, magic, sizeof magic) != 0 || h.key_bytes != key_bytes) return NULL;
  if (h.key_bytes > rest || h.data_bytes != rest - h.key_bytes) return NULL;
  if (h.checksum != hash(h.data_bytes, file + sizeof h, rest)) return NULL;
  if (memcmp(file + sizeof h, key, key_bytes) != 0) return NULL;
  *data_bytes = h.data_bytes;
  return file + sizeof h + key_bytes;
}

unsigned char *rh_cache_load(rh_cache *cache, const char *key, size_t *bytes) {
  char *path = cache->directory ? entry_path(cache, key) : NULL;
  if (!path) return NULL;
  size_t file_bytes;
  unsigned char *file = read_file(path, &file_bytes);
  const unsigned char *data = file ? check_entry(file, file_bytes, key, bytes) : NULL;
  if (file && !data) {
    rh_report(cache->reporter, RH_LOG_DEBUG, "%s: damaged or of another program; built again",
              path);
    unlink(path);
  }
  if (data) memmove(file, data, *bytes);
  free(path);
  if (data) return file;
  free(file);
  return NULL;
}

static int write_all(int fd, const void *data, size_t bytes) {
  const char *p = data;
  while (bytes) {
    ssize_t wrote = write(fd, p, bytes);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return -1;
    p += wrote;
    bytes -= (size_t)wrote;
  }
  return 0;
}

/* A file without a name, so that an interrupted writer leaves nothing; named where the file system
 * has no such thing. */
static int open_new(const char *directory, char **temporary) {
  *temporary = NULL;
  int fd = open(directory, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) return fd;
  if (asprintf(temporary, "%s/new-XXXXXX", directory) < 0) return *temporary = NULL, -1;
  return mkostemp(*temporary, O_CLOEXEC);
}

/* Gives the new file its name.  What stands there already could not be used, or this file would not have been written;
 * or somebody else was first a moment ago, and then theirs is as good. */
static int give_name(int fd, const char *temporary, const char *path) {
  if (temporary) return rename(temporary, path);
  char self[64];
  snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
  if (linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0) return 0;
  if (errno != EEXIST) return -1;
  unlink(path);
  return linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0 || errno == EEXIST ? 0 : -1;
}

/* 0, or -1 with errno. */
static int write_file(const char *directory, const char *path, const void *const *parts,
                      const size_t *sizes, size_t n) {
  char *temporary;
  if (rh_path_make_dirs(directory) != 0) return -1;
  int fd = open_new(directory, &temporary), result = fd < 0 ? -1 : 0;
  for (size_t k = 0; k < n && result == 0; k++) result = write_all(fd, parts[k], sizes[k]);
  if (result == 0) result = give_name(fd, temporary, path);
  int saved = errno;
  if (fd >= 0) close(fd);
  if (result != 0 && temporary) unlink(temporary);
  free(temporary);
  errno = saved;
  return result;
}

void rh_cache_store(rh_cache *cache, const char *key, const unsigned char *data, size_t bytes) {
  char *path = cache->directory ? entry_path(cache, key) : NULL;
  char *directory = path ? rh_path_join(cache->directory, "bin") : NULL;
  if (!directory) {
    free(path);
    return;
  }
  header h = {.key_bytes = strlen(key), .data_bytes = bytes};
  memcpy(h.magic, magic, sizeof magic);
  /* One checksum over key and data, which stand one behind the other. */
  rh_text body = {0};
  rh_text_append(&body, key, h.key_bytes);
  rh_text_append(&body, (const char *)data, bytes);
  h.checksum = hash(h.data_bytes, rh_text_get(&body), body.length);
  if (!body.failed && write_file(directory, path, (const void *const[]){&h, body.s},
                                 (const size_t[]){sizeof h, body.length}, 2) != 0)
    complain(cache, directory, errno);
  rh_text_finish(&body);
  free(directory);
  free(path);
}

void rh_cache_drop(rh_cache *cache, const char *key) {
  char *path = cache->directory ? entry_path(cache, key) : NULL;
  if (path) unlink(path);
  free(path);
}

char *rh_cache_log(rh_cache *cache, const char *name, const char *text) {
  char *directory = cache->directory ? rh_path_join(cache->directory, "log") : NULL;
  char *path = NULL;
  if (directory && asprintf(&path, "%s/%s.log", directory, name) < 0) path = NULL;
  /* The name is a plugin's: one that leads elsewhere stays here. */
  for (char *c = path ? path + strlen(directory) + 1 : NULL; c && *c; c++)
    if (*c == '/') *c = '_';
  if (path) unlink(path);
  if (path && write_file(directory, path, (const void *const[]){text},
                         (const size_t[]){strlen(text)}, 1) != 0) {
    complain(cache, directory, errno);
    free(path);
    path = NULL;
  }
  free(directory);
  return path;
}
