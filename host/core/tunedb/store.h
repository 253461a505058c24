/* <cache>/tuned.json: read as from a stranger, written so that it appears whole or not at all. */
#ifndef RH_TUNEDB_STORE_H
#define RH_TUNEDB_STORE_H

#include "document.h"

/* Zero-initialised is one without a place. */
typedef struct rh_tunedb_store {
  rh_cache *cache; /* borrowed */
  char *path, *lock_path;
  /* the file is of a later redhost, or cannot be set aside: what is new stays in memory */
  int left_alone;
  /* the last load could not read it, which says nothing against it: nor may it be replaced */
  int unread;
} rh_tunedb_store;

rh_status rh_tunedb_store_init(rh_tunedb_store *store, rh_cache *cache, rh_error *error);
void rh_tunedb_store_finish(rh_tunedb_store *store);

/* What the file holds, a new reference; null where there is none.  One that cannot be used is
 * reported, as a warning, and renamed to tuned.json.bad; one of a later redhost is reported and
 * stays, as does one that cannot be read just now. */
json_t *rh_tunedb_store_load(rh_tunedb_store *store);

/* Between these two nobody else writes, as far as the file system knows how to lock.  -1: no lock;
 * *why says what stood in the way. */
int rh_tunedb_store_lock(const rh_tunedb_store *store, const char **why);
void rh_tunedb_store_unlock(int lock);

/* Could it be written?  As rh_tunedb_store_save, but nothing is. */
int rh_tunedb_store_try(const rh_tunedb_store *store, const char **why);
/* 0, or -1 where it cannot be written, and *why says what stood in the way. */
int rh_tunedb_store_save(const rh_tunedb_store *store, const json_t *document, const char **why);

#endif
