/* Every available strategy, without loading any plugin into this process. */
#pragma once

#include "../base/vocabulary.h"
#include "discover.h"
#include "plugin.h"
#include <redhost/redhost.h>

/* The operator on the type, with or without a prelude, or null: host/core/run's rh_op_find(),
 * which nothing here may include. */
typedef const rh_op *rh_find_op(uint32_t op, rh_type type);

/* The answer of query for one operator and type, with the default parameters. */
typedef struct rh_offer {
  rh_status status; /* RH_OK or RH_DECLINED; a failure of query itself is RH_E_PLUGIN */
  rh_answer answer;
} rh_offer;

/* A strategy as a child process described it.  Owned by the registry. */
typedef struct rh_entry {
  char *path;         /* the plugin's file */
  uint32_t place;     /* its directory's rank in the search, from 0 */
  uint32_t installed; /* 1: it came with redhost */
  char *name, *summary, *about, *version, *author, *license, *build;
  uint64_t promises, needs;
  uint32_t determinism, device_kinds, n_params;
  rh_param *params; /* owned, with its strings */
  /* The offers are for this device, or null, and n; asked_here: some may be for others. */
  const rh_device *asked_of;
  uint64_t asked_n;
  int asked_here;
  const rh_strategy *opened; /* null, unless it was asked in this process */
  /* [op][type], by number; .status is RH_DECLINED where undefined */
  rh_offer offers[RH_N_OPS + 1][RH_N_TYPES + 1];
  char *shadowed_by; /* null, or the path of the file whose strategy of that name comes first */
} rh_entry;

typedef struct rh_refusal {
  char *path, *reason;
  rh_refusal_kind kind;
  uint32_t installed; /* 1: it came with redhost */
} rh_refusal;

typedef struct rh_registry {
  struct rh_survey *survey; /* what was found and examined so far; it owns what follows */
  rh_entry *entries;        /* by name; shadowed ones follow the one that takes precedence */
  uint32_t n_entries;
  rh_refusal *refusals;
  uint32_t n_refusals;
  uint32_t asked_refused; /* 1: refusals[0] is of options->plugin_file */
  char **notes;
  uint32_t n_notes;
  char *searched;
  uint32_t n_skipped; /* files that were not examined, since nobody asked for them */
} rh_registry;

/* Examines all candidates in a child process (`options->program`, or redhost next to the library),
 * which calls every strategy's query with (device, max_n) for each operator and type.  device may
 * be null: without an OpenCL device only host strategies are asked, and the others are declined.  A
 * plugin that crashes, hangs for 5 s or exits becomes a refusal, and the others are still
 * examined. */
rh_status rh_registry_scan(rh_registry *registry, const rh_options *options,
                           const rh_device *device, uint64_t max_n, rh_error *error);
/* In steps.  First it only searches the directories.  find_op: to examine what came with redhost in
 * this process if there is no program; null: that fails.  describe: rh_plugin_open()'s. */
rh_status rh_registry_begin(rh_registry *registry, const rh_options *options, rh_find_op *find_op,
                            rh_describe *describe, rh_error *error);
/* Then it examines what was not examined before.  It examines only those of the files that came
 * with redhost that bear one of n names of strategies; a name that no file bears may be in any
 * file: then all of them, as with n = 0.  `exactly`: also those whose offers are for another device
 * or max_n. */
rh_status rh_registry_examine(rh_registry *registry, const rh_device *device, uint64_t max_n,
                              const char *const *names, uint32_t n, int exactly, rh_error *error);
/* Then offers of another size: opens the plugins that came with redhost, which were examined, in
 * this process, and asks them for the operator on the type.  Others keep what they offered first,
 * and stay out of this process until one is chosen. */
void rh_registry_ask(rh_registry *registry, const rh_device *device, uint64_t max_n, uint32_t op,
                     rh_type type);
void rh_registry_finish(rh_registry *registry);

/* The entry of that name that takes precedence; null if there is none. */
const rh_entry *rh_registry_find(const rh_registry *registry, const char *name);

/* The location of a strategy. */
typedef struct rh_found {
  char name[64];
  char *path;         /* the plugin's file */
  uint32_t installed; /* 1: it came with redhost */
  uint32_t device_kinds;
  uint64_t promises;
  char missed[1024]; /* "", or a plugin that comes before this one and could not be examined */
} rh_found;

/* Finds the strategy of that name and examines only the files that matter, unless they were
 * examined before: inside one directory the file named after the strategy comes first.  Each file
 * is examined in a child; none is opened here, unless there is no program.  Unknown: RH_E_USAGE
 * with a suggestion and the directories searched. */
rh_status rh_registry_locate(rh_registry *registry, const char *name, rh_found *found,
                             rh_error *error);
/* Opens an entry that a scan found, without examining the file again. */
rh_status rh_found_from_entry(rh_found *found, const rh_entry *entry, rh_error *error);
void rh_found_finish(rh_found *found);

/* Opens the plugin in this process, which must trust it. */
rh_status rh_registry_open(const char *path, rh_describe *describe, const char *name,
                           const rh_strategy **strategy, rh_error *error);

/* The child's side: `redhost --probe` calls this and exits with its result, 0 when everything was
 * sent.  Reads the request from descriptor 3, writes frames to descriptor 4 (wire.h). */
int rh_probe_main(rh_find_op *find_op, rh_describe *describe);
