/* Compiled programs on disk. */
#pragma once

#include <redhost/redhost.h>

/* An entry is <directory>/bin/<hash of the key>.  It contains the whole key, which is compared,
 * so that a hash collision costs a build but never gives a wrong program.  A checksum detects
 * damaged entries, which are ignored.  Entries are written atomically, so concurrent processes
 * are safe. */
typedef struct rh_cache {
  char *directory; /* null: no cache */
  const rh_reporter *reporter;
  int distrusted; /* 1: the directory exists, but others can change its contents */
  int complained; /* about a directory that is not writable: warned once */
} rh_cache;

/* options->cache_dir, else REDHOST_CACHE_DIR, else $XDG_CACHE_HOME/redhost; none with
 * options->no_cache or REDHOST_NO_CACHE, or if rh_trust_path does not trust the directory, which is
 * reported. */
rh_status rh_cache_init(rh_cache *cache, const rh_options *options, rh_error *error);
void rh_cache_finish(rh_cache *cache);

/* The entry's bytes, malloc'ed, or null. */
unsigned char *rh_cache_load(rh_cache *cache, const char *key, size_t *bytes);
/* A failure to store is only a warning. */
void rh_cache_store(rh_cache *cache, const char *key, const unsigned char *data, size_t bytes);
/* Removes an entry that turned out to be unusable. */
void rh_cache_drop(rh_cache *cache, const char *key);

/* Writes `text` to <directory>/log/<name>.log; returns its path, malloc'ed, or null. */
char *rh_cache_log(rh_cache *cache, const char *name, const char *text);
