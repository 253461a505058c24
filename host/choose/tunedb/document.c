#include "internal.h"

static const char family[] = "redhost-tuned/"; /* the schema without its version */

/* ---- Keys ---- */

rh_tunedb_key rh_tunedb_key_of(const rh_cl_device *device) {
  rh_tunedb_key key = {.device = "host"};
  char model[RH_PROCESSOR_WORD];
  rh_processor_family(model);
  snprintf(key.processor, sizeof key.processor, "%s, cores: %ld", *model ? model : "unknown",
           sysconf(_SC_NPROCESSORS_ONLN));
  if (!device) return key;
  rh_copy_plain(key.platform, sizeof key.platform, device->platform_name);
  rh_copy_plain(key.device, sizeof key.device, device->name);
  rh_copy_plain(key.driver, sizeof key.driver, device->driver);
  return key;
}

static rh_status take_key(const json_t *object, rh_tunedb_key *key, rh_error *error) {
  const rh_exchange x = {.reads = 1, .object = (json_t *)object, .error = error};
  memset(key, 0, sizeof *key);
  RH_TRY(rh_pass_text(&x, "platform", key->platform, sizeof key->platform));
  RH_TRY(rh_pass_name(&x, "device", key->device, sizeof key->device));
  RH_TRY(rh_pass_text(&x, "driver", key->driver, sizeof key->driver));
  return rh_pass_text(&x, "processor", key->processor, sizeof key->processor);
}

static int key_is(const rh_tunedb_key *a, const rh_tunedb_key *b) {
  return strcmp(a->platform, b->platform) == 0 && strcmp(a->device, b->device) == 0 &&
         strcmp(a->driver, b->driver) == 0 && strcmp(a->processor, b->processor) == 0;
}

/* ---- Reading ---- */

/* The origin of entries stored under the key `theirs`; 0: they do not apply.  Host strategies do
 * not depend on the selected device: with a device, entries measured without one count, too, and
 * vice versa. */
static uint32_t origin_of(const rh_tunedb *tuned, const rh_tunedb_key *theirs) {
  const rh_tunedb_key host = rh_tunedb_key_of(NULL);
  if (strcmp(theirs->processor, host.processor) != 0) return 0;
  if (tuned->on_host || key_is(theirs, &host)) return RH_TUNED_HERE;
  if (strcmp(theirs->platform, tuned->key.platform) != 0 ||
      strcmp(theirs->device, tuned->key.device) != 0)
    return 0;
  return strcmp(theirs->driver, tuned->key.driver) == 0 ? RH_TUNED_HERE : RH_TUNED_OTHER_DRIVER;
}

static rh_status take_entry(rh_tunedb *tuned, const json_t *object, uint32_t origin, int is_own,
                            rh_error *error) {
  rh_tunedb_entry entry;
  RH_TRY(rh_tunedb_entry_take(object, &entry, error));
  if (!origin || !entry.op || (origin == RH_TUNED_OTHER_DRIVER && !entry.failed)) return RH_OK;
  entry.origin = origin;
  entry.is_own = is_own && !entry.failed && !entry.trial;
  if (origin == RH_TUNED_SHIPPED && tuned->without_times) entry.time_s = entry.latency_s = 0;
  RH_TRY(RH_ROOM(&tuned->list, tuned->n, "what was tuned", error));
  tuned->list[tuned->n++] = entry;
  return RH_OK;
}

static rh_status take_entries(rh_tunedb *tuned, const json_t *of, uint32_t origin, int is_own,
                              size_t *total, rh_error *error) {
  const json_t *entries = json_object_get(of, "entries");
  size_t n = json_array_size(entries);
  if (!json_is_array(entries))
    return rh_fail(error, RH_E_FILE, entries ? "entries: is not an array" : "entries: are missing");
  *total += n;
  if (*total > RH_TUNED_MOST_ENTRIES)
    return rh_fail(error, RH_E_FILE, "entries: are more than %d", RH_TUNED_MOST_ENTRIES);
  for (size_t k = 0; k < n; k++)
    RH_TRY(rh_error_prefix(error,
                           take_entry(tuned, json_array_get(entries, k), origin, is_own, error),
                           "entries[%zu]", k));
  return RH_OK;
}

/* A file that was carried to another machine, or a driver that was updated. */
static void report_passed_over(const rh_tunedb *tuned, const rh_tunedb_key *theirs) {
  const char *form = "%s: what was measured on '%s' is passed over: it is of %s, %s; this is %s";
  const rh_tunedb_key *ours = &tuned->key;
  if (strcmp(theirs->processor, ours->processor) != 0)
    rh_log(tuned->cache->reporter, RH_LOG_INFO, form, tuned->path, theirs->device,
           "another processor", *theirs->processor ? theirs->processor : "which is not named",
           ours->processor);
  else if (origin_of(tuned, theirs) == RH_TUNED_OTHER_DRIVER)
    rh_log(tuned->cache->reporter, RH_LOG_INFO, form, tuned->path, theirs->device, "another driver",
           theirs->driver, ours->driver);
}

static rh_status take_device(rh_tunedb *tuned, const json_t *device, size_t *total,
                             rh_error *error) {
  rh_tunedb_key theirs;
  if (!json_is_object(device)) return rh_fail(error, RH_E_FILE, "is not an object");
  RH_TRY(take_key(device, &theirs, error));
  RH_TRY(take_entries(tuned, device, origin_of(tuned, &theirs), key_is(&theirs, &tuned->key), total,
                      error));
  if (tuned->tells) report_passed_over(tuned, &theirs);
  return RH_OK;
}

static rh_status take_devices(rh_tunedb *tuned, const json_t *document, rh_error *error) {
  const json_t *devices = json_object_get(document, "devices");
  size_t n = json_array_size(devices), total = 0;
  if (!json_is_array(devices))
    return rh_fail(error, RH_E_FILE, devices ? "devices: is not an array" : "devices: are missing");
  if (n > RH_TUNED_MOST_DEVICES)
    return rh_fail(error, RH_E_FILE, "devices: are more than %d", RH_TUNED_MOST_DEVICES);
  for (size_t k = 0; k < n; k++)
    RH_TRY(rh_error_prefix(error, take_device(tuned, json_array_get(devices, k), &total, error),
                           "devices[%zu]", k));
  return RH_OK;
}

rh_status rh_tunedb_take(rh_tunedb *tuned, const json_t *document, rh_error *error) {
  size_t total = 0;
  tuned->n = 0;
  if (document) RH_TRY(take_devices(tuned, document, error));
  if (!tuned->shipped) return RH_OK;
  return take_entries(tuned, tuned->shipped, RH_TUNED_SHIPPED, 0, &total, error);
}

/* ---- Texts ---- */

static rh_status check_schema(const json_t *document, rh_error *error) {
  const char *said = json_string_value(json_object_get(document, "schema"));
  if (!json_is_object(document)) return rh_fail(error, RH_E_FILE, "is JSON, but not an object");
  if (!said) return rh_fail(error, RH_E_FILE, "has no \"schema\"");
  if (strcmp(said, RH_TUNED_SCHEMA) == 0) return RH_OK;
  const char *version = said + sizeof family - 1;
  if (strncmp(said, family, sizeof family - 1) == 0 && *version >= '1' && *version <= '9' &&
      !version[strspn(version, "0123456789")] && strlen(version) < 10)
    return rh_fail(error, RH_DECLINED, "is %s, of a later redhost", said);
  return rh_fail(error, RH_E_FILE, "schema: '%s' is not %s", rh_quotable(said), RH_TUNED_SCHEMA);
}

/* jansson's message may quote the file, so it is not repeated. */
static rh_status refuse_text(const json_error_t *said, rh_error *error) {
  const char *what = "is not JSON";
  switch (json_error_code(said)) {
  case json_error_duplicate_key: what = "has the same key twice"; break;
  case json_error_stack_overflow: what = "is nested too deep"; break;
  case json_error_numeric_overflow: what = "has a number out of all bounds"; break;
  default: break;
  }
  return rh_fail(error, RH_E_FILE, "%s: line %d", what, said->line);
}

rh_status rh_tunedb_document_read(rh_tunedb *tuned, const char *text, size_t length,
                                  json_t **document, rh_error *error) {
  json_error_t said;
  *document = NULL;
  json_auto_t *read = json_loadb(text, length, JSON_REJECT_DUPLICATES, &said);
  if (!read && !length) return rh_fail(error, RH_E_FILE, "is empty");
  if (!read) return refuse_text(&said, error);
  RH_TRY(check_schema(read, error));
  RH_TRY(rh_tunedb_take(tuned, read, error));
  *document = json_incref(read);
  return RH_OK;
}

/* ---- Writing ---- */

/* Removes what the new entry replaces. */
static void make_room(json_t *entries, const rh_tunedb_entry *entry, int own_device) {
  for (size_t k = json_array_size(entries); k-- > 0;) {
    rh_tunedb_entry old;
    if (rh_tunedb_entry_take(json_array_get(entries, k), &old, NULL) != RH_OK) continue;
    if (old.op != entry->op || old.own != entry->own || strcmp(old.strategy, entry->strategy) != 0)
      continue;
    int same = old.n == entry->n && old.cut.length == entry->cut.length &&
               old.cut.distribution == entry->cut.distribution;
    if ((own_device && same) || (old.failed && !entry->failed)) json_array_remove(entries, k);
  }
}

/* Its entries; null if memory runs out. */
static json_t *add_device(json_t *devices, const rh_tunedb_key *key) {
  json_t *device =
      json_pack("{s:s, s:s, s:s, s:s, s:[]}", "platform", key->platform, "device", key->device,
                "driver", key->driver, "processor", key->processor, "entries");
  return json_array_append_new(devices, device) == 0 ? json_object_get(device, "entries") : NULL;
}

const char *rh_tunedb_document_put(json_t *document, const rh_tunedb_key *key,
                                   const rh_tunedb_entry *entry) {
  const rh_tunedb_key host = rh_tunedb_key_of(NULL);
  json_t *devices = json_object_get(document, "devices"), *entries = NULL, *device;
  json_auto_t *packed = rh_tunedb_entry_pack(entry);
  rh_tunedb_entry read;
  size_t k, total = 0;
  if (!packed) return "no memory";
  /* One invalid entry makes the whole file unreadable. */
  if (rh_tunedb_entry_take(packed, &read, NULL) != RH_OK) return "an entry could not be read again";
  json_array_foreach(devices, k, device) {
    rh_tunedb_key theirs;
    json_t *list = json_object_get(device, "entries");
    if (take_key(device, &theirs, NULL) != RH_OK) continue;
    int own = key_is(&theirs, key);
    if (own || key_is(&theirs, &host)) make_room(list, entry, own);
    if (own) entries = list;
    total += json_array_size(list);
  }
  if (total >= RH_TUNED_MOST_ENTRIES || (!entries && k >= RH_TUNED_MOST_DEVICES))
    return "it holds as much as it can";
  if (!entries) entries = add_device(devices, key);
  return json_array_append(entries, packed) == 0 ? NULL : "no memory";
}
