/* <cache>/tuned.json: read as untrusted data, and written whole or not at all. */
#pragma once

#include "document.h"

/* Zero-initialised: without a directory. */
typedef struct rh_tunedb_store {
  rh_cache *cache; /* borrowed */
  char *path, *lock_path;
  /* the file is from a later redhost, or cannot be renamed: new entries stay in memory */
  int left_alone;
  /* the last load could not read it; it need not be damaged, so it must not be replaced */
  int unread;
} rh_tunedb_store;

rh_status rh_tunedb_store_init(rh_tunedb_store *store, rh_cache *cache, rh_error *error);
void rh_tunedb_store_finish(rh_tunedb_store *store);

/* The file's contents, a new reference; null if there is no file.  An unusable file is reported, as
 * a warning, and renamed to tuned.json.bad; a file of a later redhost is reported and kept, as is
 * one that cannot be read at the moment. */
json_t *rh_tunedb_store_load(rh_tunedb_store *store);

/* Between these two calls no other process writes, if the file system supports locks.  -1: no lock,
 * for the reason in *why. */
int rh_tunedb_store_lock(const rh_tunedb_store *store, const char **why);
void rh_tunedb_store_unlock(int lock);

/* Could it be written? As rh_tunedb_store_save, but writes nothing. */
int rh_tunedb_store_try(const rh_tunedb_store *store, const char **why);
/* 0, or -1 if it cannot be written, for the reason in *why. */
int rh_tunedb_store_save(const rh_tunedb_store *store, const json_t *document, const char **why);
