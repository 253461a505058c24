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
#pragma once

#include "entry.h"

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
int rh_tunedb_key_is(const rh_tunedb_key *a, const rh_tunedb_key *b);

/* Accepts any bytes.  RH_OK: *document is a new reference, and every part of it is valid: the first
 * form or, if `shipped`, the second.  RH_DECLINED: it is from a later redhost.  Else RH_E_FILE.
 * Both with a message. */
rh_status rh_tunedb_document_read(const char *text, size_t length, int shipped, json_t **document,
                                  rh_error *error);
/* An empty document, or null if out of memory. */
json_t *rh_tunedb_document_new(void);

/* The entries of the place-th device of a document that was read, and its key; null after the
 * last. */
const json_t *rh_tunedb_document_device(const json_t *document, size_t place, rh_tunedb_key *key);

/* Adds an entry, which replaces the one of the same strategy, operator, type, size and cut.  A good
 * entry removes the record that its strategy failed, for this device and for the host.  0, or -1
 * and in *why, a constant, the reason: out of memory, too many entries, or an entry that could not
 * be read back.  The document is then unchanged, or has fewer entries. */
int rh_tunedb_document_put(json_t *document, const rh_tunedb_key *key, const rh_tunedb_entry *entry,
                           const char **why);
