/* The tuning database, and how keys of JSON are read and written. */
#pragma once

#include "../../engine/segments/segments.h"

/* A JSON object that is read or written: each key stands in one function, which does either.  What
 * is read is untrusted: a value of a wrong type or out of range is RH_E_FILE, with a message that
 * begins with its key. */

/* JSON readers that use doubles are exact up to here. */
#define RH_JSON_MOST_INTEGER (UINT64_C(1) << 53)
#define RH_JSON_MOST_SECONDS 1e9

typedef struct rh_exchange {
  int reads;
  json_t *object;
  const char *within; /* for messages: the key of the object; null: the outermost one */
  rh_error *error;
  int has_nulls; /* a value that is null counts as missing; else it is of a wrong type */
} rh_exchange;

rh_status rh_pass_refuse(const rh_exchange *x, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* To be read; null if it is missing. */
const json_t *rh_pass_value(const rh_exchange *x, const char *key);
/* Writes a value, which it takes over. */
rh_status rh_pass_put(const rh_exchange *x, const char *key, json_t *value);

/* These write *is, or read into it.  A missing key leaves it unchanged. */
rh_status rh_pass_number(const rh_exchange *x, const char *key, double most, double *is);
rh_status rh_pass_seconds(const rh_exchange *x, const char *key, double *is);
rh_status rh_pass_integer(const rh_exchange *x, const char *key, uint64_t most, uint64_t *is);
rh_status rh_pass_count(const rh_exchange *x, const char *key, uint32_t *is);
rh_status rh_pass_flag(const rh_exchange *x, const char *key, uint32_t *is);
/* At most size-1 bytes, without control characters.  "" is written as null. */
rh_status rh_pass_text(const rh_exchange *x, const char *key, char *is, size_t size);
/* A name must not be missing, and is written as it is. */
rh_status rh_pass_name(const rh_exchange *x, const char *key, char *is, size_t size);
/* One of several words, which the caller knows: `word` is `is`, or what was read; if it is missing,
 * `otherwise`, or a failure if that is null. */
rh_status rh_pass_word(const rh_exchange *x, const char *key, const char *is, char word[32],
                       const char *otherwise);

/* The tuning database of a device: the best parameters for each strategy, operator, type, size and
 * cut into segments, the time of a reduction with them, and the strategies that gave wrong results
 * on it.
 *
 * It has two sources, in order of precedence: <cache>/tuned.json, which `redhost --tune` writes
 * (and every mode that finds a wrong result), and redhost's defaults for kinds of devices.  The
 * file is untrusted: a damaged one, or one that others may write to, is set aside with one
 * warning. */

/* The origin of an entry, the best first. */
enum {
  RH_TUNED_HERE = 1, /* measured on this device under this driver */
  /* on this device under another driver: only its failures count, and such entries are not found */
  RH_TUNED_OTHER_DRIVER = 2,
  /* measured on a device of this kind, by redhost's authors; without times if it was of another
   * family */
  RH_TUNED_SHIPPED = 3
};

enum { RH_TUNED_MOST_SETTINGS = 16, RH_TUNED_WORD = 48 };
enum { RH_TUNED_CUTS_APART = 3 }; /* octaves (rh_cuts_apart()) at which a cut tells of another */

typedef struct rh_tunedb_setting {
  char key[RH_TUNED_WORD], value[RH_TUNED_WORD]; /* as --param takes them: "group", "256" */
} rh_tunedb_setting;
typedef struct rh_tunedb_settings {
  rh_tunedb_setting list[RH_TUNED_MOST_SETTINGS];
  uint32_t n;
} rh_tunedb_settings;

/* The best result of one strategy at one size. */
typedef struct rh_tunedb_entry {
  char strategy[64];
  uint64_t plugin; /* rh_tunedb_plugin() of its file; 0: whatever its file (shipped defaults) */
  /* the built-in operator, or that which the user's is based on */
  const rh_operator *op;
  uint64_t own;      /* rh_operator.hash: 0, or the user's, */
  char own_name[64]; /* and its name, for people who read the file */
  uint64_t n;        /* elements; the entry serves the sizes that are nearest to it, by ratio */
  rh_cut cut;        /* of segments: likewise */
  rh_tunedb_settings settings; /* only those that differ from the plugin's defaults */
  /* 1: gave a wrong result, with any parameters; everything below is then 0 */
  uint32_t failed;
  double time_s;    /* of one reduction, the main figure of a benchmark; 0: not measured */
  double latency_s; /* of one call until the value is on the host; 0: not measured */
  /* 1: its parameters were searched, or it has none; 0: measured, with the parameters that would
   * be used without this entry */
  uint32_t searched;
  /* 1: a short measurement, with the parameters that other entries gave: only its times count */
  uint32_t trial;
  uint32_t on_device; /* 1: the strategy runs on devices; 0: on the host, or nobody noted it */
  uint32_t origin;    /* RH_TUNED_*, when found */
  /* 1: good, no trial, and measured on this device, not on the host or with another; when found */
  uint32_t is_own;
} rh_tunedb_entry;

/* A strategy and a problem. */
typedef struct rh_asked {
  const char *strategy;
  uint64_t plugin;
  const rh_operator *op;
  uint64_t n;
  rh_cut cut;
} rh_asked;

/* An entry of it, without times. */
rh_tunedb_entry rh_tunedb_entry_of(const rh_asked *of);
/* Is the entry of this very operator and type? */
int rh_tunedb_is_of(const rh_tunedb_entry *entry, const rh_operator *op);

/* [one thread at a time] */
typedef struct rh_tunedb rh_tunedb;

/* Reads the entries for one device (null: host strategies only).  Entries of host strategies are
 * stored with the device that was selected when they were measured; entries measured without a
 * device serve with every device, and vice versa.  Entries measured with another processor or
 * driver are passed over and named at RH_LOG_INFO; failures under another driver count.  A missing
 * file is not an error; an unusable one is reported once, as a warning, renamed to tuned.json.bad
 * and never used; one of a later redhost is reported and left unchanged.  `cache` is borrowed;
 * without a directory only the shipped defaults are available. */
rh_status rh_tunedb_open(rh_tunedb **tuned, rh_cache *cache, const rh_cl_device *device,
                         rh_error *error);
void rh_tunedb_close(rh_tunedb *tuned); /* null is legal */

/* The entry that suits a strategy and problem best, but no trial, or null; borrowed until the next
 * call that changes *tuned.  The order of preference: origin; then the same operator and type,
 * before the built-in operator that a user's is based on, before the same type and kind of operator
 * (one that answers an index or not), before elements of the same size and that kind; then the
 * nearest cut; then the nearest size.  Segments whose cut is not within RH_TUNED_CUTS_APART of any
 * get an entry of whole arrays; whole arrays get none of segments.  But one measured here goes
 * before a shipped one only if it is as like the problem, and within a factor of 2 of its size or
 * as near as the shipped one; and one that was measured without a search and has no parameters
 * comes last.  Times are comparable only for the same operator and type (rh_tunedb_is_of()).
 * Entries of another file with that name (another `plugin`), and of another operator of a user's,
 * do not count. */
const rh_tunedb_entry *rh_tunedb_find(const rh_tunedb *tuned, const rh_asked *of);

/* How much an entry differs from the problem. */
enum {
  RH_TUNED_SAME = 0,       /* the same operator and type */
  RH_TUNED_SAME_BASE = 1,  /* the built-in operator and type that a user's operator is based on */
  RH_TUNED_SAME_TYPE = 2,  /* the same type, and as to whether the answer is an index */
  RH_TUNED_SAME_SIZE = 3,  /* elements of the same size, likewise */
  RH_TUNED_OTHER_SIZE = 4, /* elements of another size, likewise */
  RH_TUNED_UNLIKE = 5
};

/* Finds, in the same order of preference, among entries that have a time, are of some origins and
 * sizes, and differ from the problem by at most `unlike` and its cut by `apart` octaves. */
typedef struct rh_tunedb_timed {
  uint32_t first, last; /* origins: RH_TUNED_HERE, ... */
  uint32_t unlike;
  uint64_t least_n, most_n;
  double apart; /* rh_cuts_apart() */
} rh_tunedb_timed;
const rh_tunedb_entry *rh_tunedb_find_timed(const rh_tunedb *tuned, const rh_tunedb_timed *among,
                                            const rh_asked *of);

/* Entries of these names are of no strategy: how long so many bytes take to the device, from where
 * they are and through pinned memory, and how long the device takes to open. */
#define RH_TUNEDB_UPLOAD  "upload"
#define RH_TUNEDB_STREAM  "stream"
#define RH_TUNEDB_OPENING "opening"

/* The names of the strategies that `auto` may choose on such a device, each once, in *names: those
 * that the shipped defaults list, and those of which a time or a wrong result is known here; valid
 * until an entry is added.  on_host: null, or only those that may run on the host and of which a
 * time of this very operator, at any size, is known.  Returns how many there are; 0: nothing is
 * known of such a device, or there are more than `most`, and any may be the best. */
uint32_t rh_tunedb_strategies(const rh_tunedb *tuned, const rh_operator *on_host,
                              const char **names, uint32_t most);

/* Is there any entry of that name that holds for one version of its plugin?  If not, its file need
 * not be hashed. */
int rh_tunedb_is_here(const rh_tunedb *tuned, const char *strategy);

/* Says as information, once for each strategy, that entries of it are of another version of its
 * plugin and hence are not found. */
void rh_tunedb_report_other_plugin(rh_tunedb *tuned, const char *strategy, uint64_t plugin);

/* Did this strategy give a wrong result on this device, for this operator and type, at any size?  A
 * wrong result under another driver counts until the strategy is measured under this one. */
int rh_tunedb_has_failed(const rh_tunedb *tuned, const rh_asked *of);

/* Adds an entry, or replaces the one of the same strategy, operator, type, size and cut, in memory
 * and in the file, which is replaced atomically; entries that other processes wrote meanwhile are
 * kept.  A good entry of a strategy, of any size and cut, removes its failure for this operator and
 * type, so a caller that measures several sizes stores a failure last.  Without a directory it is
 * kept only in memory.  A file that cannot be written causes one warning, unless the entry is of
 * a failure; entries that are missing in it are written with later ones. */
rh_status rh_tunedb_put(rh_tunedb *tuned, const rh_tunedb_entry *entry, rh_error *error);

/* Records that a strategy's result was wrong, for --run and --bench. */
void rh_tunedb_blame(rh_tunedb *tuned, const rh_asked *of);

/* Writes entries that could not be written so far, without the usual pauses after a failure;
 * without any such entries, tests whether the file could be written.  RH_E_FILE with a message: not
 * all entries are, or would be, in the file. */
rh_status rh_tunedb_settle(rh_tunedb *tuned, rh_error *error);

/* The number of good entries that were measured here, under this driver, without trials: for the
 * summary of this machine. */
uint32_t rh_tunedb_count(const rh_tunedb *tuned);

/* The devices of the shipped defaults in use: "NVIDIA GPUs"; "" without any. */
const char *rh_tunedb_shipped_name(const rh_tunedb *tuned);

/* Identifies a plugin's file: a hash of its bytes; 0 if it cannot be read. */
uint64_t rh_tunedb_plugin(const char *path);
/* The same; reads the file at the first call only. */
uint64_t rh_tunedb_file(rh_tunedb *tuned, const char *path);
