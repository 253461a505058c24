/* The tuning database's document, its entries and its file. */
#pragma once

#include "tunedb.h"

/* ---- One entry, as JSON and as a struct ---- */

/* Validates an entry: RH_E_FILE with a message that begins with the key.  Unknown keys are ignored.
 * entry->op is null if this redhost does not know the operator, the type, their combination or the
 * distribution, as with entries of a later redhost: such an entry is kept in the file but not
 * used. */
rh_status rh_tunedb_entry_take(const json_t *object, rh_tunedb_entry *entry, rh_error *error);

/* A new reference, or null if out of memory.  Origin and driver are not part of it. */
json_t *rh_tunedb_entry_pack(const rh_tunedb_entry *entry);

/* The document "redhost-tuned/1": the contents of <cache>/tuned.json,
 *
 *     {"schema": "redhost-tuned/1",
 *      "devices": [{"platform": "...", "device": "...", "driver": "...",
 *                  "processor": "...", "entries": [...]}]}
 *
 * and of redhost's defaults, where "match" selects the devices and "name" names them:
 *
 *     {"schema": "redhost-tuned/1", "name": "NVIDIA GPUs", "family": "compute capability 9",
 *      "match": {"kind": "gpu", "vendor_id": 4318},
 *      "strategies": ["native", "onepass", ...], "entries": [...]}
 *
 * "strategies" are those that `auto` chooses from on such a device where no other was measured.
 * "family" is that of the device that they were measured on (rh_cl_device.family): the times count
 * for devices of that family only.
 */

#define RH_TUNED_SCHEMA "redhost-tuned/1"

enum {
  RH_TUNED_MOST_BYTES = 8 << 20,
  RH_TUNED_MOST_DEVICES = 256,
  RH_TUNED_MOST_ENTRIES = 1 << 14 /* of one document */
};

/* The key of a device's entries.  Compared as written: one line, truncated if long. */
typedef struct rh_tunedb_key {
  char platform[128], device[256], driver[128];
  char processor[64]; /* of the host, and its number of cores; "" in a file: not known */
} rh_tunedb_key;

/* The device's key; null: that of strategies on the host. */
rh_tunedb_key rh_tunedb_key_of(const rh_cl_device *device);

/* Adds an entry, which replaces the one of the same strategy, operator, type, size and cut.  A good
 * entry removes the record that its strategy failed, for this device and for the host.  Null, or
 * the reason, a constant: out of memory, too many entries, or an entry that could not be read back.
 * The document is then unchanged, or has fewer entries. */
const char *rh_tunedb_document_put(json_t *document, const rh_tunedb_key *key,
                                   const rh_tunedb_entry *entry);

/* ---- The database ---- */

struct rh_tunedb {
  rh_cache *cache; /* borrowed */
  char *path;      /* null: without a directory */
  /* the file is from a later redhost, or cannot be renamed: new entries stay in memory */
  int left_alone;
  /* the last load could not read it; it need not be damaged, so it must not be replaced */
  int unread;
  rh_tunedb_key key;
  uint32_t on_host;      /* 1: there is no device */
  json_t *document;      /* the file's contents, with entries that could not be written */
  json_t *shipped;       /* null: nothing that fits */
  json_t *files;         /* what rh_tunedb_file() answered, by paths */
  int without_times;     /* the shipped times are another family's */
  rh_tunedb_entry *list; /* the entries of both that apply to this device */
  uint32_t n;
  int tells; /* 1: what does not apply to it is named, as it is taken */
  int complained;
  json_t *told;             /* by names: the strategies of which another plugin was reported */
  rh_tunedb_entry *unsaved; /* entries that are not in the file yet, in order */
  uint32_t n_unsaved;
  double not_before; /* rh_now() from which the file is tried again */
  const char *lost;  /* why an entry could not be added to the document; null: none failed */
};

/* Accepts any bytes.  RH_OK: *document is a new reference, and every part of it is valid.
 * RH_DECLINED: it is from a later redhost.  Else RH_E_FILE.  Both with a message.  The list is
 * rh_tunedb_take()'s. */
rh_status rh_tunedb_document_read(rh_tunedb *tuned, const char *text, size_t length,
                                  json_t **document, rh_error *error);
/* Fills the list: with what applies to this device of a document of the first form, which may be
 * null, and of the shipped one.  RH_E_FILE, with a message, if a part of it is invalid. */
rh_status rh_tunedb_take(rh_tunedb *tuned, const json_t *document, rh_error *error);
