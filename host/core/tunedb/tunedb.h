/* What is known of a device from measuring: the parameters that were found best for each strategy,
 * operator, type and size, how long a reduction took with them, and which strategies failed their
 * check there.
 *
 * Two sources, the nearer one first: <cache>/tuned.json, which `redhost --tune` writes (and every
 * mode that finds a wrong result), and the defaults that come with redhost for kinds of devices.
 * The file is read as from a stranger: one that is damaged, or that others may write to, is set
 * aside with one warning. */
#ifndef RH_TUNEDB_TUNEDB_H
#define RH_TUNEDB_TUNEDB_H

#include "../cl/cache.h"
#include "../cl/devices.h"
#include <redhost/redhost.h>

/* Where a piece of knowledge comes from, the best first. */
enum {
  RH_TUNED_HERE = 1,         /* measured on this device under this driver */
  RH_TUNED_OTHER_DRIVER = 2, /* measured on this device under another driver */
  RH_TUNED_SHIPPED = 3       /* measured on a device of this kind, by redhost's authors */
};

enum { RH_TUNED_MOST_SETTINGS = 16, RH_TUNED_WORD = 48 };

typedef struct rh_tunedb_setting {
  char key[RH_TUNED_WORD], value[RH_TUNED_WORD]; /* as --param takes them: "group", "256" */
} rh_tunedb_setting;

/* One strategy at one size, at its best. */
typedef struct rh_tunedb_entry {
  char strategy[64];
  uint64_t plugin; /* rh_tunedb_plugin() of its file; 0: whatever its file (shipped defaults) */
  uint32_t op;
  rh_type type;
  uint64_t n; /* elements; what was found serves the sizes that are nearest to it, by their ratio */
  /* those that differ from the plugin's own defaults */
  rh_tunedb_setting settings[RH_TUNED_MOST_SETTINGS];
  uint32_t n_settings;
  /* 1: gave a wrong result, with whatever parameters; everything below is 0 then */
  uint32_t failed;
  double time_s;    /* of one reduction by the bench's headline; 0: not measured */
  double latency_s; /* of one call until the value is on the host; 0: not measured */
  /* 1: its parameters were searched, or it has none; 0: measured with its defaults only */
  uint32_t searched;
  uint32_t origin;  /* RH_TUNED_*, when found */
  char driver[128]; /* under which it was measured, when found; "" for shipped ones and the host */
} rh_tunedb_entry;

/* [one thread at a time] */
typedef struct rh_tunedb rh_tunedb;

/* Reads what there is for one device (null: none, host strategies only).  Host strategies are kept
 * with the device beside which they were measured; what was found without any device serves beside
 * every one and, without a device, what was found beside any.  A file that is not there is no
 * error; one that cannot be used is reported once, as a warning, renamed to tuned.json.bad and
 * never used; one of a later redhost is reported and left as it is.  `cache` is borrowed; without a
 * directory only the shipped defaults are known. */
rh_status rh_tunedb_open(rh_tunedb **tuned, rh_cache *cache, const rh_cl_device *device,
                         rh_error *error);
void rh_tunedb_close(rh_tunedb *tuned); /* null is legal */

/* The knowledge that serves a strategy best at this problem, or null; borrowed until the next call
 * that changes *tuned.  The order of merit: origin; then the same operator and type, before the
 * same type and kind of operator (one that answers an index or not), before elements of the same
 * size and that kind; then the nearest size.  Only the first of these makes times comparable:
 * *exact (may be null) says whether operator and type are the ones asked for.  Entries of another
 * file of that name (another `plugin`) do not count. */
const rh_tunedb_entry *rh_tunedb_find(const rh_tunedb *tuned, const char *strategy, uint64_t plugin,
                                      uint32_t op, rh_type type, uint64_t n, int *exact);

/* How little an entry is like what is asked for. */
enum {
  RH_TUNED_SAME = 0,       /* the same operator and type */
  RH_TUNED_SAME_TYPE = 1,  /* the same type, and as to whether the answer is an index */
  RH_TUNED_SAME_SIZE = 2,  /* elements of the same size, likewise */
  RH_TUNED_OTHER_SIZE = 3, /* elements of another size, likewise */
  RH_TUNED_UNLIKE = 4
};

/* The same, in the same order of merit, among entries that have a time, of some origins and sizes,
 * and no less like what is asked for than `unlike`. */
typedef struct rh_tunedb_timed {
  uint32_t first, last; /* origins: RH_TUNED_HERE, ... */
  uint32_t unlike;
  uint64_t least_n, most_n;
} rh_tunedb_timed;
const rh_tunedb_entry *rh_tunedb_find_timed(const rh_tunedb *tuned, const rh_tunedb_timed *among,
                                            const char *strategy, uint64_t plugin, uint32_t op,
                                            rh_type type, uint64_t n);

/* Is there any entry of that name?  If not, its file need not be hashed. */
int rh_tunedb_mentions(const rh_tunedb *tuned, const char *strategy);

/* Did this strategy give a wrong result on this device, for this operator and type?  What it did
 * under another driver counts until it was measured under this one. */
int rh_tunedb_has_failed(const rh_tunedb *tuned, const char *strategy, uint64_t plugin, uint32_t op,
                         rh_type type);

/* Adds an entry, or replaces the one of the same strategy, operator, type and size, in memory and
 * in the file, which appears whole or not at all; what other processes wrote meanwhile stays.  A
 * good entry of a strategy, of whatever size, takes back that it failed for this operator and type:
 * whoever measures several sizes puts a failure last.  Without a directory it is kept in memory
 * only.  A file that cannot be written is a warning, once; what is not in it is written with what
 * comes later, when it can be. */
rh_status rh_tunedb_put(rh_tunedb *tuned, const rh_tunedb_entry *entry, rh_error *error);

/* Says that a strategy's result was wrong, for --run and --bench; keeps quiet where nothing can be
 * written. */
void rh_tunedb_blame(rh_tunedb *tuned, const char *strategy, uint64_t plugin, uint32_t op,
                     rh_type type, uint64_t n);

/* Writes what could not be written so far, without the pauses that are made after trouble; where
 * there is nothing, finds out whether it could be.  RH_E_FILE with a sentence: not all that was put
 * is in the file, or would be. */
rh_status rh_tunedb_settle(rh_tunedb *tuned, rh_error *error);

/* How many good entries were measured here, under this driver; for the summary of this machine. */
uint32_t rh_tunedb_count(const rh_tunedb *tuned);

/* For which devices the shipped defaults in use are: "NVIDIA GPUs"; "" where there are none. */
const char *rh_tunedb_shipped_name(const rh_tunedb *tuned);

/* Identifies a plugin's file: a hash of its bytes; 0 if it cannot be read. */
uint64_t rh_tunedb_plugin(const char *path);

#endif
