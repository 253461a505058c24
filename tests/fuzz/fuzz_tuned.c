/* host/choose/tunedb: a tuning database.  Entries that were read are fit for use, and entries that
 * are put into it can be read again. */
#include <math.h>

#include "../../host/choose/tunedb/internal.h"
#include "fuzz.h"

static int is_plain(const char *s, size_t size) {
  return memchr(s, 0, size) && rh_is_plain_utf8(s, strlen(s));
}

static void check_entry(const rh_tunedb_entry *entry) {
  RULE(rh_strategy_name_is_valid(entry->strategy));
  RULE(entry->op && rh_operator_builtin(entry->op->base, entry->op->type) == entry->op);
  RULE(entry->settings.n <= RH_TUNED_MOST_SETTINGS);
  RULE(isfinite(entry->time_s) && entry->time_s >= 0);
  RULE(isfinite(entry->latency_s) && entry->latency_s >= 0);
  RULE(!entry->failed ||
       (!entry->settings.n && entry->time_s == 0 && entry->latency_s == 0 && !entry->searched));
  for (uint32_t k = 0; k < entry->settings.n; k++) {
    const rh_tunedb_setting *setting = &entry->settings.list[k];
    RULE(*setting->key && is_plain(setting->key, sizeof setting->key));
    RULE(*setting->value && is_plain(setting->value, sizeof setting->value));
  }
}

/* Written and read again, it is unchanged. */
static void pack_and_take(const rh_tunedb_entry *entry) {
  rh_tunedb_entry again;
  json_t *packed = rh_tunedb_entry_pack(entry);
  RULE(packed);
  RULE(rh_tunedb_entry_take(packed, &again, NULL) == RH_OK && again.op);
  RULE(strcmp(again.strategy, entry->strategy) == 0 && again.plugin == entry->plugin);
  RULE(again.op == entry->op && again.own == entry->own && again.n == entry->n);
  RULE(again.settings.n == entry->settings.n && again.failed == entry->failed);
  RULE(again.searched == entry->searched && again.trial == entry->trial &&
       again.on_device == entry->on_device);
  RULE(again.time_s == entry->time_s && again.latency_s == entry->latency_s);
  json_decref(packed);
}

static size_t check_entries(const json_t *entries) {
  for (size_t k = 0; k < json_array_size(entries); k++) {
    rh_tunedb_entry entry;
    RULE(rh_tunedb_entry_take(json_array_get(entries, k), &entry, NULL) == RH_OK);
    if (!entry.op) continue;
    check_entry(&entry);
    pack_and_take(&entry);
  }
  return json_array_size(entries);
}

static void check_document(const json_t *document) {
  const json_t *devices = json_object_get(document, "devices"), *device;
  size_t k, n = 0;
  json_array_foreach((json_t *)devices, k, device) n +=
      check_entries(json_object_get(device, "entries"));
  RULE(k <= RH_TUNED_MOST_DEVICES && n <= RH_TUNED_MOST_ENTRIES);
}

static void put_and_read(rh_tunedb *tuned, json_t *document) {
  rh_tunedb_entry entry = {
      .strategy = "s", .op = rh_operator_builtin(RH_OP_sum, RH_TYPE_f32), .n = 1};
  rh_error error = {0};
  json_t *again;
  if (rh_tunedb_document_put(document, &tuned->key, &entry)) return;
  char *text = json_dumps(document, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
  RULE(text);
  rh_status status = rh_tunedb_document_read(tuned, text, strlen(text), &again, &error);
  if (status != RH_OK) fprintf(stderr, "%s\n%s\n", text, error.message);
  RULE(status == RH_OK && tuned->n);
  check_document(again);
  json_decref(again);
  free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  rh_tunedb tuned = {.key = rh_tunedb_key_of(NULL), .on_host = 1};
  json_t *document;
  rh_error error = {0};
  rh_status status = rh_tunedb_document_read(&tuned, (const char *)data, size, &document, &error);
  if (status == RH_OK) {
    check_document(document);
    put_and_read(&tuned, document);
  } else {
    fuzz_check_refusal(status, &error, status == RH_DECLINED ? RH_DECLINED : RH_E_FILE);
    RULE(rh_is_plain_utf8(error.message, strlen(error.message)));
    RULE(!document);
  }
  json_decref(document);
  free(tuned.list);
  return 0;
}
