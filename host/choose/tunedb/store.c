#include "internal.h"

#include <sys/file.h>

/* A writer needs milliseconds; a lock that is held for longer than this is a fault. */
static const double most_wait_s = 2;

rh_status rh_tunedb_store_init(rh_tunedb_store *store, rh_cache *cache, rh_error *error) {
  *store = (rh_tunedb_store){.cache = cache};
  if (!cache->directory) return RH_OK;
  store->path = rh_path_join(cache->directory, "tuned.json");
  store->lock_path = rh_path_join(cache->directory, "tuned.lock");
  if (store->path && store->lock_path) return RH_OK;
  rh_tunedb_store_finish(store);
  return rh_fail(error, RH_E_NOMEM, "no memory for a path");
}

void rh_tunedb_store_finish(rh_tunedb_store *store) {
  free(store->path);
  free(store->lock_path);
  *store = (rh_tunedb_store){0};
}

/* ---- Reading ---- */

/* If it cannot be renamed, it is kept but not used. */
static void set_aside(rh_tunedb_store *store, const char *why) {
  char *aside = rh_path_join(store->cache->directory, "tuned.json.bad");
  int moved = aside && rename(store->path, aside) == 0;
  /* Another process may have renamed it first, and warned. */
  int gone = !moved && aside && errno == ENOENT;
  if (!gone)
    rh_log(store->cache->reporter, RH_LOG_WARNING, "%s: %s; it is not used%s", store->path, why,
           moved ? " and was renamed to tuned.json.bad. Tune again to replace it"
                 : ", and cannot be renamed: remove it, or use another cache directory");
  if (!moved && !gone) store->left_alone = 1;
  free(aside);
}

static json_t *read_document(rh_tunedb_store *store, const unsigned char *text, size_t length) {
  json_t *document;
  rh_error error;
  rh_status status = rh_tunedb_document_read((const char *)text, length, 0, &document, &error);
  if (status == RH_DECLINED) {
    rh_log(store->cache->reporter, RH_LOG_WARNING,
           "%s: %s; it is neither used nor changed. Use another cache directory", store->path,
           error.message);
    store->left_alone = 1;
  } else if (status != RH_OK) {
    set_aside(store, error.message);
  }
  return document;
}

json_t *rh_tunedb_store_load(rh_tunedb_store *store) {
  unsigned char *text;
  size_t length;
  char why[RH_FILE_WHY_BYTES];
  if (!store->path || store->left_alone) return NULL;
  rh_file_state state = rh_file_read_own(store->path, RH_TUNED_MOST_BYTES, &text, &length, why);
  /* An error, which --quiet does not hide, because it may change the choice of strategy. */
  if (state == RH_FILE_UNREAD && !store->unread)
    rh_log(store->cache->reporter, RH_LOG_ERROR, "%s: %s just now; it is neither used nor changed",
           store->path, why);
  store->unread = state == RH_FILE_UNREAD;
  if (state == RH_FILE_REFUSED) set_aside(store, why);
  if (state != RH_FILE_OK) return NULL;
  json_t *document = read_document(store, text, length);
  free(text);
  return document;
}

/* ---- Writing ---- */

/* Faults of the directory also affect tuned.json, but faults of the lock file do not. */
static const char *why_no_lock(int code) {
  if (code == EISDIR || code == ELOOP || code == ENXIO)
    return "tuned.lock beside it does not belong to redhost; remove it";
  return strerror(code);
}

static int is_ours(const char *path, int lock) {
  struct stat st;
  char why[RH_TRUST_BYTES];
  return fstat(lock, &st) == 0 && rh_trust_path(path, 0, &st, why, sizeof why) == 0;
}

int rh_tunedb_store_lock(const rh_tunedb_store *store, const char **why) {
  double start = rh_now();
  *why = NULL;
  if (rh_path_make_dirs(store->cache->directory) != 0) {
    *why = strerror(errno);
    return -1;
  }
  int lock = open(store->lock_path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
  if (lock < 0) {
    *why = why_no_lock(errno);
    return -1;
  }
  if (!is_ours(store->lock_path, lock)) {
    close(lock);
    *why = "tuned.lock beside it is not trusted, as others may hold it: remove it";
    return -1;
  }
  while (flock(lock, LOCK_EX | LOCK_NB) != 0) {
    /* The file system has no locks; continuing is acceptable, since files are replaced
     * atomically. */
    if (errno != EWOULDBLOCK && errno != EINTR) return lock;
    if (rh_now() - start > most_wait_s) {
      close(lock);
      *why = "another process holds tuned.lock";
      return -1;
    }
    nanosleep(&(struct timespec){0, 5000000}, NULL);
  }
  return lock;
}

void rh_tunedb_store_unlock(int lock) {
  if (lock >= 0) close(lock);
}

int rh_tunedb_store_try(const rh_tunedb_store *store, const char **why) {
  *why = access(store->cache->directory, W_OK | X_OK) == 0 ? NULL : strerror(errno);
  return *why ? -1 : 0;
}

int rh_tunedb_store_save(const rh_tunedb_store *store, const json_t *document, const char **why) {
  char *text = json_dumps(document, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
  size_t length = text ? strlen(text) : 0;
  *why = NULL;
  if (!text) *why = "no memory";
  if (length >= RH_TUNED_MOST_BYTES) *why = "it would be too large to be read again";
  if (!*why &&
      rh_file_write(store->cache->directory, store->path, (const void *const[]){text, "\n"},
                    (const size_t[]){length, 1}, 2, RH_FILE_REPLACE) != 0)
    *why = strerror(errno);
  free(text);
  return *why ? -1 : 0;
}
