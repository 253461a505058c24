#include "cl.h"

enum { MAX_ENTRY_BYTES = 1 << 28 };

typedef struct header {
  char magic[8];
  uint64_t key_bytes, data_bytes, checksum;
} header;
static const char magic[8] = "RHPROG1";

/* A directory that others can write to is not used.  The directory of programs is checked; the
 * cache directory itself may be like /tmp, whose entries are checked one by one. */
static rh_status check_directory(rh_cache *cache, rh_error *error) {
  char why[RH_TRUST_BYTES];
  struct stat st;
  /* If it is not a directory, storing reports that. */
  if (stat(cache->directory, &st) == 0 && !S_ISDIR(st.st_mode)) return RH_OK;
  char *programs = rh_path_join(cache->directory, "bin");
  if (!programs) return rh_fail(error, RH_E_NOMEM, "no memory for a path");
  int trusted = rh_trust_path(programs, 0, NULL, why, sizeof why) == 0;
  free(programs);
  if (trusted) return RH_OK;
  rh_log(cache->reporter, RH_LOG_WARNING,
         "%s is not trusted: %s; continuing without compiled programs and tuning results. Use "
         "another cache directory, or turn the cache off",
         cache->directory, why);
  cache->distrusted = 1;
  rh_cache_finish(cache);
  return RH_OK;
}

rh_status rh_cache_init(rh_cache *cache, const rh_options *options, rh_error *error) {
  *cache = (rh_cache){.reporter = &options->reporter};
  if (options->no_cache || rh_env("REDHOST_NO_CACHE") || rh_is_privileged()) return RH_OK;
  const char *given = options->cache_dir ? options->cache_dir : rh_env("REDHOST_CACHE_DIR");
  if (given && !*given) return rh_fail(error, RH_E_USAGE, "the cache directory has an empty name");
  cache->directory = given ? strdup(given) : rh_path_cache();
  if (given && !cache->directory) return rh_fail(error, RH_E_NOMEM, "no memory for a path");
  return cache->directory ? check_directory(cache, error) : RH_OK;
}

void rh_cache_finish(rh_cache *cache) {
  free(cache->directory);
  cache->directory = NULL;
}

static void complain(rh_cache *cache, const char *path, int code) {
  if (cache->complained) return;
  cache->complained = 1;
  rh_log(cache->reporter, RH_LOG_WARNING,
         "%s: %s; continuing without storing compiled programs. Use another cache directory, or "
         "turn the cache off",
         path, strerror(code));
}

static char *entry_path(const rh_cache *cache, const char *key) {
  char *path;
  uint64_t h = rh_hash(0, key, strlen(key));
  return asprintf(&path, "%s/bin/%016" PRIx64, cache->directory, h) < 0 ? NULL : path;
}

/* The program inside an entry's bytes; null if the entry is damaged or has another key. */
static const char *check_entry(const char *file, size_t bytes, const char *key,
                               size_t *data_bytes) {
  header h;
  if (bytes < sizeof h) return NULL;
  memcpy(&h, file, sizeof h);
  size_t rest = bytes - sizeof h, key_bytes = strlen(key);
  if (memcmp(h.magic, magic, sizeof magic) != 0 || h.key_bytes != key_bytes) return NULL;
  if (h.key_bytes > rest || h.data_bytes != rest - h.key_bytes) return NULL;
  if (h.checksum != rh_hash(h.data_bytes, file + sizeof h, rest)) return NULL;
  if (memcmp(file + sizeof h, key, key_bytes) != 0) return NULL;
  *data_bytes = h.data_bytes;
  return file + sizeof h + key_bytes;
}

char *rh_cache_load(rh_cache *cache, const char *key, size_t *bytes) {
  char *path = cache->directory ? entry_path(cache, key) : NULL;
  if (!path) return NULL;
  size_t file_bytes;
  char *file, why[RH_FILE_WHY_BYTES];
  /* An entry is code that the driver runs, so files that others can write are not used. */
  rh_file_read_own(path, MAX_ENTRY_BYTES, &file, &file_bytes, why);
  const char *data = file ? check_entry(file, file_bytes, key, bytes) : NULL;
  if (file && !data) {
    rh_log(cache->reporter, RH_LOG_DEBUG, "%s: damaged or of another program; built again", path);
    unlink(path);
  }
  if (data) memmove(file, data, *bytes);
  free(path);
  if (data) return file;
  free(file);
  return NULL;
}

void rh_cache_store(rh_cache *cache, const char *key, const char *data, size_t bytes) {
  char *path = cache->directory ? entry_path(cache, key) : NULL;
  if (!path) return;
  header h = {.key_bytes = strlen(key), .data_bytes = bytes};
  rh_text file = {0};
  memcpy(h.magic, magic, sizeof magic);
  rh_text_append(&file, (const char *)&h, sizeof h);
  rh_text_append(&file, key, h.key_bytes);
  rh_text_append(&file, data, bytes);
  if (!file.failed) {
    /* One checksum covers the key and the data, which are adjacent. */
    h.checksum = rh_hash(h.data_bytes, file.s + sizeof h, file.length - sizeof h);
    memcpy(file.s, &h, sizeof h);
    if (rh_file_write(path, file.s, file.length) != 0) complain(cache, path, errno);
  }
  rh_text_finish(&file);
  free(path);
}

void rh_cache_drop(rh_cache *cache, const char *key) {
  char *path = cache->directory ? entry_path(cache, key) : NULL;
  if (path) unlink(path);
  free(path);
}

char *rh_cache_log(rh_cache *cache, const char *name, const char *text) {
  char *path;
  if (!cache->directory || asprintf(&path, "%s/log/%s.log", cache->directory, name) < 0)
    return NULL;
  /* The name comes from a plugin, so separators are replaced. */
  for (char *c = path + strlen(cache->directory) + strlen("/log/"); *c; c++)
    if (*c == '/') *c = '_';
  if (rh_file_write(path, text, strlen(text)) == 0) return path;
  complain(cache, path, errno);
  free(path);
  return NULL;
}
