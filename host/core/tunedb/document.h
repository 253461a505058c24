/* The document "redhost-tuned/1": what <cache>/tuned.json holds,
 *
 *     {"schema": "redhost-tuned/1",
 *      "devices": [{"platform": "...", "device": "...", "driver": "...", "entries": [...]}]}
 *
 * and what comes with redhost, where "match" says which devices it is for, and "name" how these are
 * called:
 *
 *     {"schema": "redhost-tuned/1", "name": "NVIDIA GPUs", "match": {"kind": "gpu", "vendor_id":
 *     4318}, "entries": [...]}
 */
#ifndef RH_TUNEDB_DOCUMENT_H
#define RH_TUNEDB_DOCUMENT_H

#include "entry.h"

enum {
  RH_TUNED_MOST_BYTES = 8 << 20,
  RH_TUNED_MOST_DEVICES = 256,
  RH_TUNED_MOST_ENTRIES = 1 << 14 /* of one document */
};

/* Whose entries they are.  Compared as they are written: one line, and cut where it is long. */
typedef struct rh_tunedb_key {
  char platform[128], device[256], driver[128];
} rh_tunedb_key;

/* The device's key; null: that of strategies on the host. */
rh_tunedb_key rh_tunedb_key_of(const rh_cl_device *device);
int rh_tunedb_key_is(const rh_tunedb_key *a, const rh_tunedb_key *b);

/* Any bytes may be given.  RH_OK: *document is a new reference, and every part of it is as it
 * should be: the first form or, where `shipped`, the second.  RH_DECLINED: it is of a later
 * redhost.  Else RH_E_FILE.  Both with a sentence. */
rh_status rh_tunedb_document_read(const char *text, size_t length, int shipped, json_t **document,
                                  rh_error *error);
/* An empty one, or null where memory runs out. */
json_t *rh_tunedb_document_new(void);

/* The entries of the place-th device of a document that was read, and whose they are; null behind
 * the last. */
const json_t *rh_tunedb_document_device(const json_t *document, size_t place, rh_tunedb_key *key);

/* Puts in an entry, which takes the place of the one of the same strategy, operator, type and size.
 * One that is good takes away what says that its strategy failed, for this device and for the host.
 * 0, or -1 and in *why, a constant, what stands in the way: no memory, as many as there can be, or
 * an entry that reading would refuse.  The document is what it was, or holds less. */
int rh_tunedb_document_put(json_t *document, const rh_tunedb_key *key, const rh_tunedb_entry *entry,
                           const char **why);

#endif
