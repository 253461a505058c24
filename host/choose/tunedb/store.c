#include "internal.h"

#include <sys/file.h>

#include "tuned_nvidia.json.h"
#include "tuned_pocl_amd.json.h"
#include "tuned_pocl_intel.json.h"

/* A writer needs milliseconds; a lock that is held for longer than this is a fault. */
static const double most_wait_s = 2;

/* The pause after an error of the file, which may have cost a wait. */
static const double pause_s = 10;

/* ---- <cache>/tuned.json: read as untrusted data ---- */

/* If it cannot be renamed, it is kept but not used. */
static void set_aside(rh_tunedb *tuned, const char *why) {
  RH_FREED(char) aside = rh_path_join(tuned->cache->directory, "tuned.json.bad");
  int moved = aside && rename(tuned->path, aside) == 0;
  /* Another process may have renamed it first, and warned. */
  int gone = !moved && aside && errno == ENOENT;
  if (!gone)
    rh_log(tuned->cache->reporter, RH_LOG_WARNING, "%s: %s; it is not used%s", tuned->path, why,
           moved ? " and was renamed to tuned.json.bad. Tune again to replace it"
                 : ", and cannot be renamed: remove it, or use another cache directory");
  if (!moved && !gone) tuned->left_alone = 1;
}

/* The file's contents, a new reference; null if there is no file.  An unusable file is reported, as
 * a warning, and renamed to tuned.json.bad; a file of a later redhost is reported and kept, as is
 * one that cannot be read at the moment. */
static json_t *load_file(rh_tunedb *tuned) {
  RH_FREED(char) text = NULL;
  size_t length;
  char why[RH_FILE_WHY_BYTES];
  json_t *document;
  rh_error error;
  if (!tuned->path || tuned->left_alone) return NULL;
  rh_file_state state = rh_file_read_own(tuned->path, RH_TUNED_MOST_BYTES, &text, &length, why);
  /* An error, which --quiet does not hide, because it may change the choice of strategy. */
  if (state == RH_FILE_UNREAD && !tuned->unread)
    rh_log(tuned->cache->reporter, RH_LOG_ERROR, "%s: %s just now; it is neither used nor changed",
           tuned->path, why);
  tuned->unread = state == RH_FILE_UNREAD;
  if (state == RH_FILE_REFUSED) set_aside(tuned, why);
  if (state != RH_FILE_OK) return NULL;
  rh_status status = rh_tunedb_document_read(tuned, text, length, &document, &error);
  if (status == RH_DECLINED) {
    rh_log(tuned->cache->reporter, RH_LOG_WARNING,
           "%s: %s; it is neither used nor changed. Use another cache directory", tuned->path,
           error.message);
    tuned->left_alone = 1;
  } else if (status != RH_OK) {
    set_aside(tuned, error.message);
  }
  return document;
}

/* ---- The defaults that come with redhost: host/choose/tunedb/defaults/NAME.json ---- */

/* The first of those that fit a device equally well serves.  On a processor of an unknown maker
 * that is AMD's, which reads one page of memory after another: several side by side gain where the
 * processor prefetches in all of them, and lose elsewhere. */
static const struct {
  const char *text;
  size_t length;
} files[] = {{tuned_nvidia_json, sizeof tuned_nvidia_json - 1},
             {tuned_pocl_amd_json, sizeof tuned_pocl_amd_json - 1},
             {tuned_pocl_intel_json, sizeof tuned_pocl_intel_json - 1}};

/* All but the entries, which take long to read and are needed of one document. */
static json_t *head_of(size_t place) {
  const char *text = files[place].text, *entries = strstr(text, ",\n \"entries\"");
  RH_FINISHED(rh_text) head = {0};
  rh_text_add(&head, "%.*s}", entries ? (int)(entries - text) : 0, text);
  return json_loads(rh_text_get(&head), 0, NULL);
}

typedef enum { UNFIT, FITS, SAME_MAKER, SAME_FAMILY } likeness;

/* Every key of "match" must fit, and there must be at least one. */
static int matches(const json_t *document, const rh_cl_device *device) {
  const json_t *match = json_object_get(document, "match");
  const char *kind = json_string_value(json_object_get(match, "kind"));
  const char *platform = json_string_value(json_object_get(match, "platform"));
  const json_t *vendor = json_object_get(match, "vendor_id");
  if (!kind) return 0;
  if (!device) return strcmp(kind, "cpu") == 0;
  if (strcmp(kind, rh_device_kind_name(device->about.kind)) != 0) return 0;
  if (platform && strcmp(platform, device->platform_name) != 0) return 0;
  return !vendor || json_integer_value(vendor) == device->about.vendor_id;
}

static likeness likeness_of(const json_t *document, const rh_cl_device *device) {
  char host[RH_PROCESSOR_WORD] = "";
  const char *theirs = json_string_value(json_object_get(document, "family"));
  if (!matches(document, device)) return UNFIT;
  if (!device) rh_processor_family(host);
  const char *ours = device ? device->family : host;
  size_t maker = theirs ? strcspn(theirs, " ") : 0; /* the first word */
  if (maker == 0 || maker != strcspn(ours, " ") || strncmp(theirs, ours, maker) != 0) return FITS;
  return strcmp(theirs, ours) == 0 ? SAME_FAMILY : SAME_MAKER;
}

/* The document that suits a device best, as a new reference, or null if none fits: the one that was
 * measured on its family, else on another family of its maker, else on another maker's devices of
 * this kind.  Without a device, the processor decides, as for one that PoCL serves.  *timed: 1 if
 * it is the family's, so that its times count and not only its parameters. */
static json_t *shipped_for(const rh_cl_device *device, int *timed) {
  size_t best = 0;
  likeness most = UNFIT;
  for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
    json_auto_t *head = head_of(k);
    likeness this_one = likeness_of(head, device);
    if (this_one <= most) continue;
    best = k;
    most = this_one;
  }
  *timed = most == SAME_FAMILY;
  if (most == UNFIT) return NULL;
  return json_loadb(files[best].text, files[best].length, 0, NULL);
}

/* ---- Opening ---- */

rh_status rh_tunedb_open(rh_tunedb **opened, rh_cache *cache, const rh_cl_device *device,
                         rh_error *error) {
  int timed;
  RH_TRY(RH_NEW(opened, 1, "what was tuned", error));
  rh_tunedb *tuned = *opened;
  tuned->key = rh_tunedb_key_of(device);
  tuned->on_host = !device;
  tuned->cache = cache;
  if (cache->directory) tuned->path = rh_path_join(cache->directory, "tuned.json");
  tuned->document = load_file(tuned);
  tuned->shipped = shipped_for(device, &timed);
  tuned->without_times = !timed;
  tuned->tells = 1;
  rh_status status = cache->directory && !tuned->path
                         ? rh_fail(error, RH_E_NOMEM, "no memory for a path")
                         : rh_tunedb_take(tuned, tuned->document, error);
  tuned->tells = 0;
  if (status == RH_OK) return RH_OK;
  rh_tunedb_close(tuned);
  *opened = NULL;
  return status;
}

void rh_tunedb_close(rh_tunedb *tuned) {
  if (!tuned) return;
  free(tuned->path);
  json_decref(tuned->document);
  json_decref(tuned->shipped);
  json_decref(tuned->files);
  json_decref(tuned->told);
  free(tuned->list);
  free(tuned->unsaved);
  free(tuned);
}

/* ---- Storing: the file is written whole or not at all ---- */

/* Faults of the directory also affect tuned.json, but faults of the lock file do not. */
static const char *why_no_lock(int code) {
  if (code == EISDIR || code == ELOOP || code == ENXIO)
    return "tuned.lock beside it does not belong to redhost; remove it";
  return strerror(code);
}

/* Until the lock is closed, no other process writes, if the file system supports locks.  RH_E_FILE:
 * none.  *lock is to be closed in any case, unless it is -1. */
static rh_status lock_file(const rh_tunedb *tuned, int *lock, rh_error *error) {
  RH_FREED(char) path = rh_path_join(tuned->cache->directory, "tuned.lock");
  struct stat st;
  char why[RH_TRUST_BYTES];
  double start = rh_now();
  *lock = -1;
  if (!path) return rh_fail(error, RH_E_FILE, "no memory");
  if (rh_path_make_dirs(tuned->cache->directory) != 0)
    return rh_fail(error, RH_E_FILE, "%s", strerror(errno));
  *lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
  if (*lock < 0) return rh_fail(error, RH_E_FILE, "%s", why_no_lock(errno));
  if (fstat(*lock, &st) != 0 || rh_trust_path(path, 0, &st, why, sizeof why) != 0)
    return rh_fail(error, RH_E_FILE,
                   "tuned.lock beside it is not trusted, as others may hold it: remove it");
  while (flock(*lock, LOCK_EX | LOCK_NB) != 0) {
    /* The file system has no locks; continuing is acceptable, since files are replaced
     * atomically. */
    if (errno != EWOULDBLOCK && errno != EINTR) return RH_OK;
    if (rh_now() - start > most_wait_s)
      return rh_fail(error, RH_E_FILE, "another process holds tuned.lock");
    nanosleep(&(struct timespec){0, 5000000}, NULL);
  }
  return RH_OK;
}

static rh_status save_file(const rh_tunedb *tuned, rh_error *error) {
  RH_FREED(char) text = json_dumps(tuned->document, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
  size_t length = text ? strlen(text) : 0;
  if (!text) return rh_fail(error, RH_E_FILE, "no memory");
  if (length >= RH_TUNED_MOST_BYTES)
    return rh_fail(error, RH_E_FILE, "it would be too large to be read again");
  text[length++] = '\n'; /* instead of the terminating 0, which is not written */
  if (rh_file_write(tuned->path, text, length) == 0) return RH_OK;
  return rh_fail(error, RH_E_FILE, "%s", strerror(errno));
}

static rh_status put_in(rh_tunedb *tuned, const rh_tunedb_entry *entry, rh_error *error) {
  if (!tuned->document)
    tuned->document = json_pack("{s:s, s:[]}", "schema", RH_TUNED_SCHEMA, "devices");
  if (!tuned->document) return rh_fail(error, RH_E_NOMEM, "no memory for what was tuned");
  const char *why = rh_tunedb_document_put(tuned->document, &tuned->key, entry);
  if (why) tuned->lost = why;
  return RH_OK;
}

static const char unchanged[] = "it is neither used nor changed";

/* The caller holds the file's lock.  Entries that others wrote meanwhile are read first. */
static rh_status store_locked(rh_tunedb *tuned, rh_error *error) {
  json_t *fresh = load_file(tuned);
  if (tuned->left_alone || tuned->unread) return rh_fail(error, RH_E_FILE, unchanged);
  json_decref(tuned->document);
  tuned->document = fresh;
  for (uint32_t k = 0; k < tuned->n_unsaved; k++) RH_TRY(put_in(tuned, &tuned->unsaved[k], error));
  if (!tuned->n_unsaved && access(tuned->cache->directory, W_OK | X_OK) != 0)
    return rh_fail(error, RH_E_FILE, "%s", strerror(errno));
  if (tuned->n_unsaved) RH_TRY(save_file(tuned, error));
  tuned->n_unsaved = 0;
  return RH_OK;
}

/* RH_E_FILE, with the obstacle: after it, the file is not tried again for each result. */
static rh_status store(rh_tunedb *tuned, rh_error *error) {
  int lock;
  rh_status status = lock_file(tuned, &lock, error);
  if (status == RH_OK) status = store_locked(tuned, error);
  if (lock >= 0) close(lock);
  tuned->not_before = status == RH_OK ? 0 : rh_now() + pause_s;
  return status;
}

rh_status rh_tunedb_settle(rh_tunedb *tuned, rh_error *error) {
  rh_error why = {0};
  if (!tuned->path) return RH_OK;
  if (tuned->left_alone) {
    rh_fail(&why, RH_E_FILE, unchanged);
  } else {
    store(tuned, &why);
    RH_TRY(rh_tunedb_take(tuned, tuned->document, error));
  }
  if (why.status == RH_OK && tuned->lost) rh_fail(&why, RH_E_FILE, "%s", tuned->lost);
  if (why.status == RH_OK) return RH_OK;
  return rh_fail(error, RH_E_FILE, "%s: %s. Use another cache directory", tuned->path, why.message);
}

rh_status rh_tunedb_put(rh_tunedb *tuned, const rh_tunedb_entry *entry, rh_error *error) {
  rh_error why = {0};
  RH_TRY(put_in(tuned, entry, error));
  if (tuned->path) {
    RH_TRY(RH_ROOM(&tuned->unsaved, tuned->n_unsaved, "what was tuned", error));
    tuned->unsaved[tuned->n_unsaved++] = *entry;
  }
  if (tuned->path && !tuned->left_alone && rh_now() >= tuned->not_before) store(tuned, &why);
  if (tuned->lost) rh_fail(&why, RH_E_FILE, "%s", tuned->lost);
  int was_said = tuned->left_alone || tuned->unread;
  if (why.status != RH_OK && !entry->failed && !was_said && !tuned->complained) {
    tuned->complained = 1;
    rh_log(tuned->cache->reporter, RH_LOG_WARNING,
           "%s: %s; continuing without storing tuning results. Use another cache directory, or "
           "turn the cache off",
           tuned->path, why.message);
  }
  return rh_tunedb_take(tuned, tuned->document, error);
}

void rh_tunedb_blame(rh_tunedb *tuned, const rh_asked *of) {
  rh_tunedb_entry entry = rh_tunedb_entry_of(of);
  entry.failed = 1;
  rh_tunedb_put(tuned, &entry, NULL);
}
